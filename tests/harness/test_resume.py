"""An interrupted run goes on after its last whole row, as the same contestant, and the interruption is counted."""

from __future__ import annotations

import json
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.resume import is_open, resume_run
from sitegen.refusals import Misuse, Refused
from tests.harness.exam_kit import PLAIN, PROTOCOL_ID, SOLVER, Exam, make_exam, negative, ordinary, report_of, rows_of

SLOW_SOLVER = SOLVER.replace("say=$(", "sleep 0.02\nsay=$(", 1)


def many(count: int) -> list[dict[str, Any]]:
    tasks = [ordinary(f"D-{i}", f"say {i}", oracle=None if i % 3 else "another") for i in range(count)]
    return [*tasks, *(negative(f"N-{i}", "" if i % 2 else "made up") for i in range(count // 3))]


def started(exam: Exam, manifest: Path) -> str:
    done = exam.call("start", exam.protocol, "--manifest", str(manifest), "--format", "json")
    run_id: str = json.loads(done.stdout)["run_id"]
    return run_id


def comparable(report: dict[str, Any]) -> dict[str, Any]:
    """A report without what may differ between two runs of one contestant: ids, ledger, covariates."""
    left_out = {"run_id", "start_sha256", "covariates", "made_by"}
    kept = {key: value for key, value in report.items() if key not in left_out}
    kept["digests"] = {key: value for key, value in report["digests"].items() if key != "transcripts"}
    kept["tasks"] = [{key: row[key] for key in ("id", "kind", "outcome", "artifact_sha256")} for row in report["tasks"]]
    return kept


def kill_through(exam: Exam, run_id: str, kills: int, longest: float, seed: int) -> int:
    """Kill the runner at so many random moments and let it end at last; return how often it was killed at work."""
    chance = random.Random(seed)
    killed = 0
    command = ("run", exam.protocol, "--run", run_id, "--resume", "--isolation", "none", "--jobs", "2", "--quiet")
    for _ in range(kills):
        process = exam.start(*command)
        time.sleep(chance.uniform(0, longest))
        if process.poll() is None:
            killed += 1
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if exam.ends():
            break
    if not exam.ends():
        done = exam.call(*command)
        assert done.returncode == 0, done.stderr
    return killed


def check_killed_run(tmp_path: Path, count: int, kills: int, longest: float, seed: int) -> int:
    exam = make_exam(tmp_path, many(count))
    manifest = exam.contestant({"solve.sh": SLOW_SOLVER})
    _, undisturbed = exam.run(manifest, "--isolation", "none", "--jobs", "2")
    for path in (exam.reports / "ledger").glob("*.json"):
        if json.loads(path.read_bytes())["event"] == "end":
            path.unlink()  # so that `ends` is of the killed run alone
    run_id = started(exam, manifest)
    killed = kill_through(exam, run_id, kills, longest, seed)
    folder = exam.reports / run_id
    assert len(rows_of(folder)) == 3 + count + count // 3, "a row for each task, and none twice"
    report = report_of(folder)
    assert comparable(report) == comparable(undisturbed)
    assert report["made_by"]["interruptions"] <= killed
    return killed


def test_a_runner_killed_at_random_moments_loses_and_doubles_no_row(tmp_path: Path) -> None:
    assert check_killed_run(tmp_path, count=90, kills=5, longest=1.2, seed=20261130) >= 3


@pytest.mark.slow
def test_a_runner_killed_at_fifty_random_moments(tmp_path: Path) -> None:
    killed = 0
    for turn in range(10):
        killed += check_killed_run(tmp_path / str(turn), count=240, kills=10, longest=1.2, seed=turn)
        if killed >= 50:
            break
    assert killed >= 50


def test_control_c_ends_cleanly_and_says_how_to_go_on(tmp_path: Path) -> None:
    exam = make_exam(tmp_path, many(60))
    manifest = exam.contestant({"solve.sh": SLOW_SOLVER})
    run_id = started(exam, manifest)
    process = exam.start("run", exam.protocol, "--run", run_id, "--isolation", "none")
    transcripts = exam.reports / run_id / "transcripts.jsonl"
    while not transcripts.exists() or len(transcripts.read_bytes().splitlines()) < 5:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "Traceback" not in err
    again = f"sitegen run {exam.protocol} --run {run_id} --resume"
    assert again in err
    kept = transcripts.read_bytes()
    assert kept.endswith(b"\n")
    assert exam.ends() == []
    _, report = exam.run(manifest, "--run", run_id, "--resume", "--isolation", "none")
    assert transcripts.read_bytes().startswith(kept)
    assert report["made_by"]["interruptions"] == 1


def test_a_torn_last_row_is_dropped_and_its_task_tried_again(tmp_path: Path) -> None:
    exam = make_exam(tmp_path)
    manifest = exam.contestant()
    run_id = started(exam, manifest)  # before the rows that it gets: none may claim to be older than its run
    folder, report = exam.run(manifest, "--isolation", "none")
    lines = (folder / "transcripts.jsonl").read_bytes().splitlines(keepends=True)
    (exam.reports / run_id / "transcripts.jsonl").write_bytes(b"".join(lines[:4]) + lines[4][:30])
    _, resumed = exam.run(manifest, "--run", run_id, "--resume", "--isolation", "none")
    rows = (exam.reports / run_id / "transcripts.jsonl").read_bytes().splitlines(keepends=True)
    assert rows[:4] == lines[:4]
    assert comparable(resumed) == comparable(report)


def test_a_run_that_has_rows_goes_on_only_when_told(tmp_path: Path) -> None:
    exam = make_exam(tmp_path)
    manifest = exam.contestant()
    folder, _ = exam.run(manifest, "--isolation", "none")
    run_id = started(exam, manifest)
    line = (folder / "transcripts.jsonl").read_bytes().splitlines(keepends=True)[0]
    (exam.reports / run_id / "transcripts.jsonl").write_bytes(line)
    done = exam.call("run", exam.protocol, "--run", run_id, "--isolation", "none")
    assert done.returncode == 2
    assert "--resume" in done.stderr


@pytest.mark.parametrize("row", [{"task_id": "D-UNKNOWN"}, {"task_id": "NP-PASS"}, {"status": "fine"}])
def test_rows_that_are_not_this_run_s_are_refused(tmp_path: Path, row: dict[str, str]) -> None:
    exam = make_exam(tmp_path)
    manifest = exam.contestant()
    folder, _ = exam.run(manifest, "--isolation", "none")
    run_id = started(exam, manifest)
    lines = (folder / "transcripts.jsonl").read_bytes().splitlines()
    foreign = json.dumps({**json.loads(lines[-1]), **row}).encode()
    (exam.reports / run_id / "transcripts.jsonl").write_bytes(b"\n".join([*lines[:3], foreign, b""]))
    done = exam.call("run", exam.protocol, "--run", run_id, "--resume", "--isolation", "none")
    assert done.returncode == 1
    assert "refused" in done.stderr


def test_the_open_run_of_a_manifest_is_found(tmp_path: Path) -> None:
    exam = make_exam(tmp_path)
    manifest = exam.contestant()
    with pytest.raises(Misuse, match="no run"):
        resume_run(tmp_path, PROTOCOL_ID, None, manifest)
    first = started(exam, manifest)
    assert resume_run(tmp_path, PROTOCOL_ID, None, manifest).run_id == first
    other = exam.contestant(name="other", route="other-1")
    started(exam, other)
    assert resume_run(tmp_path, PROTOCOL_ID, None, manifest).run_id == first
    second = started(exam, manifest)
    with pytest.raises(Misuse, match="2 runs") as caught:
        resume_run(tmp_path, PROTOCOL_ID, None, manifest)
    assert first in str(caught.value)
    assert second in str(caught.value)
    assert resume_run(tmp_path, PROTOCOL_ID, second, None).run_id == second


def test_another_manifest_or_solver_cannot_take_over_a_run(tmp_path: Path) -> None:
    exam = make_exam(tmp_path)
    manifest = exam.contestant()
    run_id = started(exam, manifest)
    exam.contestant(retry_limit=2)
    with pytest.raises(Refused, match="manifest-drift"):
        resume_run(tmp_path, PROTOCOL_ID, run_id, manifest)
    exam.contestant({"solve.sh": SOLVER + "\n"})
    with pytest.raises(Refused, match="evidence-mismatch"):
        resume_run(tmp_path, PROTOCOL_ID, run_id, manifest)
    locked = exam.reports / run_id / "solver" / "solve.sh"
    locked.write_text("printf changed\n")
    exam.contestant()
    with pytest.raises(Refused, match="evidence-mismatch"):
        resume_run(tmp_path, PROTOCOL_ID, run_id, manifest)


def test_two_runners_cannot_sit_one_run(tmp_path: Path) -> None:
    exam = make_exam(tmp_path, [*PLAIN, ordinary("D-SLOW", "x", act="slow")])
    manifest = exam.contestant({"solve.sh": SOLVER, "act-slow.sh": "sleep 3; printf x\n"})
    run_id = started(exam, manifest)
    first = exam.start("run", exam.protocol, "--run", run_id, "--isolation", "none", "--quiet")
    transcripts = exam.reports / run_id / "transcripts.jsonl"
    while not transcripts.exists() or len(transcripts.read_bytes().splitlines()) < 7:
        time.sleep(0.01)
    second = exam.call("run", exam.protocol, "--run", run_id, "--resume", "--isolation", "none")
    assert second.returncode == 2
    assert "another process" in second.stderr
    first.communicate(timeout=60)
    assert first.returncode == 0


def test_a_run_is_open_from_its_start_to_its_end_while_its_ledger_is_whole(tmp_path: Path) -> None:
    exam = make_exam(tmp_path)
    run = resume_run(tmp_path, PROTOCOL_ID, started(exam, exam.contestant()), None)
    assert is_open(run)
    (event,) = (exam.reports / "ledger").glob(f"{run.start_sha256}.json")
    data = event.read_bytes()
    event.write_bytes(data[:-1])
    assert not is_open(run)
    event.write_bytes(data)
    assert exam.call("end", run.run_id, "--reason", "no more of it").returncode == 0
    assert not is_open(run)
