"""The verifier: the only maker of verified records.

For each protocol, in this order:

1. the protocol's folder: sealed, unchanged, and an exam that may be sealed (:mod:`sitegen.verify.protocols`);
2. the ledger: whole, and in order (:mod:`sitegen.verify.chain`);
3. each run: its state in the ledger; then its files, its transcripts, its outcomes, its null pack, its conduct and its
   numbers, all reasons collected. Only a file that cannot be read stops the checks that need it, and a report that
   stands in another folder than it says stops all.

A report that was scored again is judged with the run that it is of, which stands under another protocol.

:func:`verify_unit` asks (it returns every reason); :func:`verify_report` insists (it raises :class:`Refused`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sitegen.digests import Digest
from sitegen.read.library import REPORTS, RunFolder, Unit
from sitegen.read.report import REPORT_NAME, Report, TaskStated, read_report, read_within
from sitegen.read.salting import unsalted_digest
from sitegen.read.transcript import Transcript
from sitegen.refusals import Refusal, Refused, faults, hardest_first
from sitegen.verify.chain import NO_HISTORY, RunHistory, find_chain_faults, histories_of
from sitegen.verify.conduct import find_conduct_faults
from sitegen.verify.elsewhere import elsewhere_faults
from sitegen.verify.evidence import Evidence, binding_faults, digest_faults, read_covering, read_evidence
from sitegen.verify.levels import level_faults, level_of
from sitegen.verify.numbers import find_number_faults
from sitegen.verify.protocols import SoundProtocol, examine_protocol
from sitegen.verify.recount import counted_card, counted_rows
from sitegen.verify.rescored import Origin, Origins, find_rescore_faults, no_such_origin
from sitegen.verify.standing import (
    Position,
    check_place,
    find_state,
    is_rehearsal,
    manifest_of,
    name_faults,
    position_of,
    positions_of,
    start_faults,
    tombstone_faults,
)
from sitegen.verify.steps import steps_of
from sitegen.verify.verified import (
    _ISSUED_BY_THE_VERIFIER,
    RefusedRun,
    VerifiedProtocol,
    VerifiedReport,
    VerifiedUnit,
)
from sitegen.verify.withheld import find_other_tasks, without_hidden


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the caller asks beside the unit itself; see :func:`verify_unit`."""

    witnessed: frozenset[Digest]
    any_level: bool
    published: bool
    origins: Origins


@dataclass(frozen=True, slots=True, kw_only=True)
class _Earlier:
    """The reports of the unit that were verified before, and the run of each by its transcripts.

    Those of a hidden test set are ``salted`` whenever they are scored, and are compared without their salts.
    """

    salted: bool
    reports: list[VerifiedReport] = field(default_factory=list)
    by_transcripts: dict[Digest, str] = field(default_factory=dict)

    def add(self, key: Digest, report: VerifiedReport) -> None:
        self.reports.append(report)
        self.by_transcripts[key] = report.run_id

    def key(self, report: Report, *packs: Mapping[str, Transcript]) -> Digest:
        """Return what no two runs share: a digest of the transcripts, the stated one where they are not here."""
        if not self.salted or not all(packs):
            return report.digests.transcripts
        return unsalted_digest(row for pack in packs for row in pack.values())


