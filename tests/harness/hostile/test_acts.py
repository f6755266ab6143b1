"""Every hostile act in one run, beside tasks that must not notice: each has the outcome that it deserves."""

from __future__ import annotations

import fcntl
import os
import pickle
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.harness.exam_kit import (
    ROOT,
    SOLVER,
    Row,
    levels,
    make_exam,
    negative,
    ordinary,
    outcomes,
    report_of,
    rows_of,
)

HERE = Path(__file__).parent
CANARY = "canary-5b8e1c"

# act: (outcome as an ordinary task that it knows the answer of, outcome as a control)
DESERVED = {
    "abstain_and_answer": ("false_abstain", "invalid_completion"),
    "answer_and_hang": ("timeout", "invalid_completion"),
    "children": ("success", "invalid_completion"),
    "deep": ("error", "invalid_completion"),
    "escapes": ("miss", "invalid_completion"),
    "forks": ("error", "error"),
    "forks_apart": ("error", "error"),
    "gigabyte": ("error", "invalid_completion"),
    "hang": ("timeout", "timeout"),
    "invalid_utf8": ("error", "error"),
    "large_file": ("error", "invalid_completion"),
    "locked": ("success", "invalid_completion"),
    "loud": ("success", "invalid_completion"),
    "loud_75": ("error", "invalid_completion"),
    "many_files": ("over_budget", "invalid_completion"),
    "many_retries": ("over_budget", "invalid_completion"),
    "memory": ("error", "error"),
    "other_tool": ("over_budget", "invalid_completion"),
    "quiet_75": ("false_abstain", "abstain_ok"),
    "result_link": ("error", "invalid_completion"),
    "result_pipe": ("error", "invalid_completion"),
    "result_torn": ("error", "invalid_completion"),
    "result_typed": ("error", "invalid_completion"),
    "search": ("miss", "invalid_completion"),
    "segfault": ("error", "invalid_completion"),
}
MEBIBYTE = 1 << 20
TIMEOUT_SEC = 10
"""Long enough for every act that ends by itself, on a machine that has much else to do."""

# A process of its own between the tests and the runner: what the tests themselves hold would count as the runner's.
MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""

