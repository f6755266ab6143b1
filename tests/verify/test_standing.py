"""Where a run stands by its ledger and its folder, before its report is looked at."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

from sitegen.digests import canonical_json
from sitegen.harness.closing import end_run
from sitegen.harness.opening import open_run
from sitegen.harness.records import end_open_run, withdraw
from sitegen.read.files import Tree
from sitegen.read.library import read_run_folder
from sitegen.verify.chain import NO_HISTORY, histories_of
from sitegen.verify.standing import find_state, name_faults, position_of
from tests.sites import judge, make_contestant, make_protocol, make_run


def test_a_run_is_counted_among_all_that_were_started_the_unfinished_ones_too(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    first = make_run(tmp_path, "demo.v1", "alpha")
    open_run(tmp_path, "demo.v1", make_contestant(tmp_path, "beta"))
    last = make_run(tmp_path, "demo.v1", "alpha")
    unit = judge(tmp_path, "demo.v1")
    histories = histories_of(unit.ledger)
    started = list(histories)
    positions = {run_id: position_of(run_id, started, histories) for run_id in started}
    assert {position.total for position in positions.values()} == {3}
    assert {position.number for position in positions.values()} == {1, 2, 3}
    assert positions[first.run_id].of_route == positions[last.run_id].of_route == 2
    assert position_of("2026-01-01-none-aaaaaa", started, histories).number == 0


def test_open_ended_and_unknown_runs_are_told_apart(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    opened = open_run(tmp_path, "demo.v1", make_contestant(tmp_path, "alpha"))
    given_up = open_run(tmp_path, "demo.v1", make_contestant(tmp_path, "beta"))
    end_open_run(tmp_path, given_up.run_id, "switched off")
    unknown = tmp_path / "reports/demo.v1/2026-01-01-none-aaaaaa"
    unknown.mkdir()
    (unknown / "manifest.yaml").write_bytes(make_contestant(tmp_path, "gamma").read_bytes())
    found = {run.run_id: [refusal.slug for refusal in run.refusals] for run in judge(tmp_path, "demo.v1").refused}
    assert found == {
        opened.run_id: ["run-open"],
        given_up.run_id: ["run-ended"],
        "2026-01-01-none-aaaaaa": ["ledger-start-missing"],
    }


def test_a_report_that_is_gone_is_missed(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    run = make_run(tmp_path, "demo.v1")
    (tmp_path / "reports/demo.v1" / run.run_id / "report.json").unlink()
    (refused,) = judge(tmp_path, "demo.v1").refused
    assert [(refusal.slug, refusal.expected) for refusal in refused.refusals] == [
        ("ledger-unpublished", run.report_sha256)
    ]


@pytest.mark.parametrize(
    "run_id", ["metric.py", "Tasks.JSONL", "index.html", "pairs.html", "protocol.sums", "SHA256SUMS", "signatures"]
)
def test_a_run_has_no_name_that_a_site_gives_to_something_else_of_its_protocol(tmp_path: Path, run_id: str) -> None:
    make_protocol(tmp_path)
    made = make_run(tmp_path, "demo.v1")
    with Tree(tmp_path) as tree:
        folder = read_run_folder(tree, "demo.v1", made.run_id)
    sealed = ("metric.py", "oracles/one.txt", "tasks.jsonl", "protocol.sums")
    assert list(name_faults(folder, sealed)) == []
    (found,) = name_faults(dataclasses.replace(folder, run_id=run_id), sealed)
    assert (found.slug, found.file, found.found) == ("path-unsafe", folder.path, run_id)


def test_a_run_that_has_a_report_has_something_to_verify(tmp_path: Path) -> None:
    """Whatever the ledger says of it: that is held against the report."""
    make_protocol(tmp_path)
    run = make_run(tmp_path, "demo.v1")
    with Tree(tmp_path) as tree:
        folder = read_run_folder(tree, "demo.v1", run.run_id)
    assert find_state(folder.path, folder, NO_HISTORY) == []
    assert [refusal.slug for refusal in find_state(folder.path, None, NO_HISTORY)] == ["ledger-start-missing"]


def test_a_report_of_another_start_is_told_its_own(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    run = make_run(tmp_path, "demo.v1")
    start = judge(tmp_path, "demo.v1").reports[0].start
    path = tmp_path / "reports/demo.v1" / run.run_id / "report.json"
    path.write_bytes(canonical_json({**json.loads(path.read_bytes()), "start_sha256": "0" * 64}))
    (refused,) = judge(tmp_path, "demo.v1").refused
    assert [(r.slug, r.expected, r.found) for r in refused.refusals if r.path == "/start_sha256"] == [
        ("ledger-start-missing", start, "0" * 64)
    ]


def test_a_report_in_anothers_folder_is_misplaced(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    run = make_run(tmp_path, "demo.v1")
    folder = tmp_path / "reports/demo.v1" / run.run_id
    folder.rename(folder.with_name("2026-01-01-none-aaaaaa"))
    found = {
        refused.run_id: {refusal.slug for refusal in refused.refusals} for refused in judge(tmp_path, "demo.v1").refused
    }
    assert found == {run.run_id: {"ledger-unpublished"}, "2026-01-01-none-aaaaaa": {"report-misplaced"}}


def why(root: Path) -> list[tuple[str, str | None]]:
    """Slug of each reason why the only run is refused, and what was found."""
    (run,) = judge(root, "demo.v1").refused
    return [(refusal.slug, refusal.found) for refusal in run.refusals]


def test_the_files_of_an_open_run_are_those_of_its_start(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    opened = open_run(tmp_path, "demo.v1", make_contestant(tmp_path, "alpha"))
    manifest = tmp_path / "reports/demo.v1" / opened.run_id / "manifest.yaml"
    manifest.write_bytes(manifest.read_bytes() + b"title: Another\n")
    assert sorted(slug for slug, _ in why(tmp_path)) == ["manifest-drift", "run-open"]
    manifest.write_bytes(b"- none\n")
    assert sorted(slug for slug, _ in why(tmp_path)) == ["field-type", "manifest-drift", "run-open"]


def test_an_ended_run_says_why(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    opened = open_run(tmp_path, "demo.v1", make_contestant(tmp_path, "alpha"))
    end_open_run(tmp_path, opened.run_id, "switched off")
    assert why(tmp_path) == [("run-ended", "switched off")]


def test_a_failed_null_pack_names_its_rows(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    run = open_run(tmp_path, "demo.v1", make_contestant(tmp_path, "alpha"))
    end_run(run, "null-pack-failed", ("NP-FAIL", "NP-PASS"))
    assert why(tmp_path) == [("null-pack-failed", "NP-FAIL, NP-PASS")]


def test_a_withdrawn_run_may_be_gone_and_its_tombstone_says_what_the_ledger_says(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    run = make_run(tmp_path, "demo.v1")
    withdraw(tmp_path, run.run_id, "a wrong oracle")
    folder = tmp_path / "reports/demo.v1" / run.run_id
    assert [slug for slug, _ in why(tmp_path)] == ["report-withdrawn"]
    (folder / "withdrawn.yaml").write_bytes(b"a: [\n")
    assert sorted(slug for slug, _ in why(tmp_path)) == ["report-withdrawn", "yaml-malformed"]
    shutil.rmtree(folder)
    assert [slug for slug, _ in why(tmp_path)] == ["report-withdrawn"]


def test_a_run_that_is_gone_with_its_report_is_missed(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    run = make_run(tmp_path, "demo.v1")
    shutil.rmtree(tmp_path / "reports/demo.v1" / run.run_id)
    assert why(tmp_path) == [("ledger-unpublished", "nothing")]
