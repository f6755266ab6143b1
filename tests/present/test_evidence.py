"""Exactly the bytes that the sealed level allows, each folder with a list that coreutils can check."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sitegen.present.evidence import evidence_pages, protocol_files, run_files
from sitegen.present.page import Page
from sitegen.verify.verified import VerifiedUnit
from tests.sites import judge, make_protocol, make_run

SEALED = {"protocol.sealed.yaml", "protocol.yaml"}
LEVELS: dict[str, tuple[set[str], set[str]]] = {
    "full": (
        {"protocol.sums", "tasks.jsonl", "null_pack.jsonl", "metric.py"},
        {"transcripts.jsonl", "solver/solve.sh", "solver.sums"},
    ),
    "outcomes": ({"metric.py", "commitments.sums"}, {"solver/solve.sh", "solver.sums"}),
    "digests": ({"commitments.sums"}, set()),
}


def evidence_of(unit: VerifiedUnit) -> list[Page]:
    assert unit.protocol is not None
    return list(evidence_pages(unit, {report.run_id: run_files(unit.protocol, report) for report in unit.reports}))


@pytest.mark.parametrize("level", LEVELS)
def test_each_level_publishes_what_it_says_and_no_more(tmp_path: Path, level: str) -> None:
    make_protocol(tmp_path, changes={"publish": {"evidence": level}})
    make_run(tmp_path, "demo.v1")
    unit = judge(tmp_path, "demo.v1")
    assert unit.protocol is not None
    sealed, run = LEVELS[level]
    assert set(protocol_files(unit.protocol)) == sealed | SEALED
    published = set(run_files(unit.protocol, unit.reports[0]))
    assert published == run | {"manifest.yaml", "report.json"}
    whole = b"".join(page.data for page in evidence_of(unit))
    assert (b"Say 7." in whole) == (level == "full")


def test_a_solver_that_is_kept_back_shows_its_digest_alone(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1", publish_solver=False)
    unit = judge(tmp_path, "demo.v1")
    assert unit.protocol is not None
    report = unit.reports[0]
    files = run_files(unit.protocol, report)
    assert not [name for name in files if name.startswith("solver/")]
    assert "solver.sums" not in files


def test_nothing_of_a_refused_run_is_evidence_but_its_ledger(unit: VerifiedUnit) -> None:
    paths = [page.path for page in evidence_of(unit)]
    for run in unit.refused:
        assert not [path for path in paths if run.run_id in path]
        for digest, _ in run.events:
            assert f"evidence/demo.v1/ledger/{digest}.json" in paths


def test_coreutils_check_every_folder(built: Path) -> None:
    lists = list((built / "evidence").rglob("SHA256SUMS"))
    assert len(lists) > 5
    for listing in lists:
        subprocess.run(["sha256sum", "-c", "--quiet", "--strict", "SHA256SUMS"], cwd=listing.parent, check=True)
