"""Fetching evidence that is kept elsewhere: what does not have the digest is not kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.cli import main
from sitegen.digests import sha256
from tests.audit.serving import served
from tests.sites import judge, make_protocol, make_run


@pytest.mark.parametrize("honest", [True, False])
def test_what_is_fetched_is_hashed_before_it_is_kept(
    honest: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, store = tmp_path / "root", tmp_path / "store"
    store.mkdir()
    make_protocol(root, "demo.v1")
    run = root / "reports" / "demo.v1" / make_run(root, "demo.v1", "alpha").run_id
    data = (run / "transcripts.jsonl").read_bytes()
    (run / "transcripts.jsonl").unlink()
    (store / "t.jsonl").write_bytes(data if honest else data.replace(b"1", b"2", 1))
    with served(store) as address:
        (run / "evidence.yaml").write_text(
            "schema: agent-bench-evidence/v1\nfiles:\n  transcripts.jsonl:\n"
            f'    sha256: "{sha256(data)}"\n    size: {len(data)}\n    url: "{address}t.jsonl"\n'
        )
        code = main(["verify", str(root), "--fetch"])
    said = capsys.readouterr().err
    if honest:
        assert code == 0
        assert (run / "transcripts.jsonl").read_bytes() == data
        assert judge(root, "demo.v1").reports[0].level == "re-scored"
        assert "fetched" in said
    else:
        assert code == 1
        assert "evidence-mismatch" in said
        assert not (run / "transcripts.jsonl").exists()
