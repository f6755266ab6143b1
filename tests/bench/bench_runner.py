"""What the examiner costs above the bare subprocess, and what a second job gives, on 2,000 trivial tasks.

    python tests/bench/bench_runner.py [TASKS] [ROUNDS]

The bare subprocess is `bash solve.sh ID` with its output captured, in one folder, one after the other. The runner does
the same with all that belongs to it: fresh workspace, limits, supervision, the row on the disk, the metric, the report.
How much two bare subprocesses at once give is what the machine has to give: on some, two processors are less than twice
one, and namespaces are made and taken down by a kernel that does so one after the other. Two at once are therefore
measured bare and under a bare bubblewrap. All parts are measured in the same run, one after the other in each of the
rounds; medians are told, since disks and neighbours are not the same from minute to minute. Exit status 1 when a limit
is missed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sitegen.harness.exam import ExamOptions, examine
from sitegen.harness.isolation import Isolation, Level, Places, bwrap_fault, seen_by_solver, wrapped
from sitegen.harness.opening import open_run
from tests.harness.exam_kit import NULL_PACK, PROTOCOL_ID, Row, make_exam, negative, ordinary

ROOT = Path(__file__).resolve().parents[2]
LIMITS: dict[Level, float] = {"none": 15.0, "bwrap": 40.0}
"""Most milliseconds of overhead a task."""

SPEED_UP = 1.7
"""Least throughput of two jobs, in that of one."""

SOLVER = """\
read -r task <"$TASK_JSON"
say=${task##*\\"say\\": \\"}
say=${say%%\\"*}
if [[ -z $say ]]; then exit 75; fi
printf %s "$say"
"""


def bare(folder: Path, tasks: int, level: Level = "none") -> float:
    """Seconds a task of the subprocess alone, or of bubblewrap with nothing else around it."""
    places = Places(**{name: str(folder / name) for name in ("solver", "task", "exchange", "home", "temporary")})
    for place in (places.solver, places.task, places.exchange, places.home, places.temporary):
        Path(place).mkdir(parents=True, exist_ok=True)
    isolation = Isolation(level=level)
    seen = seen_by_solver(places, isolation)
    Path(places.solver, "solve.sh").write_text(SOLVER)
    Path(places.task_json).write_text('{"id": "t-0", "say": "x"}\n')
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "TASK_JSON": seen.task_json}
    began = perf_counter()
    for number in range(tasks):
        command = wrapped(["bash", f"{seen.solver}/solve.sh", str(number)], places, isolation)
        subprocess.run(command, env=env, capture_output=True, check=True)
    return (perf_counter() - began) / tasks


def at_once(folders: Sequence[Path], tasks: int, level: Level) -> float:
    """Tasks a second of bare subprocesses in all ``folders`` at once, each started by a process of its own."""
    code = "from tests.bench.bench_runner import bare, Path; import sys; "
    code += "print(bare(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))"
    commands = [[sys.executable, "-c", code, str(folder), str(tasks), level] for folder in folders]
    started = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for command in commands]
    return sum(1 / float(process.communicate()[0]) for process in started)


def examined(folder: Path, rows: list[Row], level: Level, jobs: int) -> float:
    """Seconds a task of a whole run, its start and its report included."""
    exam = make_exam(folder, rows, NULL_PACK)
    run = open_run(folder, PROTOCOL_ID, exam.contestant({"solve.sh": SOLVER}))
    isolation = Isolation(level=level)
    began = perf_counter()
    closed, _ = examine(run, ExamOptions(isolation=isolation, jobs=jobs), lambda progress: None)
    seconds = perf_counter() - began
    assert closed.card is not None, closed.reason
    assert closed.card.success.k == closed.card.success.n == len(rows) - 1
    return seconds / len(rows)


def main() -> int:
    """Measure and print; return the exit status."""
    count, rounds = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 2000), (2, 3)))
    rows = [*(ordinary(f"D-{number}", f"say {number}") for number in range(count - 1)), negative("N-1")]
    kept = True
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        folders = [place / "bare", place / "beside"]
        for folder in folders:
            folder.mkdir()
        bare_ms = 1000 * median(bare(folders[0], count) for _ in range(rounds))
        print(f"{count} tasks, {rounds} rounds: the bare subprocess takes {bare_ms:.2f} ms")
        fault = bwrap_fault()
        for level, limit in LIMITS.items():
            if level == "bwrap" and fault is not None:
                print(f"bwrap is left out: {fault}")
                continue
            alone = median(bare(folders[0], count, level) for _ in range(rounds))
            ceiling = median(at_once(folders, count, level) for _ in range(rounds)) * alone
            took: dict[int, list[float]] = {1: [], 2: []}
            for number in range(rounds):
                for jobs, seconds in took.items():
                    seconds.append(examined(place / f"{level}{jobs}-{number}", rows, level, jobs))
            one, two = (median(seconds) for seconds in took.values())
            overhead, speed_up = 1000 * one - bare_ms, one / two
            print(
                f"{level:<6} {1000 * one:6.2f} ms a task, {overhead:6.2f} ms above it (limit {limit:g} ms), "
                f"ratio {1000 * one / bare_ms:.2f}; two jobs {1000 * two:6.2f} ms, {speed_up:.2f} times the throughput "
                f"(limit {SPEED_UP:g}; without the runner two at once give {ceiling:.2f} times one)"
            )
            kept = kept and overhead < limit and speed_up >= SPEED_UP
    if not kept:
        print("MISSED")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
