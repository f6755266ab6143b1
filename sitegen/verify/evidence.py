"""Whether a run's files are the ones that its report and its start name, and its transcripts cover the pack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sitegen.digests import Digest, folder_digest
from sitegen.measure.scoring import Limits, limits_of
from sitegen.read.files import SourceFile, likely_cause
from sitegen.read.ledger import Event
from sitegen.read.library import SOLVER_FOLDER, VERDICTS_NAME, RunFolder
from sitegen.read.manifest import MANIFEST_NAME, Manifest
from sitegen.read.pack import Pack
from sitegen.read.report import REPORT_NAME, Report
from sitegen.read.stored import Head, Transcripts, read_rows
from sitegen.read.tasks import Task
from sitegen.read.transcript import TRANSCRIPTS_NAME, Transcript
from sitegen.read.verdicts import Verdict, read_verdicts
from sitegen.refusals import Refusal, Refused
from sitegen.verify.chain import RunHistory
from sitegen.verify.elsewhere import kept_elsewhere
from sitegen.verify.verified import VerifiedProtocol

_NONE = Transcripts(heads=(), dataset={}, null_pack={})
_BESIDE = frozenset(("task-unknown", "null-row-unknown"))
"""Faults of transcripts beside those of the pack's own tasks, which can be judged all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A run's records beside the protocol they are judged by: read, but not yet believed.

    Attributes:
        manifest: ``None`` where it cannot be read; ``known_limits`` then neither.
        heads: what is asked of all transcripts together; none where they cannot be read or are not here.
        covered: whether the transcripts are one of each task and row, with all that judging them takes but the
            manifest, so that outcomes can be recomputed.
        exposure_seen: false for a report that was scored again where the tasks of either exam are withheld.
    """

    protocol: VerifiedProtocol
    folder: RunFolder
    history: RunHistory
    report: Report
    manifest: Manifest | None
    known_limits: Limits | None
    heads: Sequence[Head] = field(repr=False)
    dataset: Mapping[str, Transcript] = field(repr=False)
    null_pack: Mapping[str, Transcript] = field(repr=False)
    covered: bool
    exposure_seen: bool
    verdicts: Mapping[str, bool] | None = field(repr=False, default=None)
    null_verdicts: Mapping[str, bool] | None = field(repr=False, default=None)

    @property
    def limits(self) -> Limits:
        """The budgets in force, for whoever knows that the manifest was read."""
        assert self.known_limits is not None
        return self.known_limits

    @property
    def start(self) -> Event | None:
        """The run's start; ``None`` where the ledger has none, which is a fault."""
        return None if self.history.start is None else self.history.start[1]

    @property
    def report_path(self) -> str:
        """Path of report.json."""
        return f"{self.folder.path}/{REPORT_NAME}"

    @property
    def absent(self) -> bool:
        """Whether transcripts or tasks are not here, so that outcomes are as the report states them."""
        return TRANSCRIPTS_NAME not in self.folder.files or bool(self.protocol.withheld)

    @property
    def lost(self) -> bool:
        """Whether the transcripts ought to be here and are not, which is a fault by itself."""
        name, digest = TRANSCRIPTS_NAME, self.report.digests.transcripts
        here = name in self.folder.files or kept_elsewhere(self.folder, name, digest)
        return not here and self.protocol.level == "full"

    @property
    def transcripts_path(self) -> str:
        """Path of transcripts.jsonl."""
        return f"{self.folder.path}/{TRANSCRIPTS_NAME}"


