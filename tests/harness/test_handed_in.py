"""Transcripts that another harness made close the run that was announced for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen.harness.handed_in import score_handed_in
from sitegen.harness.handout import write_handout
from sitegen.harness.opening import OpenRun, open_rehearsal, open_run
from sitegen.refusals import Refused
from tests.sites import judge, make_contestant, make_protocol

ANSWERS = {"Say 1.": "1", "Say 2.": "2", "Say 3.": "3", "Say yes.": "yes", "Say what was leaked.": "nothing was"}


def answered(run: OpenRun, path: Path, **changes: object) -> Path:
    """What a harness makes of the tasks that it was handed."""
    write_handout(run, path)
    rows = []
    for line in path.read_text().splitlines():
        task = json.loads(line)
        answer = ANSWERS.get(task["prompt"])
        row: dict[str, object] = {"task_id": task["id"], "pack": task["pack"]}
        row.update(abstained=answer is None, artifact=answer)
        row.update(status="ok", route="alpha-1.0", retries=0, tool_calls=0, wall_clock_sec=None)
        rows.append({**row, **changes})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_protocol(tmp_path, ordinary=3, negative=1)
    return tmp_path


def test_tasks_out_and_transcripts_in_give_a_report_under_the_true_ids(root: Path) -> None:
    run = open_run(root, "demo.v1", make_contestant(root, "alpha"))
    score_handed_in(run, answered(run, root / "given.jsonl"))
    (report,) = judge(root, "demo.v1").reports
    assert report.card.success.k == 3
    assert [row.id for row in report.rows] == ["T-001", "T-002", "T-003", "N-001"]
    assert (report.report.made_by.how, report.report.made_by.ids) == ("score", "opaque")
    assert report.card.covariates.wall_clock_sec.total is None


def test_transcripts_with_a_fault_leave_a_started_run_open(root: Path) -> None:
    run = open_run(root, "demo.v1", make_contestant(root, "alpha"))
    with pytest.raises(Refused, match="field-type"):
        score_handed_in(run, answered(run, root / "given.jsonl", abstained="no"))
    assert [refusal.slug for refusal in judge(root, "demo.v1").all_refusals] == ["run-open"]


@pytest.mark.parametrize("changes", [{"abstained": "no"}, {"artifact": "always the same"}])
def test_a_rehearsal_without_a_report_leaves_nothing(changes: dict[str, object], root: Path) -> None:
    """Neither malformed transcripts nor a failed null pack may leave a folder that nothing accounts for."""
    run = open_rehearsal(root, "demo.v1", make_contestant(root, "alpha"))
    path = answered(run, root / "given.jsonl", **changes)
    if changes.get("abstained"):
        with pytest.raises(Refused):
            score_handed_in(run, path)
    else:
        assert score_handed_in(run, path).reason == "null-pack-failed"
    assert not run.run_folder.exists()
    assert judge(root, "demo.v1").all_refusals == []
