"""On a cluster every row is there once, a worker's death notwithstanding, and nothing arrives under another digest."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness import cluster
from sitegen.harness.cluster import ClusterExecutor, pack, read_solver, solve_parcel
from sitegen.refusals import Misuse
from tests.harness.assignments import assignment
from tests.harness.cluster_kit import local_cluster
from tests.harness.exam_kit import SOLVER, Exam, make_exam, negative, ordinary, outcomes, rows_of


def test_a_parcel_is_solved_from_the_solver_that_came_with_it(tmp_path: Path) -> None:
    task = assignment(tmp_path / "solver", 'cat "$SOLVER_DIR/part"')
    (tmp_path / "solver" / "part").write_text("part")
    solver = read_solver(tmp_path / "solver")
    parcel = pack(dataclasses.replace(task, solver_folder="/not/here"), solver.sha256)
    for _ in range(2):
        assert solve_parcel(parcel, solver, tmp_path / "cellar").stdout == b"part"
    assert [path.name for path in (tmp_path / "cellar").iterdir()] == [f"sitegen-solver-{solver.sha256}"]


def test_another_digest_or_version_is_not_solved(tmp_path: Path) -> None:
    task = assignment(tmp_path / "solver", "exit")
    solver = read_solver(tmp_path / "solver")
    parcel = pack(task, solver.sha256)
    other = cluster.ShippedSolver(files={"solve.sh": (0o644, b"other")})
    for changed, sent in (
        (dataclasses.replace(parcel, data=parcel.data + b"x"), solver),
        (parcel, other),
        (dataclasses.replace(parcel, version="0.0.0"), solver),
    ):
        with pytest.raises(OSError, match=r"digest|this worker has sitegen"):
            solve_parcel(changed, sent, tmp_path / "cellar")


def test_the_solver_s_digest_is_the_folder_s(tmp_path: Path) -> None:
    (tmp_path / "solver" / "__pycache__").mkdir(parents=True)
    (tmp_path / "solver" / "__pycache__" / "x.pyc").touch()
    (tmp_path / "solver" / "solve.sh").write_text("exit\n")
    listing = "find . -type f -not -path '*/__pycache__/*' -printf '%P\\n' | LC_ALL=C sort"
    command = f"{listing} | xargs -d '\\n' sha256sum | sha256sum"
    told = subprocess.run(["bash", "-c", command], cwd=tmp_path / "solver", capture_output=True, text=True, check=True)
    assert read_solver(tmp_path / "solver").sha256 == told.stdout.split()[0]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "dask://127.0.0.1", "dask://:", "dask://a:b", "dask://[::"])
def test_what_is_no_address_is_misuse(address: str, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="dask://HOST:PORT"):
        ClusterExecutor(address, None, tmp_path)


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Misuse, match=r"sitegen\[dask\]"), ClusterExecutor("dask://127.0.0.1:1", None, tmp_path):
        pass


@pytest.fixture
def workers() -> Iterator[dict[str, Any]]:
    with local_cluster() as found:
        yield found


def exam_of(tmp_path: Path) -> tuple[Exam, Path]:
    tasks = [*(ordinary(f"D-{number}", f"say {number}") for number in range(14)), negative("N-1")]
    exam = make_exam(tmp_path, tasks)
    return exam, exam.contestant({"solve.sh": SOLVER.replace("say=$(", "sleep 0.2\nsay=$(", 1)})


def kill_at_work(worker: int, deadline: float) -> None:
    """Kill a worker that surely has a task: it is stopped first, and a solver still runs beneath it then."""
    psutil = pytest.importorskip("psutil", reason="distributed, which brings it, is not installed")
    while True:
        assert time.monotonic() < deadline
        os.kill(worker, signal.SIGSTOP)
        with contextlib.suppress(psutil.NoSuchProcess):  # one that ends while we look
            commands = [" ".join(child.cmdline()) for child in psutil.Process(worker).children(recursive=True)]
            if any("solve.sh" in command for command in commands):
                os.kill(worker, signal.SIGKILL)
                return
        os.kill(worker, signal.SIGCONT)
        time.sleep(0.05)


def test_every_row_is_there_once_though_a_worker_is_killed(workers: dict[str, Any], tmp_path: Path) -> None:
    exam, manifest = exam_of(tmp_path)
    address = f"dask://{workers['address']}"
    options = ("--manifest", str(manifest), "--isolation", "none", "--format", "json", "--executor", address)
    process = exam.start("run", exam.protocol, *options)
    deadline = time.monotonic() + 60
    while (
        not (rows := list(exam.reports.glob("*-kit-1-*/transcripts.jsonl")))
        or len(rows[0].read_bytes().splitlines()) < 6
    ):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    kill_at_work(workers["pids"][0], deadline)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    folder = exam.reports / json.loads(out)["run_id"]
    report = json.loads((folder / "report.json").read_bytes())
    assert set(rows_of(folder)) == {*(f"D-{number}" for number in range(14)), "N-1", "NP-PASS", "NP-FAIL", "NP-REFUSE"}
    assert set(outcomes(report).values()) == {"success", "abstain_ok"}
    assert all(row["retries"] is None for row in rows_of(folder).values()), "no retry of the contestant's"
    made_by = report["made_by"]
    assert (made_by["executor"], made_by["jobs"], made_by["worker_deaths"]) == ("dask", 2, 1)
    assert exam.call("verify").returncode == 0
