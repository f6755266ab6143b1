"""The verifier: the only maker of verified records.

For each protocol, in this order:

1. the protocol's folder: sealed, unchanged, and an exam that may be sealed (:mod:`sitegen.verify.protocols`);
2. the ledger: whole, and in order (:mod:`sitegen.verify.chain`);
3. each run: its state in the ledger; then its files, its transcripts, its outcomes, its null pack, its conduct and its
   numbers, all reasons collected.

:func:`verify_unit` asks (it returns every reason); :func:`verify_report` insists (it raises :class:`Refused`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sitegen.digests import Digest
from sitegen.measure.scorecard import scorecard_of
from sitegen.measure.scoring import limits_of
from sitegen.read.library import REPORTS, VERDICTS_NAME, RunFolder, Unit
from sitegen.read.manifest import MANIFEST_NAME, Manifest, read_manifest
from sitegen.read.report import REPORT_NAME, Report, read_report
from sitegen.read.transcript import TRANSCRIPTS_NAME, read_transcripts
from sitegen.read.verdicts import read_verdicts
from sitegen.refusals import Refusal, Refused, faults, hardest_first
from sitegen.verify.chain import NO_HISTORY, RunHistory, find_chain_faults, histories_of
from sitegen.verify.conduct import find_conduct_faults
from sitegen.verify.evidence import Evidence, binding_faults, digest_faults, transcript_faults
from sitegen.verify.levels import level_faults, level_of
from sitegen.verify.numbers import find_number_faults
from sitegen.verify.outcomes import is_countable, null_pack_faults, recomputed_rows, verdicts_for
from sitegen.verify.protocols import SoundProtocol, examine_protocol
from sitegen.verify.steps import steps_of
from sitegen.verify.verified import (
    _ISSUED_BY_THE_VERIFIER,
    RefusedRun,
    VerifiedProtocol,
    VerifiedReport,
    VerifiedUnit,
)

_SHOWN_REASONS = frozenset(("null-pack-failed", "route-changed"))
"""Reasons of an end that have a slug of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Started:
    """Where a run stands among all runs that were started under the protocol."""

    number: int
    total: int
    of_route: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the caller asks beside the unit itself; see :func:`verify_unit`."""

    witnessed: frozenset[Digest]
    any_level: bool


def verify_unit(unit: Unit, witnessed: frozenset[Digest] = frozenset(), *, any_level: bool = False) -> VerifiedUnit:
    """Judge one protocol and all its runs.

    Args:
        unit: as read.
        witnessed: digests of the ledger events that the previously published site holds.
        any_level: accept reports below the protocol's ``require_level``, as those must be that are to be re-scored.
    """
    asked = _Asked(witnessed=witnessed, any_level=any_level)
    sound, refusals = examine_protocol(unit)
    chain = find_chain_faults(unit.protocol_id, unit.ledger)
    refusals = hardest_first([*unit.faults, *chain, *refusals])
    protocol = None if sound is None or faults(refusals) else _issue_protocol(sound, unit)
    shown = None if any(refusal.slug == "protocol-withdrawn" for refusal in refusals) else protocol
    histories = histories_of(unit.ledger)
    folders = {folder.run_id: folder for folder in unit.runs}
    started = [run_id for run_id, history in histories.items() if history.start]
    reports: list[VerifiedReport] = []
    refused: list[RefusedRun] = []
    seen: dict[Digest, str] = {}  # the first report by the digest of its transcripts
    for run_id in [*started, *sorted(folders.keys() - set(started))]:
        history = histories.get(run_id, NO_HISTORY)
        folder = folders.get(run_id)
        if shown is None:
            refused.append(_refused(unit, run_id, folder, history, refusals))
            continue
        try:
            report = _verify_run(shown, run_id, folder, history, _position(run_id, started, histories), asked)
            _check_single(report, seen)
            reports.append(report)
        except Refused as reasons:
            refused.append(_refused(unit, run_id, folder, history, reasons.refusals))
    return VerifiedUnit(
        protocol_id=unit.protocol_id,
        protocol=protocol,
        reports=tuple(reports),
        refused=tuple(refused),
        refusals=tuple(refusals),
        ledger=unit.ledger,
        ledger_files=unit.ledger_files,
    )


def verify_report(unit: Unit, run_id: str) -> VerifiedReport:
    """Return one report, verified.

    Raises:
        Refused: every reason why it is not published.
    """
    verified = verify_unit(unit)
    for report in verified.reports:
        if report.run_id == run_id:
            return report
    for run in verified.refused:
        if run.run_id == run_id:
            raise Refused(run.refusals)
    file = f"{REPORTS}/{unit.protocol_id}/{run_id}"
    raise Refused([Refusal(slug="file-missing", file=file, expected="a run", found="nothing")])


def _issue_protocol(sound: SoundProtocol, unit: Unit) -> VerifiedProtocol:
    digest, event = sound.seal
    folder = unit.protocol
    return VerifiedProtocol(
        protocol=sound.document.protocol,
        sha256=sound.document.sha256,
        sealed_at=event.time,
        seal_event=digest,
        pack=sound.pack,
        files=sound.files,
        sources={} if folder is None else folder.files,
        notes=None if folder is None else folder.notes,
        issuer=_ISSUED_BY_THE_VERIFIER,
    )


def _verify_run(
    protocol: VerifiedProtocol,
    run_id: str,
    folder: RunFolder | None,
    history: RunHistory,
    position: _Started,
    asked: _Asked,
) -> VerifiedReport:
    path = f"{REPORTS}/{protocol.protocol_id}/{run_id}"
    state = _state(path, folder, history)
    if folder is None or REPORT_NAME not in folder.files or history.withdrawal:
        raise Refused(state)
    manifest, found = _manifest(folder)
    found = [*folder.faults, *found, *binding_faults(folder, history, manifest)]
    try:
        report = read_report(folder.files[REPORT_NAME], protocol.protocol.publish.forbidden_fields)
    except Refused as refused:
        raise Refused(hardest_first([*found, *refused.refusals])) from None
    _check_place(report, folder)
    if report.channel == "exploratory":
        found.append(Refusal(slug="channel-exploratory", file=f"{path}/{REPORT_NAME}"))
        raise Refused(hardest_first(found))
    found += [*state, *_start_faults(report, folder, history), *digest_faults(report, folder, protocol, history)]
    if faults(found) or manifest is None:
        raise Refused(hardest_first(found))
    evidence = _evidence(protocol, folder, history, report, manifest)
    return _judge(evidence, found, position, asked)


def _judge(evidence: Evidence, found: list[Refusal], position: _Started, asked: _Asked) -> VerifiedReport:
    passes = verdicts_for(evidence)
    rows, row_faults = recomputed_rows(evidence, passes)
    found += [*row_faults, *null_pack_faults(evidence, passes), *find_conduct_faults(evidence)]
    report, publish = evidence.report, evidence.protocol.protocol.publish
    if not is_countable(rows, evidence.protocol.pack):
        raise Refused(hardest_first(found))
    clusters = evidence.protocol.pack.clusters(evidence.protocol.protocol.dataset.cluster)
    card = scorecard_of(rows, report.null_pack_rows, publish.ci_method, clusters)
    level, level_found = level_of(evidence)
    found += [*find_number_faults(report, card, publish, evidence.report_path), *level_found]
    found += [] if asked.any_level else level_faults(evidence, level)
    start, end = evidence.history.start, evidence.history.end
    if found or start is None or end is None:
        raise Refused(hardest_first(found))
    return VerifiedReport(
        report=report,
        sha256=evidence.folder.files[REPORT_NAME].sha256,
        manifest=evidence.manifest,
        transcripts=evidence.dataset,
        null_transcripts=evidence.null_pack,
        rows=tuple(rows),
        card=card,
        level=level,
        start=start[0],
        end=end[0],
        started_at=start[1].time,
        ended_at=end[1].time,
        witness="announced" if start[0] in asked.witnessed else "unwitnessed",
        run_number=position.number,
        runs_started=position.total,
        runs_of_route=position.of_route,
        steps=steps_of(evidence, card, level),
        folder=evidence.folder,
        issuer=_ISSUED_BY_THE_VERIFIER,
    )


def _state(path: str, folder: RunFolder | None, history: RunHistory) -> list[Refusal]:
    """Return why a run has no report to verify, by the ledger and its folder; empty where it has one."""
    if history.withdrawal is not None:
        event = history.withdrawal[1]
        return [Refusal(slug="report-withdrawn", file=path, found=f"{event.time}: {event.reason}")]
    if folder is not None and REPORT_NAME in folder.files:
        return []
    found = [] if folder is None else [*folder.faults]
    unreadable = any(fault.file == f"{path}/{REPORT_NAME}" for fault in found)
    if history.start is None:
        found.append(Refusal(slug="ledger-start-missing", file=path, expected="a start event", found="none"))
        return found
    if folder is not None:
        manifest, manifest_faults = _manifest(folder)
        found += [*manifest_faults, *binding_faults(folder, history, manifest)]
    end = history.end[1] if history.end else None
    if end is None:
        found.append(Refusal(slug="run-open", file=path, found=f"started {history.start[1].time}"))
    elif end.report_sha256 is not None:
        missing = Refusal(
            slug="ledger-unpublished", file=f"{path}/{REPORT_NAME}", expected=end.report_sha256, found="nothing"
        )
        found = [*(fault for fault in found if fault.slug != missing.slug), *([] if unreadable else [missing])]
    else:
        reason = end.reason or ""
        slug = reason if reason in _SHOWN_REASONS else "run-ended"
        found.append(Refusal(slug=slug, file=path, found=", ".join(end.rows or ()) or reason))
    return hardest_first(found)


def _manifest(folder: RunFolder) -> tuple[Manifest | None, list[Refusal]]:
    source = folder.files.get(MANIFEST_NAME)
    if source is None:
        return None, []  # its absence is named with its digest by the checks of binding
    try:
        return read_manifest(source), []
    except Refused as refused:
        return None, list(refused.refusals)


def _check_place(report: Report, folder: RunFolder) -> None:
    expected = f"{folder.protocol_id}/{folder.run_id}"
    found = f"{report.protocol_id}/{report.run_id}"
    if expected != found:
        file = f"{folder.path}/{REPORT_NAME}"
        raise Refused([Refusal(slug="report-misplaced", file=file, expected=expected, found=found)])


def _check_single(report: VerifiedReport, seen: dict[Digest, str]) -> None:
    """Refuse a report whose transcripts are those of another run: it would count one run twice."""
    first = seen.setdefault(report.report.digests.transcripts, report.run_id)
    if first != report.run_id:
        file = f"{report.folder.path}/{TRANSCRIPTS_NAME}"
        expected, found = "transcripts of its own", f"those of {first}"
        raise Refused([Refusal(slug="report-duplicate", file=file, expected=expected, found=found)])


def _start_faults(report: Report, folder: RunFolder, history: RunHistory) -> Iterator[Refusal]:
    file = f"{folder.path}/{REPORT_NAME}"
    if history.start is None or report.start_sha256 != history.start[0]:
        expected = history.start[0] if history.start else "a start of this run in the ledger"
        found = report.start_sha256 or "none"
        yield Refusal(slug="ledger-start-missing", file=file, path="/start_sha256", expected=expected, found=found)
    elif history.end is None:
        yield Refusal(
            slug="ledger-broken",
            file=file,
            expected="an end event that names this report",
            found="none",
            hint="the run was interrupted while it was being closed; `sitegen run --resume` closes it",
        )
    elif history.end[1].report_sha256 is None:
        found = f"an end without a report: {history.end[1].reason}"
        yield Refusal(slug="ledger-broken", file=file, expected="an end that names this report", found=found)


def _evidence(
    protocol: VerifiedProtocol, folder: RunFolder, history: RunHistory, report: Report, manifest: Manifest
) -> Evidence:
    source = folder.files[TRANSCRIPTS_NAME]
    transcripts = read_transcripts(source)
    found = list(transcript_faults(protocol, transcripts, source.path))
    if found:
        raise Refused(hardest_first(found))
    verdicts = read_verdicts(folder.files[VERDICTS_NAME]) if VERDICTS_NAME in folder.files else ()
    return Evidence(
        protocol=protocol,
        folder=folder,
        history=history,
        report=report,
        manifest=manifest,
        limits=limits_of(protocol.protocol.budget, manifest),
        dataset={row.task_id: row for row in transcripts if row.pack == "dataset"},
        null_pack={row.task_id: row for row in transcripts if row.pack == "null_pack"},
        verdicts={row.task_id: row.passed for row in verdicts if row.pack == "dataset"},
        null_verdicts={row.task_id: row.passed for row in verdicts if row.pack == "null_pack"},
    )


def _position(run_id: str, started: list[str], histories: dict[str, RunHistory]) -> _Started:
    def route(of: str) -> str | None:
        start = histories[of].start
        return start[1].route if start else None

    if run_id not in started:
        return _Started(number=0, total=len(started), of_route=0)
    same = sum(route(other) == route(run_id) for other in started)
    return _Started(number=started.index(run_id) + 1, total=len(started), of_route=same)


def _refused(
    unit: Unit,
    run_id: str,
    folder: RunFolder | None,
    history: RunHistory,
    refusals: tuple[Refusal, ...] | list[Refusal],
) -> RefusedRun:
    route = history.start[1].route if history.start else None
    return RefusedRun(
        protocol_id=unit.protocol_id, run_id=run_id, route=route, refusals=tuple(refusals), events=history.events
    )
