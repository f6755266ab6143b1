"""Run solvers on a Dask cluster (extra ``sitegen[dask]``): inputs go out by digest, conducts come back to one writer.

A worker's death is the infrastructure's, never the contestant's: Dask gives its tasks to another worker, and the number
of deaths is recorded. Workers need sitegen in the same version, and bubblewrap where the run is isolated by it.
"""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

import sitegen
from sitegen.digests import Digest, folder_digest, sha256
from sitegen.harness.assignment import Assignment, Conduct
from sitegen.harness.executor import Kept, LocalExecutor
from sitegen.refusals import Misuse

SCHEME = "dask://"
_CONNECT_SEC = 30
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
class Parcel:
    """One pickled assignment with its digest, the digest of the solver it needs, and the version that made it."""

    data: bytes = field(repr=False)
    sha256: Digest
    solver_sha256: Digest
    version: str = sitegen.__version__


def read_solver(folder: Path) -> ShippedSolver:
    """Return the files of a solver's folder, ready to be shipped."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    files = {path.relative_to(folder).as_posix(): (path.stat().st_mode & 0o777, path.read_bytes()) for path in paths}
    return ShippedSolver(files=files)


def pack(assignment: Assignment, solver_sha256: Digest) -> Parcel:
    """Return the parcel of one assignment."""
    data = pickle.dumps(assignment)
    return Parcel(data=data, sha256=sha256(data), solver_sha256=solver_sha256)


def solve_parcel(parcel: Parcel, solver: ShippedSolver, cellar: Path | None = None) -> Conduct:
    """Solve one parcel. This runs on a worker; ``cellar`` is where solvers are unpacked (default: the worker's folder).

    Raises:
        OSError: what arrived is not what was sent, or this worker cannot run solvers.
    """
    if parcel.version != sitegen.__version__:
        raise OSError(f"this worker has sitegen {sitegen.__version__}, the runner has {parcel.version}")
    if sha256(parcel.data) != parcel.sha256 or solver.sha256 != parcel.solver_sha256:
        raise OSError("a task or its solver arrived with another digest than it was sent with")
    assignment = pickle.loads(parcel.data)
    assert isinstance(assignment, Assignment)
    folder = _unpacked(solver, parcel.solver_sha256, cellar or _own_folder())
    with LocalExecutor(1) as supervisor:
        (conduct,) = supervisor.conduct([replace(assignment, solver_folder=str(folder))], lambda conduct: conduct)
    return conduct


def check_address(address: str) -> None:
    """Check that ``address`` can be a cluster's, before anything is recorded.

    Raises:
        Misuse: it has another scheme, or the extra is not installed.
    """
    if not address.startswith(SCHEME):
        raise Misuse(f"an executor's address begins with {SCHEME}")
    _distributed()


class ClusterExecutor:
    """The workers of one Dask cluster; ``jobs`` tasks are out at once, by default one for each of its threads."""

    name: str | None = "dask"

    def __init__(self, address: str, jobs: int | None, solver_folder: Path) -> None:
        check_address(address)
        self._address = f"tcp://{address.removeprefix(SCHEME)}"
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
        self._client = _distributed().Client(self._address, timeout=_CONNECT_SEC, set_as_default=False)
        threads = sum(self._client.nthreads().values())
        if not threads:
            self._client.close()
            raise OSError(f"the cluster at {self._address} has no workers")
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
        done = _distributed().as_completed(loop=self._client.loop)
        self._submit(source, done)
        while self._out:
            future = next(done)
            conduct = self._result(future)
            del self._out[future], future  # held no longer, so that the cluster need not make it again
            kept = keep(conduct)
            self._submit(source, done)
            yield kept
        self.deaths = self._count_deaths()

    def _submit(self, source: Iterator[Assignment], done: Any) -> None:
        while len(self._out) < self.jobs and (assignment := next(source, None)) is not None:
            parcel = pack(assignment, self._solver.sha256)
            key = f"{self._prefix}-{assignment.opaque_id}"
            future = self._client.submit(solve_parcel, parcel, self._shipped, key=key, retries=0)
            self._out[future] = key
            done.add(future)

    def _result(self, future: Any) -> Conduct:
        try:
            conduct = future.result()
        except _distributed().KilledWorker as error:
            raise OSError(f"workers keep dying over one task: {error}") from None
        except CancelledError:
            raise OSError("the cluster is lost") from None
        assert isinstance(conduct, Conduct)
        return conduct

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


def _distributed() -> Any:
    """Return Dask's library; untyped, since not every environment that checks types has the extra."""
    try:
        return import_module("distributed")
    except ImportError:
        raise Misuse("--executor needs the extra: pip install 'sitegen[dask]'") from None


def _own_folder() -> Path:
    return Path(_distributed().get_worker().local_directory)


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
