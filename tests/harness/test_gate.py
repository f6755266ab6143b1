"""The null pack gates: each class by what was observed, and the metric is asked once for each answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.gate import failed_rows, reason_of
from sitegen.harness.marking import Marker
from sitegen.harness.opening import OpenRun, open_run
from sitegen.read.transcript import Transcript
from tests.harness.exam_kit import PROTOCOL_ID, make_exam

JUDGE = """
from pathlib import Path
def score(result, oracle_path):
    return {"pass": result == Path(oracle_path).read_text(), "metric": "judge", "model": "judge-1", "reply": result}
"""


def row(task_id: str, artifact: str | None, **more: Any) -> Transcript:
    fields: dict[str, Any] = {
        "pack": "null_pack",
        "status": "ok",
        "abstained": False,
        "route": "kit-1",
        "retries": None,
        "tool_calls": None,
        "wall_clock_sec": 0.1,
        **more,
    }
    return Transcript(task_id=task_id, artifact=artifact, **fields)


GOOD = [row("NP-PASS", "null pack"), row("NP-FAIL", "wrong"), row("NP-REFUSE", None, abstained=True)]


@pytest.fixture
def run(tmp_path: Path) -> OpenRun:
    return open_run(tmp_path, PROTOCOL_ID, make_exam(tmp_path).contestant())


def marker(run: OpenRun) -> Marker:
    return Marker(run.protocol, run.pack, run.protocol_folder)


@pytest.mark.parametrize(
    ("rows", "failed"),
    [
        (GOOD, {}),
        ([row("NP-PASS", "wrong"), *GOOD[1:]], {"NP-PASS": "failed"}),
        ([row("NP-PASS", None, abstained=True), *GOOD[1:]], {"NP-PASS": "refused"}),
        ([GOOD[0], row("NP-FAIL", "right"), GOOD[2]], {"NP-FAIL": "passed"}),
        ([GOOD[0], row("NP-FAIL", None, abstained=True), GOOD[2]], {}),
        ([GOOD[0], row("NP-FAIL", None, status="error"), GOOD[2]], {"NP-FAIL": "error"}),
        ([*GOOD[:2], row("NP-REFUSE", None)], {"NP-REFUSE": "failed"}),
        ([*GOOD[:2], row("NP-REFUSE", "x", abstained=True)], {"NP-REFUSE": "answered"}),
        ([*GOOD[:2], row("NP-REFUSE", None, abstained=True, files_touched=1)], {"NP-REFUSE": "answered"}),
        ([*GOOD[:2], row("NP-REFUSE", None, status="timeout")], {"NP-REFUSE": "timeout"}),
    ],
)
def test_each_class_by_what_was_observed(run: OpenRun, rows: list[Transcript], failed: dict[str, str]) -> None:
    with marker(run) as asked:
        assert {found.id: found.observed for found in failed_rows(run, rows, asked)} == failed


def test_the_reason_says_which_row_what_it_asks_and_what_was_seen(run: OpenRun) -> None:
    dead = row("NP-PASS", None, status="error", extra={"why": "exit code 127"})
    with marker(run) as asked:
        (found,) = failed_rows(run, [dead, *GOOD[1:]], asked)
    assert reason_of(found, dead) == (
        "NP-PASS is must_pass and asks for the metric to pass its answer; it ended in an error (exit code 127)"
    )


def test_a_judge_is_asked_once_for_each_answer(tmp_path: Path) -> None:
    run = open_run(tmp_path, PROTOCOL_ID, make_exam(tmp_path, metric=JUDGE).contestant())
    null_row, task = run.pack.null_pack[0], run.pack.dataset[0]
    with marker(run) as asked:
        assert [asked.verdict(null_row, "null pack"), asked.verdict(null_row, "null pack")] == [True, True]
        assert [asked.verdict(task, "x"), asked.verdict(task, "one"), asked.verdict(task, "x")] == [False, True, False]
        assert [(verdict.task_id, verdict.reply) for verdict in asked.verdicts] == [
            ("NP-PASS", "null pack"),
            ("D-1", "x"),
            ("D-1", "one"),
        ]
