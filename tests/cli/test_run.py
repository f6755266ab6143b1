"""`sitegen run` by the command line alone: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from tests.harness.exam_kit import PLAIN, SOLVER, Exam, make_exam, ordinary


@pytest.fixture
def exam(tmp_path: Path) -> Exam:
    return make_exam(tmp_path)


def test_it_prints_the_whole_scorecard_and_the_next_command(exam: Exam) -> None:
    done = exam.call("run", exam.protocol, "--manifest", str(exam.contestant()), "--isolation", "none")
    assert done.returncode == 0
    for part in ("task success", "abstention accuracy", "invalid completion", "false abstention", "null pack"):
        assert part in done.stdout
    assert "isolation none" in done.stderr
    assert "next: sitegen build" in done.stderr


def test_a_program_gets_one_object(exam: Exam) -> None:
    done = exam.call("run", exam.protocol, "--manifest", str(exam.contestant()), "--format", "json", "--quiet")
    assert done.stderr == ""
    said = json.loads(done.stdout)
    assert said["reason"] is None
    assert (exam.reports / said["run_id"] / "report.json").is_file()


def test_a_run_without_figures_is_an_honest_end(exam: Exam) -> None:
    manifest = exam.contestant({"solve.sh": "exit 1\n"})
    done = exam.call("run", exam.protocol, "--manifest", str(manifest), "--format", "json", "--quiet")
    assert done.returncode == 0
    said = json.loads(done.stdout)
    assert (said["reason"], said["report_sha256"]) == ("null-pack-failed", None)
    assert "null-pack-failed: NP-PASS is must_pass" in done.stderr


def test_a_start_made_before_is_sat(exam: Exam) -> None:
    manifest = exam.contestant()
    started = exam.call("start", exam.protocol, "--manifest", str(manifest))
    run_id = started.stdout.strip()
    folder = str(exam.reports / run_id)
    done = exam.call("run", exam.protocol, "--run", folder, "--isolation", "none", "--format", "json")
    assert json.loads(done.stdout)["run_id"] == run_id
    again = exam.call("run", exam.protocol, "--run", run_id, "--isolation", "none")
    assert again.returncode == 2
    assert "ended" in again.stderr


def test_a_rehearsal_says_what_it_is(exam: Exam) -> None:
    manifest = exam.contestant(channel="exploratory")
    done = exam.call("run", exam.protocol, "--manifest", str(manifest), "--isolation", "none")
    assert done.returncode == 0
    assert "exploratory" in done.stdout
    assert "task success" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--manifest"),
        (["--manifest", "nowhere.yaml"], "nowhere.yaml"),
        (["--run", "no-such-run"], "no-such-run"),
        (["--manifest", "M", "--jobs", "0"], "at least 1"),
        (["--manifest", "M", "--jobs", "many"], "--jobs"),
        (["--manifest", "M", "--isolation", "jail"], "jail"),
        (["--manifest", "M", "--isolation", "none", "--network"], "--network"),
        (["--manifest", "M", "--resume"], "no run"),
        (["--manifest", "M", "--executor", "ssh://x"], "dask://"),
    ],
)
def test_misuse(exam: Exam, arguments: list[str], said: str) -> None:
    manifest = str(exam.contestant())
    done = exam.call("run", exam.protocol, *(manifest if part == "M" else part for part in arguments))
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_what_stops_before_the_start_leaves_no_run_behind(exam: Exam) -> None:
    """A run in the ledger counts for ever: options that do not go together must not open one."""
    manifest = str(exam.contestant())
    exam.call("run", exam.protocol, "--manifest", manifest, "--isolation", "none", "--network")
    exam.call("run", exam.protocol, "--manifest", manifest, "--executor", "ssh://x")
    exam.call("run", exam.protocol, "--manifest", manifest, "--isolation", "bwrap", env={"PATH": "/nowhere"})
    exam.call("run", exam.protocol, "--manifest", str(exam.contestant(command=["no-such-program"])))
    assert not [path for path in exam.reports.iterdir() if path.name != "ledger"]


def test_a_cancelled_job_ends_as_cleanly_as_control_c(tmp_path: Path) -> None:
    exam = make_exam(tmp_path, [*PLAIN, ordinary("D-SLOW", "x", act="slow")])
    manifest = exam.contestant({"solve.sh": SOLVER, "act-slow.sh": "sleep 60\n"})
    process = exam.start("run", exam.protocol, "--manifest", str(manifest), "--isolation", "none")
    while not any(len(path.read_bytes().splitlines()) == 7 for path in exam.reports.glob("*/transcripts.jsonl")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "--resume" in err
    assert "Traceback" not in err
