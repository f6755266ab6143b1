"""Where a run stands: by its ledger and its folder, before anything of its report is believed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.read.ledger import LEDGER_FOLDER
from sitegen.read.library import SIGNATURES_FOLDER, WITHDRAWN_NAME, RunFolder
from sitegen.read.manifest import MANIFEST_NAME, Manifest, read_manifest
from sitegen.read.names import unsafe
from sitegen.read.published import BESIDE
from sitegen.read.report import REPORT_NAME, Report
from sitegen.read.strict_yaml import parse_yaml
from sitegen.refusals import Refusal, Refused, hardest_first
from sitegen.verify.chain import RunHistory
from sitegen.verify.evidence import binding_faults

_OF_A_SITE = ("index.html", "pairs.html", LEDGER_FOLDER, SIGNATURES_FOLDER, *BESIDE)
"""Names that a site gives to files and folders beside those of a protocol's runs."""
_SHOWN_REASONS = frozenset(("null-pack-failed", "route-changed"))
"""Reasons of an end that have a slug of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where a run stands among all runs that were started under the protocol."""

    number: int
    total: int
    of_route: int


def position_of(run_id: str, started: Sequence[str], histories: Mapping[str, RunHistory]) -> Position:
    """Return which of the ``started`` runs this is, and how many of them are by its route."""
    unknown = Position(number=0, total=len(started), of_route=0)
    return positions_of(started, histories).get(run_id, unknown)


def positions_of(started: Sequence[str], histories: Mapping[str, RunHistory]) -> dict[str, Position]:
    """Return where each of the ``started`` runs stands, as :func:`position_of`."""
    starts = [histories[run_id].start for run_id in started]
    routes = [start[1].route if start else None for start in starts]
    by_route = Counter(routes)
    return {
        run_id: Position(number=number, total=len(started), of_route=by_route[route])
        for number, (run_id, route) in enumerate(zip(started, routes, strict=True), start=1)
    }


def find_state(path: str, folder: RunFolder | None, history: RunHistory) -> list[Refusal]:
    """Return why a run has no report to verify, by the ledger and its folder; empty where it has one."""
    if history.withdrawal is not None:
        event = history.withdrawal[1]
        withdrawn = Refusal(slug="report-withdrawn", file=path, found=f"{event.time}: {event.reason}")
        return [*([] if folder is None else tombstone_faults(folder, history)), withdrawn]
    if folder is not None and REPORT_NAME in folder.files:
        return []
    found = [] if folder is None else [*folder.faults]
    begun = history.begun
    if begun is None:
        found.append(Refusal(slug="ledger-start-missing", file=path, expected="a start event", found="none"))
        return found
    if folder is not None:
        manifest, manifest_faults = manifest_of(folder)
        found += [*manifest_faults, *binding_faults(folder, history, manifest)]
    end = history.end[1] if history.end else None
    if end is None:
        found.append(Refusal(slug="run-open", file=path, found=f"started {begun[1].time}"))
    elif end.report_sha256 is not None:
        if folder is None:  # of a folder that is here, its binding has said what is missing
            file = f"{path}/{REPORT_NAME}"
            found.append(Refusal(slug="ledger-unpublished", file=file, expected=end.report_sha256, found="nothing"))
    else:
        reason = end.reason or ""
        slug = reason if reason in _SHOWN_REASONS else "run-ended"
        found.append(Refusal(slug=slug, file=path, found=", ".join(end.rows or ()) or reason))
    return hardest_first(found)


def tombstone_faults(folder: RunFolder, history: RunHistory) -> Iterator[Refusal]:
    """Yield where the run's folder says that it was withdrawn, and the ledger says otherwise."""
    source = folder.files.get(WITHDRAWN_NAME)
    if source is None:
        return
    if history.withdrawal is None:
        expected = "no tombstone: the ledger knows no withdrawal"
        yield Refusal(slug="evidence-unlisted", file=source.path, expected=expected, found=WITHDRAWN_NAME)
        return
    digest, event = history.withdrawal
    recorded = {"run_id": folder.run_id, "event": digest, "time": event.time, "reason": event.reason}
    try:
        same = parse_yaml(source.data, source.path) == recorded
    except Refused as refused:
        yield from refused.refusals
        return
    if not same:
        expected = f"what the event {digest} says"
        yield Refusal(slug="evidence-mismatch", file=source.path, expected=expected, found="something else")


def manifest_of(folder: RunFolder) -> tuple[Manifest | None, list[Refusal]]:
    """Return the run's manifest, or ``None`` and what is wrong with it."""
    source = folder.files.get(MANIFEST_NAME)
    if source is None:
        return None, []  # its absence is named with its digest by the checks of binding
    try:
        return read_manifest(source), []
    except Refused as refused:
        return None, list(refused.refusals)


def check_place(report: Report, folder: RunFolder) -> None:
    """Refuse a report that stands in another folder than it says."""
    expected = f"{folder.protocol_id}/{folder.run_id}"
    found = f"{report.protocol_id}/{report.run_id}"
    if expected != found:
        file = f"{folder.path}/{REPORT_NAME}"
        raise Refused([Refusal(slug="report-misplaced", file=file, expected=expected, found=found)])


def name_faults(folder: RunFolder, sealed: Iterable[str]) -> Iterator[Refusal]:
    """Yield ``path-unsafe`` for a run whose id is the name of something else that a site has of its protocol.

    Ids that sitegen gives are none, but a ledger may be made by hand. ``sealed`` are the paths of the sealed files.
    """
    taken = {path.split("/", 1)[0].casefold() for path in (*_OF_A_SITE, *sealed)}
    if folder.run_id.casefold() in taken:
        yield unsafe(folder.path, "a name that nothing else of its protocol has", folder.run_id)


def is_rehearsal(report: Report, history: RunHistory) -> bool:
    """Tell whether the run is exploratory: by its report, and by its start where the ledger has one.

    A run that was started as scored stays one, whatever its report says.
    """
    opened = "exploratory" if history.start is None else history.start[1].channel
    return report.channel == opened == "exploratory"


def start_faults(report: Report, folder: RunFolder, history: RunHistory) -> Iterator[Refusal]:
    """Yield where the report does not name the start, or no end names the report."""
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
