"""A supervisor answers over its connection, ends when nobody asks any more, and takes its solver with it."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.assignment import Conduct
from sitegen.harness.limits import Caps
from tests.harness.assignments import assignment


@pytest.fixture
def supervised() -> Iterator[tuple[subprocess.Popen[bytes], Any]]:
    ours, theirs = socket.socketpair()
    with theirs:
        descriptor = theirs.fileno()
        process = subprocess.Popen(
            [sys.executable, "-m", "sitegen.harness.supervisor", str(descriptor)],
            pass_fds=[descriptor],
            start_new_session=True,
        )
    connection: Any = Connection(ours.detach())
    yield process, connection
    if not connection.closed:
        connection.close()
    assert process.wait(30) == 0


def alive(path: Path) -> bool:
    try:
        return Path(f"/proc/{path.read_text().strip()}/cmdline").read_bytes() != b""
    except (OSError, ValueError):
        return False


def test_it_answers_one_task_after_another(supervised: Any, tmp_path: Path) -> None:
    _, connection = supervised
    for number in range(3):
        connection.send(assignment(tmp_path / "solver", "printf $1", opaque_id=f"t-{number}"))
        conduct = connection.recv()
        assert isinstance(conduct, Conduct)
        assert (conduct.opaque_id, conduct.stdout) == (f"t-{number}", f"t-{number}".encode())


def test_the_folders_of_a_task_are_gone_before_the_next_begins(supervised: Any, tmp_path: Path) -> None:
    _, connection = supervised
    connection.send(assignment(tmp_path / "solver", "echo $PWD; mkdir a && touch a/{1..2000}"))
    first = Path(connection.recv().stdout.decode().strip())
    connection.send(assignment(tmp_path / "solver", f"[[ -e {first} ]] || printf gone"))
    assert connection.recv().stdout == b"gone"


def test_it_ends_where_the_folders_of_a_task_cannot_be_removed(
    supervised: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    process, connection = supervised
    connection.send(assignment(tmp_path / "solver", "echo $PWD; chattr +i $PWD || mount -t tmpfs none $PWD"))
    left = Path(connection.recv().stdout.decode().strip()).parent
    connection.close()
    try:
        if process.wait(30) == 0:
            process.returncode = 0
            pytest.skip("a solver can make no folder here that cannot be removed")
        assert process.returncode == 1
        assert "Traceback" not in capfd.readouterr().err
        process.returncode = 0
    finally:
        subprocess.run(["chattr", "-i", left / "task"], check=False, capture_output=True)
        subprocess.run(["umount", left / "task"], check=False, capture_output=True)
        shutil.rmtree(left, ignore_errors=True)


def test_its_limits_bind_its_solvers(supervised: Any, tmp_path: Path) -> None:
    _, connection = supervised
    connection.send(assignment(tmp_path / "solver", "ulimit -f; ulimit -c", caps=Caps(file=1 << 20)))
    assert connection.recv().stdout == b"1024\n0\n"


def test_what_the_machine_cannot_do_comes_back_as_an_error(supervised: Any, tmp_path: Path) -> None:
    _, connection = supervised
    connection.send(assignment(tmp_path / "solver", "exit", files={"a": b"", "a/b": b""}))
    assert isinstance(connection.recv(), OSError)
    connection.send(assignment(tmp_path / "solver", "printf fine"))
    assert connection.recv().stdout == b"fine"


def test_it_kills_its_solver_and_ends_when_the_runner_is_gone(supervised: Any, tmp_path: Path) -> None:
    process, connection = supervised
    marks = tmp_path / "main", tmp_path / "apart"
    script = f"echo $$ >{marks[0]}; (setsid bash -c 'echo $$ >{marks[1]}; exec sleep 60' &); sleep 60"
    connection.send(assignment(tmp_path / "solver", script))
    deadline = time.monotonic() + 20
    while not all(mark.exists() and mark.read_text() for mark in marks) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert all(alive(mark) for mark in marks)
    connection.close()
    assert process.wait(20) == 0
    assert not any(alive(mark) for mark in marks)


def test_it_ends_without_a_task(supervised: Any) -> None:
    process, connection = supervised
    connection.close()
    assert process.wait(20) == 0
