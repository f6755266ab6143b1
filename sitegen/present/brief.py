"""What the pages over all protocols say of one: far less than its own pages, since all of it is at hand at once."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from typing import NamedTuple

from sitegen.digests import Digest
from sitegen.present.exports import records_of
from sitegen.present.feed import Entry, entries_of
from sitegen.present.refused import RefusedSubject, refused_subjects
from sitegen.present.summary import Happening, ProtocolSummary, ReportSummary, UnitSummary, report_page, run_folder
from sitegen.read.encoding import compact_json
from sitegen.refusals import faults


class RunBrief(NamedTuple):
    """One published run: what it is called and where it stands, and no figure."""

    protocol_id: str
    run_id: str
    title: str
    route: str
    sha256: Digest

    @property
    def page(self) -> str:
        """The report's page."""
        return report_page(self.protocol_id, self.run_id)

    @property
    def evidence_folder(self) -> str:
        """Folder of the run's published bytes."""
        return run_folder(self.protocol_id, self.run_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolBrief:
    """One sealed protocol: what it is called, how large it is, and when it was withdrawn if it was."""

    family: str
    heading: str
    sha256: Digest
    sealed_at: str
    withdrawn_at: str | None
    page: str
    n: int
    n_negative: int
    n_null_pack: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitBrief:
    """One protocol with its runs. ``protocol`` is ``None`` where nothing of it is published.

    ``published``, ``refused`` and ``withdrawn`` count the runs; ``faulty`` those among the refused that are so for a
    fault, and ``at_fault`` tells whether the protocol itself is. ``subjects`` are what the page of refusals says. What
    the published runs are called, what the feed may tell and the records of the reports are kept deflated, as
    ``named``, ``told`` and ``stated``: each is needed for a moment, and of all protocols at once only these bytes are.
    """

    protocol_id: str
    protocol: ProtocolBrief | None
    published: int
    refused: int
    withdrawn: int
    faulty: int
    at_fault: bool
    subjects: tuple[RefusedSubject, ...]
    named: bytes = field(repr=False)
    told: bytes = field(repr=False)
    stated: bytes = field(repr=False)

    @property
    def runs(self) -> list[RunBrief]:
        """The published runs, in the order of their scorecards."""
        return [RunBrief(*values) for values in json.loads(zlib.decompress(self.named))]

    @property
    def entries(self) -> list[Entry]:
        """What the feed may say of it."""
        return [Entry(*values) for values in json.loads(zlib.decompress(self.told))]

    @property
    def records(self) -> bytes:
        """The records of its reports as they stand in ``data/reports.json``."""
        return zlib.decompress(self.stated)


def brief_of(summary: UnitSummary) -> UnitBrief:
    """Return what the pages over all protocols need of one."""
    withdrawn = len(summary.withdrawn_runs)
    return UnitBrief(
        protocol_id=summary.protocol_id,
        protocol=None if summary.protocol is None else _protocol(summary.protocol, summary.withdrawal),
        published=len(summary.reports),
        refused=len(summary.refused) - withdrawn,
        withdrawn=withdrawn,
        faulty=sum(run.is_fault for run in summary.refused),
        at_fault=bool(faults(summary.refusals)),
        subjects=tuple(refused_subjects(summary)),
        named=zlib.compress(compact_json([_run(report) for report in summary.reports]), 1),
        told=zlib.compress(compact_json(entries_of(summary)), 1),
        stated=zlib.compress(records_of(summary), 1),
    )


def _protocol(protocol: ProtocolSummary, withdrawal: Happening | None) -> ProtocolBrief:
    document = protocol.document
    return ProtocolBrief(
        family=document.family_name,
        heading=document.heading,
        sha256=protocol.sha256,
        sealed_at=protocol.sealed_at,
        withdrawn_at=None if withdrawal is None else withdrawal.time,
        page=protocol.page,
        n=document.seal.n,
        n_negative=document.seal.n_negative,
        n_null_pack=document.seal.n_null_pack,
    )


def _run(report: ReportSummary) -> RunBrief:
    return RunBrief(
        protocol_id=report.protocol_id,
        run_id=report.run_id,
        title=report.title,
        route=report.route,
        sha256=report.sha256,
    )
