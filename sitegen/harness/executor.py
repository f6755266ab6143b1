"""Who runs the solvers: supervisors on this machine, or the workers of a cluster (:mod:`sitegen.harness.cluster`)."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Protocol, TypeVar

from sitegen.harness.assignment import Assignment, Conduct
from sitegen.harness.cgroup import end_group_of
from sitegen.harness.solver import remove_folders_of

MOST_DEATHS = 3
"""How often one task may lose its worker before the run stops: that is a fault of the machine, not of the solver."""

Kept = TypeVar("Kept")
"""What whoever asks makes of a conduct, and has on the disk."""

_GOODBYE_SEC = 30.0


class Executor(Protocol):
    """Runs assignments, several at once, and hands back each one's conduct exactly once, as they are done."""

    @property
    def name(self) -> str | None:
        """How the report records it; ``None`` for this machine."""

    @property
    def jobs(self) -> int:
        """How many solvers run at once."""

    @property
    def deaths(self) -> int:
        """How many workers died; their tasks were given to others."""

    def __enter__(self) -> Executor: ...

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def conduct(self, assignments: Iterable[Assignment], keep: Callable[[Conduct], Kept]) -> Iterator[Kept]:
        """Yield what ``keep`` returned for the conduct of every assignment, as they are done.

        Where one job is run on this machine, nothing is begun before ``keep`` has returned and what was yielded was
        looked at. Where several are, a solver's place is not kept waiting for either.

        Raises:
            OSError: the machine cannot run solvers, or workers keep dying.
        """


class LocalExecutor:
    """``jobs`` supervisors on this machine; one that dies is replaced and its task given to the next."""

    name: str | None = None

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.deaths = 0
        self._idle: list[_Supervisor] = []
        self._busy: dict[Connection[object, object], _Supervisor] = {}

    def __enter__(self) -> LocalExecutor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        supervisors = [*self._idle, *self._busy.values()]
        self._idle, self._busy = [], {}
        for supervisor in supervisors:
            supervisor.connection.close()
        for supervisor in supervisors:
            if supervisor.part() != 0:
                remove_folders_of(supervisor.pid)

    def conduct(self, assignments: Iterable[Assignment], keep: Callable[[Conduct], Kept]) -> Iterator[Kept]:
        """Keep the conduct of every assignment, as they are done; see :meth:`Executor.conduct`.

        Raises:
            OSError: the machine cannot run solvers, or supervisors keep dying.
        """
        source = iter(assignments)
        self._fill(source)
        while self._busy:
            for connection in wait(list(self._busy)):
                assert isinstance(connection, Connection)
                supervisor = self._busy.pop(connection)
                answer = supervisor.answer()
                if answer is None:
                    self._replace(supervisor)
                    continue
                self._idle.append(supervisor)
                if isinstance(answer, OSError):
                    raise answer
                assert isinstance(answer, Conduct)
                if self.jobs > 1:  # solvers go on while the row is written; a single one has the machine to itself
                    self._fill(source)
                yield keep(answer)
                self._fill(source)

    def _fill(self, source: Iterator[Assignment]) -> None:
        while len(self._busy) < self.jobs and (assignment := next(source, None)) is not None:
            self._give(self._idle.pop() if self._idle else _Supervisor(), assignment, losses=0)

    def _give(self, supervisor: _Supervisor, assignment: Assignment, losses: int) -> None:
        self._busy[supervisor.connection] = supervisor
        supervisor.give(assignment, losses)

    def _replace(self, dead: _Supervisor) -> None:
        self.deaths += 1
        dead.connection.close()
        code = dead.part()
        end_group_of(dead.pid)
        remove_folders_of(dead.pid)
        assert dead.assignment is not None
        if dead.losses + 1 >= MOST_DEATHS:
            raise OSError(f"{dead.losses + 1} supervisors died over one task; the last ended with {code}")
        self._give(_Supervisor(), dead.assignment, dead.losses + 1)


class _Supervisor:
    """One supervising process and the task that it has."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            # Not -I: sitegen itself must be found as it was found here. What the solver gets is another environment.
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "sitegen.harness.supervisor", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self.connection: Connection[object, object] = Connection(ours.detach())
        self.pid = self._process.pid
        self.assignment: Assignment | None = None
        self.losses = 0

    def give(self, assignment: Assignment, losses: int) -> None:
        """Hand over a task; ``losses`` supervisors died over it before. A dead one shows when it is asked."""
        self.assignment, self.losses = assignment, losses
        try:
            self.connection.send(assignment)
        except (BrokenPipeError, ConnectionResetError):
            return

    def answer(self) -> object | None:
        """Return the answer, or ``None`` where the process died."""
        try:
            return self.connection.recv()
        except (EOFError, ConnectionResetError):
            return None

    def part(self) -> int:
        """Wait until the process has cleaned up and ended; return its exit code."""
        try:
            return self._process.wait(_GOODBYE_SEC)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
