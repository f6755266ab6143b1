"""Hidden test sets: nothing of the answers gets out, not even by guessing, and a later reveal can be checked."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from sitegen.pipeline.auditing import audit_site
from sitegen.pipeline.build import build_site
from tests.audit.hidden import WORDS, hidden
from tests.audit.published import files_of, script, script_says
from tests.sites import judge, make_protocol, make_run


@pytest.mark.parametrize("level", ["outcomes", "digests"])
@pytest.mark.parametrize("inline", [False, True])
def test_no_answer_can_be_read_or_guessed(tmp_path: Path, level: str, inline: bool) -> None:
    hidden(tmp_path / "root", level, inline)
    build_site(tmp_path / "root", tmp_path / "site")
    published = b"\n".join(files_of(tmp_path / "site").values())
    for word in (*WORDS[:20], "eee", "leaked"):
        digest = hashlib.sha256(word.encode()).hexdigest().encode()
        assert digest not in published
        assert digest[:16] not in published
    for text in (b"Say 7.", b"missing number", b"nobody knows", b"what was leaked"):
        assert text not in published


@pytest.mark.parametrize("level", ["outcomes", "digests"])
def test_both_audits_verify_what_is_left(tmp_path: Path, level: str) -> None:
    run_id = hidden(tmp_path / "root", level)
    build_site(tmp_path / "root", tmp_path / "site")
    files = files_of(tmp_path / "site")
    assert script_says(script(files), files) == []
    assert audit_site(str(tmp_path / "site")).faults == ()
    report = json.loads(files[f"evidence/demo.v1/{run_id}/report.json"])
    assert report["mean"] == 0.95
    assert f"evidence/demo.v1/{run_id}/transcripts.jsonl" not in files
    assert ("evidence/demo.v1/metric.py" in files) == (level == "outcomes")
    assert b"oracles/T-001.txt" in files["evidence/demo.v1/commitments.sums"]


def test_a_changed_row_is_still_noticed(tmp_path: Path) -> None:
    from tests.audit.published import resealed_lists, write

    run_id = hidden(tmp_path / "root", "outcomes")
    build_site(tmp_path / "root", tmp_path / "site")
    name = f"evidence/demo.v1/{run_id}/report.json"

    def change(made: dict[str, bytes]) -> None:
        made[name] = made[name].replace(b'"outcome":"miss"', b'"outcome":"success"', 1)

    forged = resealed_lists(files_of(tmp_path / "site"), change)
    assert script_says(script(forged), forged) != []
    assert audit_site(str(write(forged, tmp_path / "forged"))).faults != ()


def test_commitments_open_with_the_salt_and_coreutils_alone(tmp_path: Path) -> None:
    hidden(tmp_path / "root", "outcomes")
    build_site(tmp_path / "root", tmp_path / "site")
    folder = tmp_path / "root" / "protocols" / "demo.v1"
    lines = (tmp_path / "site" / "evidence" / "demo.v1" / "commitments.sums").read_text().splitlines()
    listed = {path: digest for digest, path in (line.split("  ") for line in lines)}
    assert {"tasks.jsonl", "null_pack.jsonl", "oracles/T-001.txt"} <= set(listed)
    for path, digest in listed.items():
        opened = (folder / "salt").read_bytes() + f"{path}\n".encode() + (folder / path).read_bytes()
        assert hashlib.sha256(opened).hexdigest() == digest
    assert len(set(listed.values())) == len(listed)


def test_the_salt_is_drawn_once_and_sealed(tmp_path: Path) -> None:
    hidden(tmp_path / "root", "outcomes")
    salt = tmp_path / "root" / "protocols" / "demo.v1" / "salt"
    assert len(salt.read_bytes().strip()) >= 32
    salt.write_bytes(b"0" * 64 + b"\n")
    assert [refusal.slug for refusal in judge(tmp_path / "root", "demo.v1").refusals] == ["file-drift"]


def test_a_full_protocol_has_no_salt(tmp_path: Path) -> None:
    make_protocol(tmp_path / "root", "demo.v1")
    make_run(tmp_path / "root", "demo.v1", "alpha")
    assert not (tmp_path / "root" / "protocols" / "demo.v1" / "salt").exists()
    build_site(tmp_path / "root", tmp_path / "site")
    assert not (tmp_path / "site" / "evidence" / "demo.v1" / "commitments.sums").exists()
    shutil.rmtree(tmp_path / "site")
