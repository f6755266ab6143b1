"""Rows are counted as they come, and a metric that fails does not stop them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.marking import Marker
from sitegen.harness.opening import open_run
from sitegen.harness.progress import Progress
from sitegen.harness.tally import Tally
from tests.harness.exam_kit import PROTOCOL_ID, make_exam
from tests.harness.test_gate import JUDGE, row

ROWS = [
    row("NP-PASS", "null pack"),
    row("NP-REFUSE", None, abstained=True),
    row("D-1", "one", pack="dataset"),
    row("D-2", "two", pack="dataset"),
    row("N-1", None, pack="dataset", status="timeout"),
    row("N-2", "one", pack="dataset", status="error"),
]


def counted(tmp_path: Path, beside: bool = False, **exam: Any) -> Progress:
    run = open_run(tmp_path, PROTOCOL_ID, make_exam(tmp_path, **exam).contestant())
    with Marker(run.protocol, run.pack, run.protocol_folder) as marker, Tally(run, marker, beside=beside) as tally:
        for part in ROWS:
            tally.count(part)
        tally.settle()
        assert marker.verdicts == []
        return tally.progress("dataset", 2, 1.5)


@pytest.mark.parametrize("beside", [False, True])
def test_done_passed_abstained_and_errors(tmp_path: Path, beside: bool) -> None:
    assert counted(tmp_path, beside) == Progress(
        phase="dataset",
        total=7,
        done=6,
        resumed=2,
        passed=1,
        abstained=1,
        errors=2,
        seconds=1.5,
    )


def test_a_judge_is_not_asked_meanwhile(tmp_path: Path) -> None:
    assert counted(tmp_path, metric=JUDGE).passed is None


@pytest.mark.parametrize("beside", [False, True])
def test_a_metric_that_fails_does_not_stop_the_rows(tmp_path: Path, beside: bool) -> None:
    exam = make_exam(tmp_path)
    run = open_run(tmp_path, PROTOCOL_ID, exam.contestant())
    with Marker(run.protocol, run.pack, run.protocol_folder) as marker:
        (run.protocol_folder / "metric.py").write_text("def score(result, oracle_path): raise ValueError\n")
        with Tally(run, marker, beside=beside) as tally:
            for part in ROWS:
                tally.count(part)
            tally.settle()
    assert tally.progress("dataset", 0, 1).passed is None


def test_who_counts_is_not_kept_waiting_and_who_is_interrupted_does_not_wait(tmp_path: Path) -> None:
    exam = make_exam(tmp_path, metric="import time\n\n\ndef score(result, oracle_path):\n    time.sleep(25)\n")
    run = open_run(tmp_path, PROTOCOL_ID, exam.contestant())
    began = time.monotonic()

    def interrupted() -> None:
        with Marker(run.protocol, run.pack, run.protocol_folder) as marker, Tally(run, marker, beside=True) as tally:
            for part in ROWS:
                tally.count(part)
            assert tally.progress("dataset", 0, 1).done == len(ROWS)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert time.monotonic() - began < 15
