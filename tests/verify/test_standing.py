"""Where a run stands by its ledger and its folder, before its report is looked at."""

from __future__ import annotations

from pathlib import Path

from sitegen.harness.opening import open_run
from sitegen.harness.records import end_open_run
from sitegen.verify.chain import histories_of
from sitegen.verify.standing import position_of
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


def test_a_report_in_anothers_folder_is_misplaced(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    run = make_run(tmp_path, "demo.v1")
    folder = tmp_path / "reports/demo.v1" / run.run_id
    folder.rename(folder.with_name("2026-01-01-none-aaaaaa"))
    found = {
        refused.run_id: {refusal.slug for refusal in refused.refusals} for refused in judge(tmp_path, "demo.v1").refused
    }
    assert found == {run.run_id: {"ledger-unpublished"}, "2026-01-01-none-aaaaaa": {"report-misplaced"}}
