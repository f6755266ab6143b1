"""A report whose answers were given under another protocol and scored again under this one.

The run keeps its start, which stands in the other protocol's ledger. Here its ``end`` names that start, so that a
re-scoring is as visible as a run, and cannot be made of answers that nobody announced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sitegen.digests import Digest
from sitegen.read.ledger import Event
from sitegen.read.library import Unit
from sitegen.read.report import Report
from sitegen.refusals import Refusal, Refused
from sitegen.verify.chain import RunHistory
from sitegen.verify.exposure import exposure_of, find_exposure_differences
from sitegen.verify.standing import Position
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport

Origins = Callable[[str, str], Unit | None]
"""Gives another protocol with one of its runs, by their ids; ``None`` where there is no such run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The run that the answers are of, verified under the protocol that it was run under."""

    protocol: VerifiedProtocol
    report: VerifiedReport
    start: tuple[Digest, Event]

    @property
    def position(self) -> Position:
        """Where the run stands among those that were started with it, under its own protocol."""
        report = self.report
        return Position(number=report.run_number, total=report.runs_started, of_route=report.runs_of_route)


def find_rescore_faults(
    report: Report, protocol: VerifiedProtocol, history: RunHistory, origin: Origin, file: str
) -> list[Refusal]:
    """Return every way in which ``report`` is not the re-scoring of ``origin`` that it says it is."""
    return [*_named(report, history, origin, file), *_seen(protocol, origin, file)]


def no_such_origin(file: str, expected: str, found: str) -> Refused:
    """Return the refusal of a report whose source run cannot be had."""
    reason = Refusal(slug="rescore-mismatch", file=file, path="/rescored_from", expected=expected, found=found)
    return Refused([reason])


def _named(report: Report, history: RunHistory, origin: Origin, file: str) -> Iterator[Refusal]:
    stated, ours, source = report.rescored_from, report.digests, origin.report
    if history.end is None:
        expected = "an end event that names this report"
        hint = "the re-scoring was interrupted; the same `sitegen rescore` completes it"
        yield Refusal(slug="ledger-broken", file=file, expected=expected, found="none", hint=hint)
        return
    pairs = (
        ("/rescored_from/protocol_sha256", origin.protocol.sha256, stated.protocol_sha256 if stated else None),
        ("/rescored_from/report_sha256", source.sha256, stated.report_sha256 if stated else None),
        ("/digests/transcripts", source.report.digests.transcripts, ours.transcripts),
        ("/digests/manifest", source.report.digests.manifest, ours.manifest),
        ("/digests/solver", source.report.digests.solver, ours.solver),
        ("/made_by/how", "rescore", report.made_by.how),
        ("the start that the end event names", origin.start[0], history.end[1].start_sha256),
    )
    for path, expected, found in pairs:
        if expected != found:
            yield Refusal(slug="rescore-mismatch", file=file, path=path, expected=expected, found=found or "none")


def _seen(protocol: VerifiedProtocol, origin: Origin, file: str) -> Iterator[Refusal]:
    """Yield the first thing that a solver would have seen differently, and how many others there are.

    Where the tasks of either exam are withheld, nothing is compared.
    """
    if protocol.withheld or origin.protocol.withheld:
        return
    exposures = [
        exposure_of(exam.protocol, exam.pack, {part.path: part.sha256 for part in exam.files})
        for exam in (origin.protocol, protocol)
    ]
    differences = list(find_exposure_differences(*exposures))
    if differences:
        what, before, after = differences[0]
        more = f"{len(differences) - 1} more differ" if len(differences) > 1 else None
        path = f"what the solver saw: {what}"
        yield Refusal(slug="rescore-mismatch", file=file, path=path, expected=before, found=after, hint=more)
