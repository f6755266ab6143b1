"""Every assignment's conduct comes back exactly once, several at once, though supervisors die."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.harness.assignment import Assignment, Conduct
from sitegen.harness.executor import MOST_DEATHS, LocalExecutor
from tests.harness.assignments import assignment
from tests.harness.exam_kit import ROOT

BOUNDED = not subprocess.run(
    [
        sys.executable,
        "-c",
        "from sitegen.harness.cgroup import at_most\nwith at_most(99) as b: raise SystemExit(not b)",
    ],
    cwd=ROOT,
    check=False,
    timeout=60,
).returncode


def same(conduct: Conduct) -> Conduct:
    """Keep nothing of it."""
    return conduct


def many(folder: Path, script: str, count: int) -> list[Assignment]:
    return [assignment(folder, script, opaque_id=f"t-{number}") for number in range(count)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_each_comes_back_once(tmp_path: Path, jobs: int) -> None:
    with LocalExecutor(jobs) as executor:
        found = [conduct.stdout.decode() for conduct in executor.conduct(many(tmp_path / "s", "printf $1", 12), same)]
        again = [conduct.stdout.decode() for conduct in executor.conduct(many(tmp_path / "s", "printf $1", 2), same)]
    assert sorted(found) == sorted(f"t-{number}" for number in range(12))
    assert sorted(again) == ["t-0", "t-1"]
    assert executor.deaths == 0


def test_one_at_a_time_keeps_the_order(tmp_path: Path) -> None:
    with LocalExecutor(1) as executor:
        found = [conduct.opaque_id for conduct in executor.conduct(many(tmp_path / "s", "exit", 6), same)]
    assert found == [f"t-{number}" for number in range(6)]


@pytest.mark.parametrize(("jobs", "ahead"), [(1, 0), (3, 1)])
def test_one_job_begins_the_next_task_only_when_the_last_row_is_kept(tmp_path: Path, jobs: int, ahead: int) -> None:
    taken: list[str] = []
    at_keeping: list[int] = []

    def source() -> Iterator[Assignment]:
        for task in many(tmp_path / "s", "exit", 8):
            taken.append(task.opaque_id)
            yield task

    with LocalExecutor(jobs) as executor:
        list(executor.conduct(source(), lambda conduct: at_keeping.append(len(taken))))
    assert at_keeping == [min(8, jobs + kept + ahead) for kept in range(8)]


@pytest.mark.parametrize(("jobs", "begun"), [(1, [1, 2, 3]), (2, [3, 4, 4])])
def test_what_comes_after_keeping_falls_beside_other_solvers_but_beside_none_of_one_job(
    tmp_path: Path, jobs: int, begun: list[int]
) -> None:
    taken: list[str] = []

    def source() -> Iterator[Assignment]:
        for task in many(tmp_path / "s", "exit", 4):
            taken.append(task.opaque_id)
            yield task

    with LocalExecutor(jobs) as executor:
        conducts = executor.conduct(source(), same)
        assert [len(taken) for _ in zip(range(3), conducts, strict=False)] == begun


def test_what_keeping_raises_ends_it(tmp_path: Path) -> None:
    def fail(conduct: Conduct) -> None:
        raise OSError("the disk is full")

    with LocalExecutor(2) as executor, pytest.raises(OSError, match="the disk is full"):
        list(executor.conduct(many(tmp_path / "s", "exit", 5), fail))


def test_solvers_run_at_the_same_time(tmp_path: Path) -> None:
    """Each waits for all others."""
    place = tmp_path / "arrived"
    place.mkdir()
    script = f"touch {place}/$1; until [[ $(ls {place} | wc -l) == 4 ]]; do sleep 0.05; done; printf $1"
    with LocalExecutor(4) as executor:
        found = [conduct.stdout.decode() for conduct in executor.conduct(many(tmp_path / "s", script, 4), same)]
    assert sorted(found) == [f"t-{number}" for number in range(4)]


def test_a_dead_supervisor_is_replaced_and_its_task_tried_again(tmp_path: Path) -> None:
    script = (
        f"if [[ $1 == t-2 && ! -e {tmp_path}/died ]]; then touch {tmp_path}/died; kill -9 $PPID; sleep 9; fi; printf $1"
    )
    with LocalExecutor(2) as executor:
        found = [conduct.stdout.decode() for conduct in executor.conduct(many(tmp_path / "s", script, 6), same)]
    assert sorted(found) == sorted(f"t-{number}" for number in range(6))
    assert executor.deaths == 1


def test_a_task_over_which_supervisors_keep_dying_stops_the_run(tmp_path: Path) -> None:
    with LocalExecutor(1) as executor, pytest.raises(OSError, match=f"{MOST_DEATHS} supervisors died"):
        list(executor.conduct(many(tmp_path / "s", "kill -9 $PPID; sleep 9", 1), same))


def alive(pid: str) -> bool:
    """Whether a process runs; one that ended and was not waited for has no command any more."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except OSError:
        return False


def test_a_dead_supervisor_leaves_no_folder_and_where_it_had_a_group_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    script = f"(setsid bash -c 'echo $$ >>{tmp_path}/pids; exec sleep 60' &); sleep 0.5; kill -9 $PPID; sleep 60"
    with LocalExecutor(1) as executor, pytest.raises(OSError, match="died"):
        list(executor.conduct(many(tmp_path / "s", script, 1), same))
    assert list(place.iterdir()) == []
    left = [pid for pid in (tmp_path / "pids").read_text().split() if alive(pid)]
    if left and not BOUNDED:
        pytest.skip("without a control group nobody knows what a killed supervisor leaves behind")
    assert left == []


def test_leaving_early_ends_what_is_under_way(tmp_path: Path) -> None:
    began = time.monotonic()
    with LocalExecutor(2) as executor:
        next(executor.conduct(many(tmp_path / "s", "[[ $1 == t-0 ]] || sleep 60", 3), same))
    assert time.monotonic() - began < 20


def test_what_the_machine_cannot_do_is_raised(tmp_path: Path) -> None:
    task = assignment(tmp_path / "s", "exit", files={"a": b"", "a/b": b""})
    with LocalExecutor(1) as executor, pytest.raises(OSError, match="File exists"):
        list(executor.conduct([task], same))
