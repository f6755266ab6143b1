"""Closing a run fails closed: no number without a null pack, none for another route, none from a failed metric."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import sha256
from sitegen.harness import closing
from sitegen.harness.closing import TOOL, close_run, true_ids
from sitegen.harness.marking import Marker
from sitegen.harness.opening import OpenRun, open_run, reopen_run
from sitegen.read.report import MadeBy
from sitegen.read.transcript import Transcript
from sitegen.refusals import Refused
from tests.sites import judge, make_contestant, make_protocol, make_run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_protocol(tmp_path, ordinary=3, negative=1)
    return tmp_path


def transcripts(opened: OpenRun, **changes: dict[str, Any]) -> list[Transcript]:
    honest = {"NP-FAIL": "nothing was"}
    rows = []
    for task in (*opened.pack.null_pack, *opened.pack.dataset):
        answer = honest.get(task.id, task.oracle)
        given: dict[str, Any] = {
            "task_id": task.id,
            "pack": "null_pack" if task.kind is None else "dataset",
            "status": "ok",
            "abstained": answer is None,
            "artifact": answer,
            "route": "alpha-1.0",
            "retries": 0,
            "tool_calls": 0,
            "wall_clock_sec": 0.1,
            **changes.get(task.id.replace("-", "_"), {}),
        }
        rows.append(Transcript(**given))
    return rows


def close(opened: OpenRun, rows: list[Transcript]) -> closing.Closed:
    with Marker(opened.protocol, opened.pack, opened.protocol_folder) as marker:
        return close_run(opened, rows, MadeBy(tool=TOOL, how="score"), marker)


def opened(root: Path, **manifest: Any) -> OpenRun:
    return open_run(root, "demo.v1", make_contestant(root, "alpha", **manifest))


def test_a_closed_run_verifies(root: Path) -> None:
    run = opened(root)
    closed = close(run, transcripts(run, T_002={"artifact": "wrong"}))
    assert closed.report_sha256 == sha256((run.run_folder / "report.json").read_bytes())
    unit = judge(root, "demo.v1")
    assert unit.all_refusals == []
    assert unit.reports[0].card == closed.card


@pytest.mark.parametrize(
    ("row", "changes"),
    [
        ("NP_PASS", {"artifact": "no"}),
        ("NP_PASS", {"artifact": None, "abstained": True}),
        ("NP_FAIL", {"artifact": "leaked"}),
        ("NP_REFUSE", {"artifact": "x", "abstained": False}),
        ("NP_REFUSE", {"files_touched": 1}),
        ("NP_REFUSE", {"abstained": False}),
        ("NP_FAIL", {"status": "timeout"}),
        ("NP_REFUSE", {"status": "error"}),
    ],
)
def test_a_failed_null_pack_ends_the_run_without_a_number(row: str, changes: dict[str, Any], root: Path) -> None:
    run = opened(root)
    closed = close(run, transcripts(run, **{row: changes}))
    assert (closed.reason, closed.rows, closed.card) == ("null-pack-failed", (row.replace("_", "-"),), None)
    assert sorted(path.name for path in run.run_folder.iterdir()) == ["manifest.yaml", "solver", "transcripts.jsonl"]
    unit = judge(root, "demo.v1")
    assert [(refusal.slug, refusal.found) for refusal in unit.all_refusals] == [
        ("null-pack-failed", row.replace("_", "-"))
    ]
    (end,) = [event for _, event in unit.ledger.of("end")]
    assert (end.reason, end.rows, end.report_sha256) == ("null-pack-failed", (row.replace("_", "-"),), None)


def test_the_null_pack_is_asked_before_any_task(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    verdict = Marker.verdict

    def watch(self: Marker, task: Any, artifact: str) -> bool:
        asked.append(task.id)
        return verdict(self, task, artifact)

    monkeypatch.setattr(Marker, "verdict", watch)
    run = opened(root)
    close(run, transcripts(run, NP_PASS={"artifact": "no"}))
    assert asked == ["NP-PASS", "NP-FAIL"]


def test_another_route_ends_the_run(root: Path) -> None:
    run = opened(root)
    closed = close(run, transcripts(run, T_003={"route": "beta-2.0"}))
    assert (closed.reason, closed.rows) == ("route-changed", ("T-003",))
    assert not (run.run_folder / "report.json").exists()


@pytest.mark.parametrize(
    ("task", "changes", "slug"),
    [
        ("T_001", {"task_id": "T-009"}, "task-unknown"),
        ("NP_FAIL", {"task_id": "NP-9"}, "null-row-unknown"),
        ("T_001", {"abstained": None}, "abstention-disagrees"),
        ("T_001", {"route": None}, "route-unnamed"),
    ],
)
def test_transcripts_that_do_not_cover_the_pack_close_nothing(
    task: str, changes: dict[str, Any], slug: str, root: Path
) -> None:
    run = opened(root)
    with pytest.raises(Refused, match=slug):
        close(run, transcripts(run, **{task: changes}))
    assert judge(root, "demo.v1").ledger.of("end") == []
    assert close(run, transcripts(run)).card is not None  # the run is still open


def test_a_failed_metric_gives_no_report(tmp_path: Path) -> None:
    metric = "def score(result, oracle_path):\n    return {'pass': 1 if result == '2' else result == 'yes'}\n"
    make_protocol(tmp_path, ordinary=3, negative=1, metric=metric)
    run = opened(tmp_path)
    with pytest.raises(Refused, match="metric-failed"):
        close(run, transcripts(run))
    assert not (run.run_folder / "report.json").exists()
    assert [refusal.slug for refusal in judge(tmp_path, "demo.v1").all_refusals] == ["run-open"]


def test_an_interruption_before_the_end_is_closed_to_the_same_bytes(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = opened(root)
    with monkeypatch.context() as patch:
        patch.setattr(closing, "_append_end", lambda *given, **fields: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            close(run, transcripts(run))
    before = (run.run_folder / "report.json").read_bytes()
    assert [refusal.slug for refusal in judge(root, "demo.v1").all_refusals] == ["ledger-broken"]
    close(reopen_run(root, run.run_id), transcripts(run))
    assert (run.run_folder / "report.json").read_bytes() == before
    assert judge(root, "demo.v1").all_refusals == []


def test_every_run_is_in_exactly_one_state(root: Path) -> None:
    """Open, ended without a report, withdrawn, refused or published: never two of them."""
    from sitegen.harness.records import end_open_run, withdraw

    published = make_run(root, "demo.v1", "alpha")
    withdrawn = make_run(root, "demo.v1", "beta")
    withdraw(root, withdrawn.run_id, "the wrong model")
    failed = make_run(root, "demo.v1", "gamma", answers={"NP-REFUSE": "x"})
    still_open = open_run(root, "demo.v1", make_contestant(root, "delta"))
    given_up = open_run(root, "demo.v1", make_contestant(root, "epsilon"))
    end_open_run(root, given_up.run_id, "out of money")
    rehearsed = make_run(root, "demo.v1", "zeta", channel="exploratory")
    unit = judge(root, "demo.v1")
    assert [report.run_id for report in unit.reports] == [published.run_id]
    assert {run.run_id: [refusal.slug for refusal in run.refusals] for run in unit.refused} == {
        withdrawn.run_id: ["report-withdrawn"],
        failed.run_id: ["null-pack-failed"],
        still_open.run_id: ["run-open"],
        given_up.run_id: ["run-ended"],
        rehearsed.run_id: ["channel-exploratory"],
    }


def test_opaque_ids_are_mapped_back_and_true_ones_are_labelled(root: Path) -> None:
    run = opened(root)
    true = transcripts(run)
    opaque = [Transcript(**{**fields(row), "task_id": run.opaque[row.task_id]}) for row in true]
    assert true_ids(run, opaque) == (true, "opaque")
    assert true_ids(run, true) == (true, "visible")
    assert true_ids(run, [opaque[0], true[1]])[1] == "visible"


def fields(row: Transcript) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__struct_fields__}


def test_a_report_is_canonical_and_states_every_zero(root: Path) -> None:
    run = opened(root)
    close(run, transcripts(run))
    value = json.loads((run.run_folder / "report.json").read_bytes())
    assert value["counts"]["ordinary"] == {
        "success": 3,
        "miss": 0,
        "false_abstain": 0,
        "over_budget": 0,
        "error": 0,
        "timeout": 0,
    }
    assert value["made_by"] == {"how": "score", "tool": TOOL}
