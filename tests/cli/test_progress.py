"""Progress is a bar on a terminal, a line now and then elsewhere, and nothing where nothing was asked for."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.cli.console import Console
from sitegen.cli.progress import described, watching
from sitegen.harness.progress import Progress
from tests.harness.exam_kit import ROOT, make_exam


def at(done: int, seconds: float, phase: str = "dataset", passed: int | None = 3) -> Progress:
    return Progress(
        phase=phase,
        total=7200,
        done=done,
        resumed=0,
        passed=passed,
        abstained=2,
        errors=1,
        seconds=seconds,
    )


def test_a_moment_as_one_line() -> None:
    line = "dataset: 10/7200 done, 3 passed, 2 abstained, 1 errors, 2.5/s, 0:47:56 left"
    assert described(at(10, 4.0)) == line
    assert described(at(10, 4.0, passed=None)) == line.replace(" 3 passed,", "")
    assert described(at(0, 0.0)) == "dataset: 0/7200 done, 3 passed, 2 abstained, 1 errors"


def test_plain_lines_come_at_a_phase_s_begin_now_and_then_and_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(Console()) as watch:
        for done, seconds, phase in ((0, 0, "null pack"), (1, 1, "null pack"), (3, 2, "dataset"), (4, 3, "dataset")):
            watch(at(done, seconds, phase))
        watch(at(5, 12.5))
        watch(at(6, 13))
        watch(at(7200, 14))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert [line.split(" done")[0] for line in captured.err.splitlines()] == [
        "null pack: 0/7200",
        "dataset: 3/7200",
        "dataset: 5/7200",
        "dataset: 7200/7200",
    ]


@pytest.mark.parametrize("console", [Console(quiet=True), Console("json")])
def test_nothing_is_said_where_nothing_was_asked_for(console: Console, capsys: pytest.CaptureFixture[str]) -> None:
    with watching(console) as watch:
        watch(at(7200, 1))
    captured = capsys.readouterr()
    assert captured.out + captured.err == ""


def test_a_terminal_gets_a_live_bar_and_plain_results(tmp_path: Path) -> None:
    exam = make_exam(tmp_path)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "sitegen", "run", exam.protocol, "--manifest", str(exam.contestant())]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(
        [*command, "--isolation", "none"], cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert b"\x1b[" in shown
    assert b"done" in shown
    assert b"abstained" in shown
    assert b"\x1b" not in out
    assert b"task success" in out
