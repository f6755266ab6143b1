"""The Python interface gives the records that the command publishes, and nothing that it would refuse."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sitegen
import sitegen.api
from sitegen.refusals import Refused
from tests.sites import make_protocol, make_run


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """One exam, and one run that misses one of 20 ordinary tasks."""
    make_protocol(tmp_path, "demo.v1", ordinary=20, negative=10)
    make_run(tmp_path, "demo.v1", "alpha", wrong=("T-001",))
    return tmp_path


def spoil(site: Path) -> None:
    """Change one sealed byte."""
    tasks = site / "protocols" / "demo.v1" / "tasks.jsonl"
    tasks.write_bytes(tasks.read_bytes().replace(b"Say 1.", b"Say 2."))


def test_the_examples_are_true(site: Path) -> None:
    ran = doctest.testmod(sitegen.api, extraglobs={"root": site})
    assert ran.attempted > 0
    assert ran.failed == 0


def leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for key, part in value.items():
            if key != "table":
                yield from leaves(part)
    else:
        yield value


def test_a_row_is_the_published_record(site: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    from sitegen.cli import main

    output = tmp_path_factory.mktemp("built") / "_site"
    assert main(["build", str(site), "-o", str(output)]) == 0
    (published,) = json.loads((output / "data" / "reports.json").read_bytes())["reports"]
    (row,) = sitegen.scorecards(site)
    assert list(row.values()) == list(leaves(published))


def test_a_row_holds_the_whole_scorecard(site: Path) -> None:
    make_run(site, "demo.v1", "beta", abstained=("T-002",), invalid=("N-001", "N-002"))
    rows = sitegen.scorecards(site)
    assert len({tuple(row) for row in rows}) == 1, "the rows differ in their columns"
    for rate in ("task_success", "abstention_accuracy", "invalid_completion", "false_abstention"):
        assert {f"{rate}_{part}" for part in ("k", "n", "rate", "low", "high", "method")} <= rows[0].keys()
    by_route = {row["route"]: row for row in rows}
    assert by_route["beta-1.0"]["invalid_completion_k"] == 2
    assert by_route["beta-1.0"]["false_abstention_k"] == 1
    assert all(isinstance(cell, str | int | float | bool | None) for row in rows for cell in row.values())


def test_with_a_fault_there_is_no_number(site: Path) -> None:
    spoil(site)
    with pytest.raises(Refused) as refused:
        sitegen.scorecards(site)
    assert "dataset-drift" in {refusal.slug for refusal in refused.value.refusals}
    assert sitegen.scorecards(site, publish_accepted=True) == []


def test_reading_believes_and_verifying_judges(site: Path) -> None:
    spoil(site)
    (unit,) = sitegen.read_library(site)
    assert [run.protocol_id for run in unit.runs] == ["demo.v1"]
    library = sitegen.verify_library(site)
    assert library.reports == ()
    assert "dataset-drift" in {refusal.slug for refusal in library.refusals}


def test_a_folder_without_protocols_is_an_empty_library(tmp_path: Path) -> None:
    assert sitegen.read_library(tmp_path) == ()
    assert sitegen.verify_library(tmp_path).units == ()
    assert sitegen.scorecards(tmp_path) == []


def test_every_public_name_is_there_and_no_other() -> None:
    assert all(getattr(sitegen, name) is not None for name in sitegen.__all__)
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = sitegen.nothing_like_it


def test_importing_the_package_loads_none_of_it() -> None:
    code = "import sys, sitegen; print([m for m in sys.modules if m.startswith(('sitegen.', 'msgspec', 'numpy'))])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == "[]"
