"""Sit an exam: null pack first, then the dataset, one row after the other onto the disk. It fails closed.

The order is: digests of all inputs; the null pack, which must do what it asks; the dataset; the same digests again. A
served name outside the manifest's ``served_as`` ends the run at once. Rows are never taken back: what was interrupted
goes on after the last whole row.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.digests import Digest, folder_digest
from sitegen.harness.answer import transcript_of
from sitegen.harness.assigning import Conditions, check_command, environment_of
from sitegen.harness.assignment import Assignment, Conduct
from sitegen.harness.clock import now
from sitegen.harness.closing import TOOL, Closed, close_run, end_run
from sitegen.harness.executor import Executor, LocalExecutor
from sitegen.harness.gate import failed_rows, reason_of
from sitegen.harness.inputs import copy_solver, fingerprint_of, input_changes
from sitegen.harness.isolation import Isolation
from sitegen.harness.limits import Caps
from sitegen.harness.marking import Marker
from sitegen.harness.opening import OpenRun
from sitegen.harness.progress import Watch
from sitegen.harness.rows import RowLog, begin_sitting
from sitegen.harness.tally import Tally
from sitegen.harness.workspace import remove
from sitegen.read.files import Tree
from sitegen.read.manifest import MANIFEST_NAME
from sitegen.read.report import MadeBy
from sitegen.read.tasks import Task
from sitegen.read.transcript import Transcript
from sitegen.refusals import Misuse, Refusal, Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamOptions:
    """How a run is sat.

    ``executor`` is the address of a cluster, ``None`` for this machine. ``jobs`` solvers run at once; by default one
    here, and as many as a cluster has threads.
    """

    isolation: Isolation
    jobs: int | None = None
    executor: str | None = None
    resume: bool = False
    caps: Caps = field(default_factory=Caps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """What a sitting came to.

    ``reason`` is why the run ends without a report (``null-pack-failed``, ``route-changed``), with the ``ids`` of the
    rows that it concerns and the same in words; ``None`` when every task has its row. ``changes`` are inputs that are
    not what they were at the start.
    """

    rows: Sequence[Transcript] = field(repr=False)
    transcripts_sha256: Digest
    made_by: MadeBy
    reason: str | None = None
    ids: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    changes: tuple[Refusal, ...] = ()


class _Stopped(Exception):
    """The run ends here without a report."""

    def __init__(self, reason: str, ids: Sequence[str], words: Sequence[str]) -> None:
        super().__init__(reason)
        self.reason, self.ids, self.words = reason, tuple(ids), tuple(words)


def examine(run: OpenRun, options: ExamOptions, watch: Watch) -> tuple[Closed, tuple[str, ...]]:
    """Sit the whole exam and close the run; return how it ended, and in words why it has no report.

    Raises:
        Refused: the metric failed; an input changed, which ends the run.
        Misuse: the run has rows and is not resumed, or another process sits it.
        OSError: this machine cannot go on; the rows so far are kept and the run can be resumed.
        KeyboardInterrupt: likewise.
    """
    with Marker(run.protocol, run.pack, run.protocol_folder) as marker:
        sitting = sit(run, options, marker, watch)
        if sitting.changes:
            end_run(run, "inputs-changed", (), sitting.transcripts_sha256)
            raise Refused(sitting.changes)
        if sitting.reason is not None:
            return end_run(run, sitting.reason, sitting.ids, sitting.transcripts_sha256), sitting.words
        return close_run(run, sitting.rows, sitting.made_by, marker), ()


def sit(run: OpenRun, options: ExamOptions, marker: Marker, watch: Watch) -> Sitting:
    """Run every task that has no row yet and return all rows; see :func:`examine` for what it raises."""
    fingerprint = fingerprint_of(run)
    stopped: _Stopped | None = None
    with RowLog(run) as log, _solver_copy(run) as folder, _executor(options, folder) as executor:
        _check_ready(run, log, options)
        conditions = Conditions(
            run=run,
            solver_folder=folder.resolve(),
            isolation=options.isolation,
            caps=options.caps,
            fingerprint=fingerprint,
            env=environment_of(run.manifest, run.protocol.budget.timeout_sec),
        )
        interruptions = begin_sitting(run.run_folder)
        try:
            _Room(conditions, log, executor, marker, watch).sit_through()
        except _Stopped as caught:
            stopped = caught
        changes = [*input_changes(run, fingerprint), *_copy_changes(run, folder), *log.tampering()]
        return Sitting(
            rows=tuple(log.rows),
            transcripts_sha256=log.sha256,
            made_by=_made_by(options, executor, interruptions),
            reason=stopped.reason if stopped else None,
            ids=stopped.ids if stopped else (),
            words=stopped.words if stopped else (),
            changes=tuple(changes),
        )


class _Room:
    """One sitting: takes conducts from the executor, writes their rows, and stops where the run must end."""

    def __init__(self, conditions: Conditions, log: RowLog, executor: Executor, marker: Marker, watch: Watch) -> None:
        self._conditions, self._log, self._executor = conditions, log, executor
        self._marker, self._watch = marker, watch
        self._run = conditions.run
        self._tally = Tally(self._run, marker, beside=executor.jobs > 1)
        self._began: dict[str, str] = {}
        self._since = time.monotonic()
        self._resumed = len(log.rows)

    def sit_through(self) -> None:
        with self._tally:
            self._sit_through()

    def _sit_through(self) -> None:
        for row in self._log.rows:
            self._tally.count(row)
            self._check_route(row)
        self._sit("null pack", self._run.pack.null_pack)
        failed = failed_rows(self._run, self._log.rows, self._marker)
        if failed:
            rows = {row.task_id: row for row in self._log.rows if row.pack == "null_pack"}
            words = [reason_of(row, rows[row.id]) for row in failed]
            raise _Stopped("null-pack-failed", [row.id for row in failed], words)
        self._sit("dataset", self._run.pack.dataset)

    def _sit(self, phase: str, tasks: Sequence[Task]) -> None:
        done = {row.task_id for row in self._log.rows}
        missing = {self._run.opaque[task.id]: task for task in tasks if task.id not in done}
        self._tell(phase)
        wants_diff = self._run.protocol.dataset.artifact == "workspace-diff"

        def keep(conduct: Conduct) -> Transcript:
            task, started = missing[conduct.opaque_id], self._began.pop(conduct.opaque_id)
            row = transcript_of(task, conduct, self._run.manifest, wants_diff, started)
            self._keep(row, conduct.stderr)
            return row

        for row in self._executor.conduct(self._assignments(list(missing.values())), keep):
            self._tally.count(row)
            self._tell(phase)
        if self._tally.settle():
            self._tell(phase)

    def _assignments(self, tasks: Sequence[Task]) -> Iterator[Assignment]:
        for task in tasks:
            assignment = self._conditions.assignment(task)
            self._began[assignment.opaque_id] = now()
            yield assignment

    def _keep(self, row: Transcript, said: bytes) -> None:
        if row.route is None and row.status == "ok":
            expected = f"one of served_as in {self._log.path.parent.name}/result.json of every task"
            raise Refused(
                [Refusal(slug="route-unnamed", file=str(self._log.path), path=f"task {row.task_id}", expected=expected)]
            )
        self._log.append(row)
        if said:
            log = self._log.path.parent / "logs" / f"{self._run.opaque[row.task_id]}.stderr"
            log.write_bytes(said)
        self._check_route(row)

    def _check_route(self, row: Transcript) -> None:
        names = self._run.manifest.names
        if row.route is not None and row.route not in names:
            words = f"{row.task_id} was answered by {row.route}, which is not among served_as ({', '.join(names)})"
            raise _Stopped("route-changed", [row.task_id], [words])

    def _tell(self, phase: str) -> None:
        self._watch(self._tally.progress(phase, self._resumed, time.monotonic() - self._since))


def _check_ready(run: OpenRun, log: RowLog, options: ExamOptions) -> None:
    check_command(run.manifest, run.solver_folder, f"{run.run_id}/{MANIFEST_NAME}")
    if log.rows and not options.resume:
        raise Misuse(f"{run.run_id} has {len(log.rows)} rows already; continue it with --resume")
    if now() < run.started_at:
        expected = f"a clock that is not behind {run.started_at}, when the run was started"
        raise Refused([Refusal(slug="time-order", file=run.run_id, expected=expected, found=now())])


@contextmanager
def _solver_copy(run: OpenRun) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="sitegen-solver-"))
    try:
        copy_solver(run, folder)
        yield folder
    finally:
        remove(folder)


def _copy_changes(run: OpenRun, folder: Path) -> list[Refusal]:
    """Return ``inputs-changed`` where a solver changed the copy that it runs from."""
    with Tree(folder) as tree:
        found = folder_digest({path: tree.read(path).sha256 for path in tree.files("")})
    if found == run.solver_sha256:
        return []
    return [Refusal(slug="inputs-changed", file="solver", expected=run.solver_sha256, found=found)]


@contextmanager
def _executor(options: ExamOptions, solver: Path) -> Iterator[Executor]:
    if options.executor is None:
        with LocalExecutor(options.jobs or 1) as local:
            yield local
        return
    from sitegen.harness.cluster import ClusterExecutor

    with ClusterExecutor(options.executor, options.jobs, solver) as cluster:
        yield cluster


def _made_by(options: ExamOptions, executor: Executor, interruptions: int) -> MadeBy:
    return MadeBy(
        tool=TOOL,
        how="run",
        isolation=options.isolation.name,
        jobs=executor.jobs,
        interruptions=interruptions,
        ids="opaque",
        executor=executor.name,
        worker_deaths=executor.deaths if executor.deaths or executor.name else None,
    )
