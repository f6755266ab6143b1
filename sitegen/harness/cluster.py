"""Run solvers on a Dask cluster (extra ``sitegen[dask]``): inputs go out by digest, conducts come back to one writer.

A worker's death is the infrastructure's, never the contestant's: Dask gives its tasks to another worker, and the number
of deaths is recorded. Workers need sitegen in the same version, and bubblewrap where the run is isolated by it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

from sitegen.digests import Digest, folder_digest, sha256
from sitegen.harness.assignment import Assignment, Conduct
from sitegen.harness.executor import Kept, LocalExecutor
from sitegen.harness.spreading import Sent, check_address, connect, distributed, received, result_of, sent

_unpacking = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedSolver:
    """The solver's files, by path: permissions and bytes."""

    files: dict[str, tuple[int, bytes]] = field(repr=False)

    @property
    def sha256(self) -> Digest:
        """The solver's folder digest."""
        return folder_digest({path: sha256(data) for path, (_, data) in self.files.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel(Sent):
    """One assignment as it is sent, and the digest of the solver it needs."""

    solver_sha256: Digest


def read_solver(folder: Path) -> ShippedSolver:
    """Return the files of a solver's folder, ready to be shipped."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    files = {path.relative_to(folder).as_posix(): (path.stat().st_mode & 0o777, path.read_bytes()) for path in paths}
    return ShippedSolver(files=files)


def pack(assignment: Assignment, solver_sha256: Digest) -> Parcel:
    """Return the parcel of one assignment."""
    made = sent(assignment)
    return Parcel(data=made.data, sha256=made.sha256, solver_sha256=solver_sha256)


def solve_parcel(parcel: Parcel, solver: ShippedSolver, cellar: Path | None = None) -> Conduct:
    """Solve one parcel. This runs on a worker; ``cellar`` is where solvers are unpacked (default: the worker's folder).

    Raises:
        OSError: what arrived is not what was sent, or this worker cannot run solvers.
    """
    assignment = received(parcel)
    if solver.sha256 != parcel.solver_sha256:
        raise OSError("a solver arrived with another digest than it was sent with")
    assert isinstance(assignment, Assignment)
    folder = _unpacked(solver, parcel.solver_sha256, cellar or _own_folder())
    with LocalExecutor(1) as supervisor:
        (conduct,) = supervisor.conduct([replace(assignment, solver_folder=str(folder))], lambda conduct: conduct)
    return conduct


class ClusterExecutor:
    """The workers of one Dask cluster; ``jobs`` tasks are out at once, by default one for each of its threads."""

    name: str | None = "dask"

    def __init__(self, address: str, jobs: int | None, solver_folder: Path) -> None:
        check_address(address)
        self._address = address
        self._solver = read_solver(solver_folder)
        self._prefix = f"sitegen-{secrets.token_hex(8)}"
        self.jobs = jobs or 0
        self.deaths = 0
        self._out: dict[Any, str] = {}

    def __enter__(self) -> ClusterExecutor:
        """Connect to the cluster.

        Raises:
            Misuse: the extra is not installed.
            OSError: there is no cluster, or it has no workers.
        """
        self._client, threads = connect(self._address)
        self.jobs = self.jobs or threads
        # Submitted, not scattered: it is made again where the worker that holds it dies.
        self._shipped = self._client.submit(_same, self._solver, key=f"{self._prefix}-solver")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.cancel([*self._out, self._shipped])
        self._client.close()

    def conduct(self, assignments: Iterable[Assignment], keep: Callable[[Conduct], Kept]) -> Iterator[Kept]:
        """Keep the conduct of every assignment, as they are done; see :meth:`Executor.conduct`.

        Raises:
            OSError: the cluster is lost, workers keep dying, or they cannot run solvers.
        """
        source = iter(assignments)
        done = distributed().as_completed(loop=self._client.loop)
        self._submit(source, done)
        while self._out:
            future = next(done)
            conduct = result_of(future)
            assert isinstance(conduct, Conduct)
            del self._out[future], future  # held no longer, so that the cluster need not make it again
            self._submit(source, done)
            yield keep(conduct)
        self.deaths = self._count_deaths()

    def _submit(self, source: Iterator[Assignment], done: Any) -> None:
        while len(self._out) < self.jobs and (assignment := next(source, None)) is not None:
            parcel = pack(assignment, self._solver.sha256)
            key = f"{self._prefix}-{assignment.opaque_id}"
            future = self._client.submit(solve_parcel, parcel, self._shipped, key=key, retries=0)
            self._out[future] = key
            done.add(future)

    def _count_deaths(self) -> int:
        """Return how many workers went unexpectedly while they had tasks of this run."""
        deaths = 0
        for _, event in self._client.get_events("all"):
            if isinstance(event, dict) and event.get("action") == "remove-worker" and not event.get("expected"):
                held = {*event.get("processing-tasks", ()), *event.get("lost-computed-tasks", ())}
                deaths += any(str(key).startswith(self._prefix) for key in held)
        return deaths


def _same(solver: ShippedSolver) -> ShippedSolver:
    return solver


def _own_folder() -> Path:
    return Path(distributed().get_worker().local_directory)


def _unpacked(solver: ShippedSolver, digest: Digest, cellar: Path) -> Path:
    """Return the folder with the solver's files; it is made once on each worker."""
    folder = cellar / f"sitegen-solver-{digest}"
    with _unpacking:
        if not folder.is_dir():
            partial = cellar / f"{folder.name}~{secrets.token_hex(4)}"
            partial.mkdir(parents=True)
            for path, (mode, data) in solver.files.items():
                target = partial / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                target.chmod(mode & 0o555)
            partial.rename(folder)
    return folder
