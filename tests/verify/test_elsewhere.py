"""Transcripts that are kept elsewhere: the run stays, at a lower level, and only under the very digest."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.digests import sha256
from sitegen.pipeline.auditing import audit_site
from sitegen.pipeline.build import build_site
from tests.audit.published import files_of, script, script_says
from tests.sites import judge, make_protocol, make_run


def move_out(run: Path, digest: str | None = None) -> bytes:
    """Take the transcripts out of a run's folder and say in evidence.yaml where they are; return them."""
    path = run / "transcripts.jsonl"
    data = path.read_bytes()
    path.unlink()
    (run / "evidence.yaml").write_text(
        "schema: agent-bench-evidence/v1\nfiles:\n  transcripts.jsonl:\n"
        f'    sha256: "{digest or sha256(data)}"\n    size: {len(data)}\n    url: "https://example.org/t.jsonl"\n'
    )
    return data


@pytest.fixture
def run(tmp_path: Path) -> Path:
    make_protocol(tmp_path / "root", "demo.v1")
    closed = make_run(tmp_path / "root", "demo.v1", "alpha", wrong=("T-001",))
    return tmp_path / "root" / "reports" / "demo.v1" / closed.run_id


def test_the_run_is_verified_from_its_rows_and_says_so(run: Path, tmp_path: Path) -> None:
    before = judge(tmp_path / "root", "demo.v1").reports[0]
    move_out(run)
    unit = judge(tmp_path / "root", "demo.v1")
    assert unit.all_refusals == []
    assert unit.reports[0].card == before.card
    assert (before.level, unit.reports[0].level) == ("re-scored", "numbers")
    assert any("kept elsewhere" in step.result for step in unit.reports[0].steps)
    build_site(tmp_path / "root", tmp_path / "site")
    files = files_of(tmp_path / "site")
    assert script_says(script(files), files) == []
    assert audit_site(str(tmp_path / "site")).faults == ()


def test_another_digest_is_no_evidence(run: Path, tmp_path: Path) -> None:
    move_out(run, "0" * 64)
    slugs = {refusal.slug for refusal in judge(tmp_path / "root", "demo.v1").all_refusals}
    assert slugs == {"evidence-missing"}


def test_what_came_back_must_be_what_was_named(run: Path, tmp_path: Path) -> None:
    data = move_out(run, "0" * 64)
    (run / "transcripts.jsonl").write_bytes(data)
    slugs = {refusal.slug for refusal in judge(tmp_path / "root", "demo.v1").all_refusals}
    assert slugs == {"evidence-mismatch"}
    (run / "transcripts.jsonl").unlink()
    (run / "transcripts.jsonl").write_bytes(data)
    (run / "evidence.yaml").write_text((run / "evidence.yaml").read_text().replace("0" * 64, sha256(data)))
    assert judge(tmp_path / "root", "demo.v1").all_refusals == []


def test_a_list_that_names_nothing_keeps_nothing_elsewhere(run: Path, tmp_path: Path) -> None:
    move_out(run)
    (run / "evidence.yaml").write_text("schema: agent-bench-evidence/v1\nfiles: {}\n")
    slugs = {refusal.slug for refusal in judge(tmp_path / "root", "demo.v1").all_refusals}
    assert slugs == {"evidence-missing"}


def test_a_list_that_cannot_be_read_is_refused(run: Path, tmp_path: Path) -> None:
    move_out(run)
    listing = run / "evidence.yaml"
    listing.write_text(listing.read_text().replace("transcripts.jsonl", "report.json"))
    slugs = {refusal.slug for refusal in judge(tmp_path / "root", "demo.v1").all_refusals}
    assert slugs == {"field-range", "evidence-missing"}