def verify_unit(
    unit: Unit,
    witnessed: frozenset[Digest] = frozenset(),
    *,
    any_level: bool = False,
    published: bool = False,
    origins: Origins = lambda protocol_id, run_id: None,
) -> VerifiedUnit:
    """Judge one protocol and all its runs.

    Args:
        unit: as read.
        witnessed: digests of the ledger events that the previously published site holds.
        any_level: accept reports below the protocol's ``require_level``, as those must be that are to be re-scored.
        published: the unit is read from a published site. Of a hidden test set, whose files the publisher had, levels
            are not asked again and intervals over clusters are taken as stated.
        origins: gives the runs of other protocols that reports of this one were scored again from.
    """
    asked = _Asked(witnessed=witnessed, any_level=any_level, published=published, origins=origins)
    protocol, refusals = _judge_protocol(unit)
    shown = None if any(refusal.slug == "protocol-withdrawn" for refusal in refusals) else protocol
    histories = histories_of(unit.ledger)
    folders = {folder.run_id: folder for folder in unit.runs}
    started = [run_id for run_id, history in histories.items() if history.start]
    known = [run_id for run_id, history in histories.items() if history.begun]
    positions = positions_of(started, histories)
    unplaced = Position(number=0, total=len(started), of_route=0)
    earlier = _Earlier(salted=shown is not None and shown.protocol.publish.evidence != "full")
    refused: list[RefusedRun] = []
    for run_id in [*known, *sorted(folders.keys() - set(known))]:
        history = histories.get(run_id, NO_HISTORY)
        folder = folders.get(run_id)
        if shown is None:
            refused.append(_refused(unit, run_id, folder, history, refusals))
            continue
        try:
            _verify_run(shown, run_id, folder, history, positions.get(run_id, unplaced), asked, earlier)
        except Refused as reasons:
            refused.append(_refused(unit, run_id, folder, history, reasons.refusals))
    return VerifiedUnit(
        protocol_id=unit.protocol_id,
        protocol=protocol,
        reports=tuple(earlier.reports),
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


def verify_origin(unit: Unit, run_id: str, *, published: bool = False) -> Origin:
    """Return one run as the source of a re-scoring. Its protocol may have been withdrawn, the run itself not.

    ``published`` as :func:`verify_unit` takes it.

    Raises:
        Refused: every reason why the run's answers may not be scored again.
    """
    protocol, refusals = _judge_protocol(unit)
    if protocol is None:
        raise Refused(refusals)
    histories = histories_of(unit.ledger)
    history = histories.get(run_id, NO_HISTORY)
    position = position_of(run_id, [one for one, of in histories.items() if of.start], histories)
    folder = next((folder for folder in unit.runs if folder.run_id == run_id), None)
    asked = _Asked(
        witnessed=frozenset(), any_level=False, published=published, origins=lambda protocol_id, run_id: None
    )
    nothing_earlier = _Earlier(salted=False)
    report = _verify_run(protocol, run_id, folder, history, position, asked, nothing_earlier)
    assert history.start is not None  # or the report would have been refused
    return Origin(protocol=protocol, report=report, start=history.start)


def _judge_protocol(unit: Unit) -> tuple[VerifiedProtocol | None, list[Refusal]]:
    sound, refusals = examine_protocol(unit)
    chain = find_chain_faults(unit.protocol_id, unit.ledger)
    refusals = hardest_first([*unit.faults, *chain, *refusals])
    return None if sound is None or faults(refusals) else _issue_protocol(sound), refusals


def _issue_protocol(sound: SoundProtocol) -> VerifiedProtocol:
    digest, event = sound.seal
    return VerifiedProtocol(
        protocol=sound.document.protocol,
        sha256=sound.document.sha256,
        sealed_at=event.time,
        seal_event=digest,
        whole_pack=sound.whole_pack,
        files=sound.files,
        withheld=sound.withheld,
        sources=sound.folder.files,
        notes=sound.folder.notes,
        issuer=_ISSUED_BY_THE_VERIFIER,
    )


def _verify_run(
    protocol: VerifiedProtocol,
    run_id: str,
    folder: RunFolder | None,
    history: RunHistory,
    position: Position,
    asked: _Asked,
    earlier: _Earlier,
) -> VerifiedReport:
    """Return one run's report, verified, and count it among the ``earlier`` ones of the next."""
    path = f"{REPORTS}/{protocol.protocol_id}/{run_id}"
    state = without_hidden(find_state(path, folder, history), folder, protocol.level)
    if folder is None or REPORT_NAME not in folder.files or history.withdrawal:
        raise Refused(state)
    manifest, found = manifest_of(folder)
    found = [*folder.faults, *found, *binding_faults(folder, history, manifest), *tombstone_faults(folder, history)]
    found = [*without_hidden(found, folder, protocol.level), *elsewhere_faults(folder)]
    found += name_faults(folder, protocol.sources)
    report = _report_in(folder, protocol, found)
    check_place(report, folder)
    exposure_seen = True
    start_found: list[Refusal] | None = None
    if history.rescored or report.rescored_from is not None:
        try:
            origin = _origin(report, protocol, history, asked, f"{path}/{REPORT_NAME}")
        except Refused as refused:
            start_found = list(refused.refusals)  # that the start is unknown is its consequence
        else:
            history, position = dataclasses.replace(history, start=origin.start), origin.position
            exposure_seen = not (protocol.withheld or origin.protocol.withheld)
            found += without_hidden(binding_faults(folder, history, manifest), folder, protocol.level)
    if is_rehearsal(report, history):
        found.append(Refusal(slug="channel-exploratory", file=f"{path}/{REPORT_NAME}"))
        raise Refused(hardest_first([*found, *(start_found or ())]))
    found += start_faults(report, folder, history) if start_found is None else start_found
    found += without_hidden(digest_faults(report, folder, protocol, history), folder, protocol.level)
    evidence, unread = read_evidence(protocol, folder, history, report, manifest, exposure_seen=exposure_seen)
    return _judge(evidence, [*found, *unread], position, asked, earlier)


def _report_in(folder: RunFolder, protocol: VerifiedProtocol, found: list[Refusal]) -> Report:
    """Return the run's report, and add what is wrong with its form to what was ``found``.

    Raises:
        Refused: it cannot be read; with all that was found, and that needs no report.
    """
    source = folder.files[REPORT_NAME]
    try:
        return read_report(source, protocol.protocol.publish.forbidden_fields)
    except Refused as refused:
        found += refused.refusals
        report = read_within(source, refused.refusals)
    if report is None:
        _, unread = read_covering(protocol, folder)
        raise Refused(hardest_first([*found, *unread]))
    return report


def _origin(report: Report, protocol: VerifiedProtocol, history: RunHistory, asked: _Asked, file: str) -> Origin:
    """Return the run that a re-scored report is of, or refuse the report."""
    stated = report.rescored_from
    if stated is None or history.start is not None:
        raise no_such_origin(
            file, "what the ledger says of this run", "started here" if stated else "started elsewhere"
        )
    unit = asked.origins(stated.protocol_id, stated.run_id)
    if unit is None:
        raise no_such_origin(file, f"the run {stated.protocol_id}/{stated.run_id}", "no such run")
    try:
        origin = verify_origin(unit, stated.run_id, published=asked.published)
    except Refused as refused:
        raise no_such_origin(file, "a run that would itself be published", str(refused)) from None
    found = find_rescore_faults(report, protocol, history, origin, file)
    if found:
        raise Refused(found)
    return origin


def _judge(
    evidence: Evidence, found: list[Refusal], position: Position, asked: _Asked, earlier: _Earlier
) -> VerifiedReport:
    rows, row_faults = counted_rows(evidence)
    report, publish = evidence.report, evidence.protocol.protocol.publish
    as_published = asked.published and bool(evidence.protocol.withheld)
    card, card_faults = counted_card(evidence, rows, as_published)
    level, level_found = level_of(evidence)
    found += [*row_faults, *find_conduct_faults(evidence), *card_faults]
    found += [*find_number_faults(report, card, publish, evidence.report_path), *level_found]
    found += [] if asked.any_level or as_published else level_faults(evidence, level)
    key = earlier.key(report, evidence.null_pack, evidence.dataset)
    found += [*_check_single(evidence, earlier.by_transcripts.get(key)), *_check_alike(evidence, rows, earlier)]
    manifest, start, end = evidence.manifest, evidence.history.start, evidence.history.end
    if found or card is None or manifest is None or start is None or end is None:
        raise Refused(hardest_first(found))  # what is None has been named
    verified = VerifiedReport(
        report=report,
        sha256=evidence.folder.files[REPORT_NAME].sha256,
        manifest=manifest,
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
    earlier.add(key, verified)
    return verified


def _check_single(evidence: Evidence, first: str | None) -> Iterator[Refusal]:
    """Yield where a report's transcripts are those of another run, the ``first``: it would count one run twice."""
    if first is not None:
        expected, found = "transcripts of its own", f"those of {first}"
        yield Refusal(slug="report-duplicate", file=evidence.transcripts_path, expected=expected, found=found)


def _check_alike(evidence: Evidence, rows: list[TaskStated], earlier: _Earlier) -> Iterator[Refusal]:
    """Yield where a report's tasks are others than those of another run of the same exam, which is withheld."""
    first = earlier.reports[0].rows if evidence.protocol.withheld and earlier.reports else ()
    if len(first) == len(rows):  # that rows are missing has been named
        yield from find_other_tasks(tuple(rows), first, evidence.report_path)


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