BOUNDED = subprocess.run(
    [
        sys.executable,
        "-c",
        "from sitegen.harness.cgroup import at_most\nwith at_most(99) as b: raise SystemExit(not b)",
    ],
    cwd=ROOT,
    check=False,
    timeout=60,
).returncode
if BOUNDED != 0 and os.geteuid() == 0:  # nothing binds root's forks here: this act would bring the machine down
    DESERVED.pop("forks_apart")


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A finished run of all acts."""

    level: str
    report: Row
    rows: dict[str, Row]
    folder: Path
    runner_bytes: int


def acts_run(tmp: Path, level: str) -> Ran:
    tasks = []
    for act in DESERVED:
        tasks += [
            ordinary(f"{act}/ordinary", "answer", act=act, note=f"{act} 1"),
            ordinary(f"{act}/beside", act, note="an honest task"),
            negative(f"{act}/negative", "answer", act=act),
        ]
    tasks += [ordinary("canary", "x", oracle=CANARY), negative("honest")]
    exam = make_exam(tmp, tasks, timeout_sec=TIMEOUT_SEC, max_files_touched=3)
    files = {"solve.sh": SOLVER} | {f"act-{act}.sh": (HERE / "acts" / f"{act}.sh").read_text() for act in DESERVED}
    manifest = exam.contestant(files, env=["CANARY", "SITE"])
    options = ("--manifest", str(manifest), "--isolation", level, "--jobs", "2", "--format", "json")
    most = tmp / "most.txt"
    around = (sys.executable, "-c", MEASURED, str(most))
    env = {"CANARY": CANARY, "SITE": str(tmp)}
    with exam.start("run", exam.protocol, *options, env=env, around=around) as process:
        out, err = process.communicate(timeout=300)
    assert process.returncode == 0, out + err
    (folder,) = [path for path in exam.reports.iterdir() if path.name != "ledger"]
    report = report_of(folder)
    runner_bytes = int(most.read_text()) * 1024
    return Ran(level=level, report=report, rows=rows_of(folder), folder=folder, runner_bytes=runner_bytes)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """The run of a level, made once for all workers of a test run."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def run_of(level: str) -> Ran:
        made = shared / f"acts-{level}"
        with (shared / f"acts-{level}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                ran = acts_run(tmp_path_factory.mktemp(level), level)
                made.write_bytes(pickle.dumps(ran))
            found = pickle.loads(made.read_bytes())
        assert isinstance(found, Ran)
        return found

    return run_of


@pytest.fixture
def ran(level: str, runs: Callable[[str], Ran]) -> Ran:
    return runs(level)


pytestmark = levels


@pytest.mark.parametrize("act", DESERVED)
def test_each_act_has_the_outcome_that_it_deserves(ran: Ran, act: str) -> None:
    found = outcomes(ran.report)
    assert (found[f"{act}/ordinary"], found[f"{act}/negative"]) == DESERVED[act], ran.rows[f"{act}/ordinary"]


def test_every_act_is_tried(ran: Ran) -> None:
    assert len(ran.rows) == 3 * len(DESERVED) + 2 + 3
    left_out = {path.stem for path in (HERE / "acts").glob("*.sh")} - set(DESERVED)
    if left_out:
        pytest.skip(f"left out as root without a control group: {left_out}")


def test_the_honest_tasks_beside_them_do_not_notice(ran: Ran) -> None:
    found = outcomes(ran.report)
    assert {found[f"{act}/beside"] for act in DESERVED} == {"success"}
    assert [ran.rows[f"{act}/beside"]["artifact"] for act in DESERVED] == list(DESERVED)
    assert found["honest"] == "abstain_ok"


def test_no_process_survives(ran: Ran) -> None:
    """The children sleep for 86399 seconds, and nothing else on a machine does."""
    alive = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes()
        except OSError:
            continue
        if command.startswith(b"sleep\x0086399\x00"):
            alive.append((path, command))
    assert alive == []


def test_nothing_is_left_in_the_temporary_folder(ran: Ran) -> None:
    assert not [path for path in Path(os.environ.get("TMPDIR", "/tmp")).glob("sitegen-exam-*") if path.is_symlink()]


def test_the_runner_stays_small(ran: Ran) -> None:
    """What it and the processes that it waited for took at the most; a gigabyte was printed and nine were asked for."""
    assert ran.runner_bytes < 300 * MEBIBYTE


def test_what_was_printed_without_end_is_cut(ran: Ran) -> None:
    row = ran.rows["gigabyte/ordinary"]
    assert row["extra"] == {"why": "stopped: over the limit on output"}
    assert len(row["artifact"]) == 64 * 1024


def test_a_cut_log_is_kept_of_what_was_complained(ran: Ran) -> None:
    logs = [path.stat().st_size for path in (ran.folder / "logs").glob("*.stderr")]
    assert max(logs) == 64 * 1024


def test_escapes_stay_inside_their_row(ran: Ran) -> None:
    data = (ran.folder / "transcripts.jsonl").read_bytes()
    assert b"\x1b" not in data
    assert ran.rows["escapes/ordinary"]["artifact"].startswith("\x1b[31m")
    assert '{"task_id": "D-1"}' in ran.rows["escapes/ordinary"]["artifact"]


def test_bwrap_hides_the_canary_and_without_it_the_report_says_so(ran: Ran) -> None:
    found = ran.rows["search/ordinary"]["artifact"]
    assert ran.report["made_by"]["isolation"] == ran.level
    if ran.level == "bwrap":
        assert found == "nothing found"
    else:
        assert CANARY in found


def test_retries_of_a_killed_solver_are_not_invented(ran: Ran) -> None:
    assert ran.rows["hang/ordinary"]["retries"] is None
    assert ran.rows["hang/ordinary"]["wall_clock_sec"] >= TIMEOUT_SEC


def test_limits_of_this_process_are_untouched(ran: Ran) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
