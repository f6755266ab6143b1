"""Revealing a hidden test set: what was committed to opens, and nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.harness.revealing import reveal_protocol
from sitegen.pipeline.auditing import audit_site
from sitegen.pipeline.build import build_site
from sitegen.refusals import Misuse, Refused
from tests.audit.hidden import hidden
from tests.audit.published import files_of, script, script_says
from tests.sites import judge, make_protocol


def test_a_reveal_opens_what_was_committed_to(tmp_path: Path) -> None:
    root, old, new = tmp_path / "root", tmp_path / "old", tmp_path / "new"
    run_id = hidden(root, "outcomes")
    build_site(root, old)
    revealed = reveal_protocol(root, "demo.v1", str(old))
    assert revealed.opened == 22
    build_site(root, new)
    files = files_of(new)
    assert {"evidence/demo.v1/salt", f"evidence/demo.v1/{run_id}/transcripts.jsonl"} <= set(files)
    assert script_says(script(files), files) == []
    assert audit_site(str(new), str(old)).faults == ()
    with pytest.raises(Misuse, match="already"):
        reveal_protocol(root, "demo.v1", str(old))


def test_other_files_do_not_open_it(tmp_path: Path) -> None:
    root, old = tmp_path / "root", tmp_path / "old"
    hidden(root, "outcomes")
    build_site(root, old)
    listing = old / "evidence" / "demo.v1" / "commitments.sums"
    listing.write_bytes(listing.read_bytes().replace(b"a", b"b", 1))
    with pytest.raises(Refused) as refused:
        reveal_protocol(root, "demo.v1", str(old))
    assert "evidence-commitment" in {refusal.slug for refusal in refused.value.refusals}
    assert not (root / "protocols" / "demo.v1" / "revealed.yaml").exists()


def test_there_is_nothing_to_reveal_of_a_full_protocol(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    with pytest.raises(Misuse):
        reveal_protocol(tmp_path, "demo.v1")


def test_a_record_of_another_protocol_is_refused(tmp_path: Path) -> None:
    hidden(tmp_path, "outcomes")
    record = tmp_path / "protocols" / "demo.v1" / "revealed.yaml"
    record.write_text(
        "schema: agent-bench-reveal/v1\nprotocol_id: demo.v1\n"
        f'protocol_sha256: "{"0" * 64}"\ntime: "2026-11-30T00:00:00Z"\n'
    )
    assert [refusal.slug for refusal in judge(tmp_path, "demo.v1").refusals] == ["protocol-drift"]
