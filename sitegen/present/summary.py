"""Small records of a unit: what every page that is not the unit's own needs, picklable and without evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sitegen.compare.family import FamilyMember, member_of
from sitegen.digests import Digest
from sitegen.measure.scorecard import Scorecard
from sitegen.present.covariates import CovariateLines, covariate_lines
from sitegen.read.manifest import Manifest
from sitegen.read.protocol import SealedProtocol
from sitegen.read.report import Digests, MadeBy, RescoredFrom
from sitegen.refusals import Refusal
from sitegen.refusals.message import escape
from sitegen.verify.commitments import published_files
from sitegen.verify.verified import (
    Level,
    RefusedRun,
    Stamp,
    VerifiedProtocol,
    VerifiedReport,
    VerifiedUnit,
    Witness,
)


def report_page(protocol_id: str, run_id: str) -> str:
    """Return the page of a report, below the site's root."""
    return f"protocols/{protocol_id}/{run_id}/index.html"


def run_folder(protocol_id: str, run_id: str) -> str:
    """Return the folder of a run's published bytes, below the site's root."""
    return f"evidence/{protocol_id}/{run_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSummary:
    """One published report: its whole scorecard and where it stands. Paths are below the site's root."""

    protocol_id: str
    protocol_sha256: Digest
    protocol_title: str
    ci_method: str
    evidence: str
    run_id: str
    route: str
    manifest: Manifest = field(repr=False)
    sha256: Digest
    digests: Digests
    start: Digest
    end: Digest
    card: Scorecard
    covariates: CovariateLines
    level: Level
    witness: Witness
    run_number: int
    runs_started: int
    runs_of_route: int
    started_at: str
    ended_at: str
    made_by: MadeBy
    rescored_from: RescoredFrom | None

    @property
    def title(self) -> str:
        """The contestant's title, or the route where there is none."""
        return self.manifest.title or self.route

    @property
    def folder(self) -> str:
        """Folder of the report's page."""
        return f"protocols/{self.protocol_id}/{self.run_id}"

    @property
    def page(self) -> str:
        """The report's page."""
        return report_page(self.protocol_id, self.run_id)

    @property
    def evidence_folder(self) -> str:
        """Folder of the run's published bytes."""
        return run_folder(self.protocol_id, self.run_id)

    @property
    def order(self) -> tuple[float, str, str]:
        """Key of the order of rows: success rate descending, then route, then run."""
        return (-self.card.success.rate, self.route, self.run_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolSummary:
    """One sealed protocol: what identifies it and how large it is.

    ``files`` counts all sealed files, and ``withheld`` those among them that were not here to be hashed. ``metric`` is
    where the metric's bytes are published, below the site's root; ``None`` where they are kept back.
    """

    document: SealedProtocol = field(repr=False)
    sha256: Digest
    sealed_at: str
    files: int
    withheld: int
    metric: str | None

    @property
    def page(self) -> str:
        """The protocol's page."""
        return f"protocols/{self.document.protocol_id}/index.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One event of the ledger, as the feed tells it."""

    digest: Digest
    kind: str
    time: str
    run_id: str | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitSummary:
    """One protocol with its runs. ``protocol`` is ``None`` where nothing of it is published.

    ``started`` counts the starts in the ledger, refused and unfinished ones included; ``heads`` are the ledger's;
    ``withdrawn`` is the digest of the withdrawal by run, ``signers`` says who signed an event, and ``stamps`` by whom
    the time of an event is witnessed, as (digest, event, stamp). ``member`` is what the
    page of the family needs, where the protocol is one of several versions and its tasks are here.
    """

    protocol_id: str
    protocol: ProtocolSummary | None
    reports: tuple[ReportSummary, ...]
    refused: tuple[RefusedRun, ...]
    refusals: tuple[Refusal, ...]
    happenings: tuple[Happening, ...]
    started: int
    heads: tuple[Digest, ...]
    withdrawn: Mapping[str, Digest]
    signers: Mapping[Digest, str]
    stamps: tuple[tuple[Digest, str, Stamp], ...]
    member: FamilyMember | None = field(repr=False)

    @property
    def withdrawal(self) -> Happening | None:
        """The withdrawal of the whole protocol, where there was one."""
        return next((one for one in self.happenings if one.kind == "withdraw" and one.run_id is None), None)

    @property
    def withdrawn_runs(self) -> tuple[RefusedRun, ...]:
        """Runs that the owner withdrew: by themselves, or those with a scored report with the whole protocol."""
        whole = self.withdrawal is not None
        return tuple(run for run in self.refused if was_withdrawn(run) or (whole and _has_scored_report(run)))


def summarise(unit: VerifiedUnit, *, in_family: bool = False) -> UnitSummary:
    """Return the summary of a unit, reports in the order of rows; ``in_family`` where other versions are published."""
    protocol = unit.protocol
    reports = () if protocol is None else tuple(_report(protocol, report) for report in unit.reports)
    return UnitSummary(
        protocol_id=unit.protocol_id,
        protocol=None if protocol is None else _protocol(protocol),
        reports=tuple(sorted(reports, key=lambda report: report.order)),
        refused=tuple(replace(run, run_id=escape(run.run_id)) for run in unit.refused),  # a folder may have any name
        refusals=unit.refusals,
        happenings=tuple(_happenings(unit)),
        started=len(unit.ledger.of("start")),
        heads=unit.ledger.heads,
        withdrawn=dict(_withdrawals(unit)),
        signers=dict(unit.signers),
        stamps=tuple(
            (digest, event.event, unit.stamps[digest])
            for digest, event in unit.ledger.ordered()
            if digest in unit.stamps
        ),
        member=None if protocol is None or protocol.withheld or not in_family else member_of(protocol, unit.reports),
    )


def was_withdrawn(run: RefusedRun) -> bool:
    """Tell whether the owner withdrew this run by itself, whatever became of its protocol."""
    return any(event.event == "withdraw" for _, event in run.events)


def has_report(run: RefusedRun) -> bool:
    """Tell whether the run ended with a report."""
    return any(event.report_sha256 is not None for _, event in run.events if event.event == "end")


def _has_scored_report(run: RefusedRun) -> bool:
    return has_report(run) and all(event.channel != "exploratory" for _, event in run.events)


def _protocol(protocol: VerifiedProtocol) -> ProtocolSummary:
    metric = protocol.protocol.metric.module.removeprefix("./")
    return ProtocolSummary(
        document=protocol.protocol,
        sha256=protocol.sha256,
        sealed_at=protocol.sealed_at,
        files=len(protocol.files) + len(protocol.withheld),
        withheld=len(protocol.withheld),
        metric=f"evidence/{protocol.protocol_id}/{metric}" if metric in published_files(protocol) else None,
    )


def _report(protocol: VerifiedProtocol, report: VerifiedReport) -> ReportSummary:
    stated = report.report
    return ReportSummary(
        protocol_id=protocol.protocol_id,
        protocol_sha256=protocol.sha256,
        protocol_title=protocol.protocol.heading,
        ci_method=protocol.protocol.publish.ci_method,
        evidence=protocol.level,
        run_id=report.run_id,
        route=stated.route,
        manifest=report.manifest,
        sha256=report.sha256,
        digests=stated.digests,
        start=report.start,
        end=report.end,
        card=report.card,
        covariates=covariate_lines(report.card.covariates, report.rows),
        level=report.level,
        witness=report.witness,
        run_number=report.run_number,
        runs_started=report.runs_started,
        runs_of_route=report.runs_of_route,
        started_at=report.started_at,
        ended_at=report.ended_at,
        made_by=stated.made_by,
        rescored_from=stated.rescored_from,
    )


def _withdrawals(unit: VerifiedUnit) -> Iterator[tuple[str, Digest]]:
    gone = {run.run_id for run in unit.refused if was_withdrawn(run)}
    for digest, event in unit.ledger.of("withdraw"):
        if event.run_id in gone:
            yield event.run_id, digest


def _happenings(unit: VerifiedUnit) -> Iterator[Happening]:
    """Yield what a feed tells: the seal, each published end, each withdrawal. A refused run has no end in it."""
    published = {report.end for report in unit.reports}
    for digest, event in unit.ledger.ordered():
        if event.event in ("seal", "withdraw") or digest in published:
            yield Happening(digest=digest, kind=event.event, time=event.time, run_id=event.run_id, reason=event.reason)