def read_evidence(
    protocol: VerifiedProtocol,
    folder: RunFolder,
    history: RunHistory,
    report: Report,
    manifest: Manifest | None,
    *,
    exposure_seen: bool,
) -> tuple[Evidence, list[Refusal]]:
    """Return a run's records, and what is wrong with the form of its transcripts and verdicts or with what they cover.

    Where transcripts or tasks are not here there are none: of transcripts without tasks only the digest can be checked.
    """
    transcripts, found = read_covering(protocol, folder)
    verdicts, unread = _read_verdicts(folder)
    judgeable = protocol.protocol.metric.deterministic or not unread
    evidence = Evidence(
        protocol=protocol,
        folder=folder,
        history=history,
        report=report,
        manifest=manifest,
        known_limits=None if manifest is None else limits_of(protocol.protocol.budget, manifest),
        heads=transcripts.heads,
        dataset=transcripts.dataset,
        null_pack=transcripts.null_pack,
        covered=bool(transcripts.heads) and judgeable and all(fault.slug in _BESIDE for fault in found),
        exposure_seen=exposure_seen,
        verdicts={row.task_id: row.passed for row in verdicts if row.pack == "dataset"},
        null_verdicts={row.task_id: row.passed for row in verdicts if row.pack == "null_pack"},
    )
    return evidence, [*found, *unread]


def read_covering(protocol: VerifiedProtocol, folder: RunFolder) -> tuple[Transcripts, list[Refusal]]:
    """Return a run's transcripts, and what is wrong with their form or with what they cover.

    There are none where they, or the tasks that they must cover, are not here.
    """
    source = None if protocol.withheld else folder.files.get(TRANSCRIPTS_NAME)
    if source is None:
        return _NONE, []
    try:
        transcripts = read_rows(source)
    except Refused as refused:
        return _NONE, list(refused.refusals)
    return transcripts, list(transcript_faults(protocol.pack, transcripts.heads, source.path))


def _read_verdicts(folder: RunFolder) -> tuple[tuple[Verdict, ...], list[Refusal]]:
    source = folder.files.get(VERDICTS_NAME)
    try:
        return () if source is None else read_verdicts(source), []
    except Refused as refused:
        return (), list(refused.refusals)


def solver_digest(folder: RunFolder) -> Digest:
    """Return the folder digest of the run's solver; that of an empty folder where there is none."""
    return folder_digest(folder.solver_files)


def binding_faults(folder: RunFolder, history: RunHistory, manifest: Manifest | None) -> Iterator[Refusal]:
    """Yield where a run's files are not those that its start and its end name. Asked of every run that has a start.

    A manifest may say that of the solver only the digest is published; then its files may be absent.
    """
    start = history.start[1] if history.start else None
    end = history.end[1] if history.end else None
    if start is not None:
        yield from _same(folder, MANIFEST_NAME, start.manifest_sha256, "manifest-drift")
        withheld = not folder.solver_files and manifest is not None and not manifest.publish_solver
        if solver_digest(folder) != start.solver_sha256 and not withheld:
            yield Refusal(
                slug="evidence-mismatch",
                file=f"{folder.path}/{SOLVER_FOLDER}",
                expected=start.solver_sha256,
                found=solver_digest(folder),
            )
    if end is not None and end.report_sha256 is not None:
        yield from _same(folder, REPORT_NAME, end.report_sha256, "evidence-mismatch", missing="ledger-unpublished")
    if end is not None and end.transcripts_sha256 is not None:
        yield from _same(folder, TRANSCRIPTS_NAME, end.transcripts_sha256, "evidence-mismatch")


