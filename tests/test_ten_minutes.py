"""From a wheel in an empty environment to a page with a real number, by the commands that the README gives."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from tests.documents import blocks, run_blocks
from tests.wheels import ROOT

# Shares the wheel and its environment with tests/test_wheel.py.
pytestmark = pytest.mark.xdist_group("wheel")

PATH_TO_A_NUMBER = next(
    block for block in blocks((ROOT / "README.md").read_text(encoding="utf-8"), "sh") if "sitegen init" in block
)


@pytest.fixture(scope="module")
def site(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site that the README's first block makes, within ten minutes."""
    folder = tmp_path_factory.mktemp("ten-minutes")
    began = time.monotonic()
    run_blocks([PATH_TO_A_NUMBER], folder, installed)
    assert time.monotonic() - began < 600
    return folder / "demo"


def counted(report: Path, kind: str, outcome: str) -> tuple[int, int]:
    """Count outcomes by hand: (k, n)."""
    rows = [row for row in json.loads(report.read_bytes())["tasks"] if row["kind"] == kind]
    return sum(row["outcome"] == outcome for row in rows), len(rows)


def test_the_block_is_the_whole_path() -> None:
    commands = [line.split()[1] for line in PATH_TO_A_NUMBER.splitlines() if line.startswith("sitegen ")]
    assert commands == ["init", "seal", "run", "run", "build"]


def test_the_page_shows_what_was_observed(site: Path) -> None:
    page = (site / "_site" / "protocols" / "lookup.v1" / "index.html").read_text(encoding="utf-8")
    reports = sorted(site.glob("reports/lookup.v1/*/report.json"))
    assert reports, "no contestant got as far as a report"
    for report in reports:
        (row, *_) = [part for part in page.split('data-run="') if part.startswith(f'{report.parent.name}"')]
        for kind, outcome in (("ordinary", "success"), ("negative", "abstain_ok"), ("negative", "invalid_completion")):
            k, n = counted(report, kind, outcome)
            assert re.search(rf'data-k="{k}" data-n="{n}"', row)
            assert f"{k}/{n}" in row


def test_the_shell_contestant_needs_nothing_but_a_shell(site: Path) -> None:
    (report,) = site.glob("reports/lookup.v1/*sed*/report.json")
    k, n = counted(report, "ordinary", "success")
    assert 0 < k < n


def test_the_next_reader_finds_no_fault(site: Path, installed: Path) -> None:
    run_blocks(["sitegen verify", "sitegen status", "sitegen audit _site"], site, installed)