def digest_faults(
    report: Report, folder: RunFolder, protocol: VerifiedProtocol, history: RunHistory
) -> Iterator[Refusal]:
    """Yield where a digest that the report states is not that of the sealed part or of the run's file."""
    file = f"{folder.path}/{REPORT_NAME}"
    sealed = protocol.protocol
    stated = (
        ("protocol-drift", "/protocol_sha256", report.protocol_sha256, protocol.sha256),
        ("dataset-drift", "/digests/dataset", report.digests.dataset, sealed.dataset.sha256),
        ("metric-drift", "/digests/metric", report.digests.metric, sealed.metric.sha256),
        ("null-pack-drift", "/digests/null_pack", report.digests.null_pack, sealed.null_pack.sha256),
    )
    for slug, where, found, expected in stated:
        if found != expected:
            yield Refusal(slug=slug, file=file, path=where, expected=expected, found=found)
    ended = history.end[1].transcripts_sha256 if history.end else None
    if ended is None:
        yield from _same(folder, TRANSCRIPTS_NAME, report.digests.transcripts, "evidence-mismatch")
    elif report.digests.transcripts != ended:  # the end is held to the file, where that is here
        place, found = "/digests/transcripts", report.digests.transcripts
        yield Refusal(slug="evidence-mismatch", file=file, path=place, expected=ended, found=found)
    if report.digests.verdicts is not None or VERDICTS_NAME in folder.files:
        yield from _same(folder, VERDICTS_NAME, report.digests.verdicts, "evidence-mismatch")
    if history.start is None:
        yield from _same(folder, MANIFEST_NAME, report.digests.manifest, "manifest-drift")
        return
    start = history.start[1]
    if report.digests.manifest != start.manifest_sha256:
        yield Refusal(
            slug="manifest-drift",
            file=file,
            path="/digests/manifest",
            expected=start.manifest_sha256,
            found=report.digests.manifest,
        )
    if report.digests.solver != start.solver_sha256:
        yield Refusal(
            slug="evidence-mismatch",
            file=file,
            path="/digests/solver",
            expected=start.solver_sha256,
            found=report.digests.solver,
        )


def covers(ids: Sequence[str], tasks: Sequence[Task]) -> bool:
    """Tell whether rows with these ``ids`` are exactly one of each task, whose ids are known to differ."""
    return len(ids) == len(tasks) and {task.id for task in tasks} == set(ids)


def coverage_faults(
    tasks: Sequence[Task], rows: Iterable[tuple[str, str]], file: str, null_pack: bool = False
) -> Iterator[Refusal]:
    """Yield where ``rows``, given as (id, place in the file), are not exactly one of each task."""
    known = {task.id for task in tasks}
    missing, unknown = ("null-row-missing", "null-row-unknown") if null_pack else ("task-missing", "task-unknown")
    seen: set[str] = set()
    for row_id, place in rows:
        if row_id not in known:
            yield Refusal(slug=unknown, file=file, path=place, expected="an id of the sealed pack", found=row_id)
        elif row_id in seen:
            yield Refusal(slug="outcome-duplicate", file=file, path=place, expected="one row a task", found=row_id)
        seen.add(row_id)
    for task in tasks:
        if task.id not in seen:
            yield Refusal(slug=missing, file=file, expected=f"a row of {task.id}", found="nothing")


def transcript_faults(
    sealed: Pack, transcripts: Sequence[Head], file: str, *, scored: bool = True
) -> Iterator[Refusal]:
    """Yield where the transcripts are not one of each task and row or, in a scored run, leave abstention unknown."""
    for pack, tasks in (("dataset", sealed.dataset), ("null_pack", sealed.null_pack)):
        numbered = [(row.task_id, number) for number, row in enumerate(transcripts, start=1) if row.pack == pack]
        if not covers([task_id for task_id, _ in numbered], tasks):
            rows = ((task_id, f"line {number}") for task_id, number in numbered)
            yield from coverage_faults(tasks, rows, file, null_pack=pack == "null_pack")
    if not scored:
        return
    for number, row in enumerate(transcripts, start=1):
        if row.abstained is None:
            place, expected = f"line {number}/abstained", "true or false in a scored run"
            yield Refusal(slug="abstention-disagrees", file=file, path=place, expected=expected, found="null")


def _same(
    folder: RunFolder, name: str, expected: Digest | None, slug: str, missing: str = "evidence-missing"
) -> Iterator[Refusal]:
    source: SourceFile | None = folder.files.get(name)
    file = f"{folder.path}/{name}"
    if source is None:
        if not any(fault.file == file for fault in folder.faults) and not kept_elsewhere(folder, name, expected):
            yield Refusal(slug=missing, file=file, expected=expected, found="nothing")
    elif expected is None:
        yield Refusal(slug=slug, file=file, expected="no such file", found=source.sha256)
    elif source.sha256 != expected:
        hint = likely_cause(source, expected)
        yield Refusal(slug=slug, file=file, expected=expected, found=source.sha256, hint=hint)
