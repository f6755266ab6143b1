"""The pages of no single protocol: home, refused, audit, and the page of an address that is not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.digests import Digest, Listed, is_digest
from sitegen.present.head import plain_head
from sitegen.present.look import Look
from sitegen.present.page import Page
from sitegen.present.summary import ProtocolSummary, UnitSummary
from sitegen.read.published import SITE_SUMS
from sitegen.refusals import MOST_SHOWN, Refusal
from sitegen.refusals.kinds import GROUPS
from sitegen.refusals.message import escape

PROTOCOLS_PER_PAGE = 100
"""Protocols on one home page; the rest stand on further pages."""
MOST_LISTED = 2000
"""Files that the audit page lists; of a larger site it names the lists that do."""
SUBJECTS_PER_PAGE = 1000
"""Protocols and reports on one audit page; the rest stand on further pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What stands in a site already: how many files, which ones unless they are too many to list, and which pages."""

    count: int
    files: Sequence[Listed] | None
    pages: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Protocols of one family, latest seal first."""

    name: str
    units: tuple[UnitSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalLine:
    """One refusal on the page: slug, place, digests where expected and found are digests, and the remedy. No figure."""

    slug: str
    recorded: bool
    file: str
    path: str
    expected: str | None
    found: str | None
    hint: str | None
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedSubject:
    """A run, or a protocol as a whole (``run_id`` is ``None``), with its reasons; ``more`` counts those left out."""

    protocol_id: str
    run_id: str | None
    route: str | None
    reason: str | None
    time: str | None
    lines: tuple[RefusalLine, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A protocol or report on the audit page: the digest of its file, and the list of what else its folder holds."""

    name: str
    page: str
    sha256: Digest
    file: str
    role: Literal["protocol", "report"]
    sums: str


def home_pages(look: Look, summaries: Sequence[UnitSummary]) -> Iterator[Page]:
    """Yield what is published, by family and protocol, latest version first; on several pages where it is much."""
    ordered = [unit for family in families_of(summaries) for unit in family.units]
    runs = sum(len(summary.reports) for summary in ordered)
    description = f"{look.settings.title}: {len(ordered)} sealed protocols, {runs} published runs."
    starts = range(0, len(ordered), PROTOCOLS_PER_PAGE) or range(1)
    for number, start in enumerate(starts, start=1):
        path = "index.html" if number == 1 else f"home/page-{number}.html"
        title = look.settings.title if number == 1 else f"Protocols, page {number} of {len(starts)}"
        data = look.render(
            "home.html",
            path,
            head=plain_head(look.settings, path, title, description),
            families=families_of(ordered[start : start + PROTOCOLS_PER_PAGE]),
            runs=runs,
            protocols=len(ordered),
            page_number=number,
            page_count=len(starts),
        )
        yield Page(path=path, data=data)


def families_of(summaries: Sequence[UnitSummary]) -> list[Family]:
    """Return the families of published protocols by name."""
    found: dict[str, list[UnitSummary]] = {}
    for summary in summaries:
        if summary.protocol is not None:
            found.setdefault(summary.protocol.document.family_name, []).append(summary)
    return [
        Family(name=name, units=tuple(sorted(units, key=_latest, reverse=True)))
        for name, units in sorted(found.items())
    ]


def refused_page(look: Look, summaries: Sequence[UnitSummary]) -> Page:
    """Return the list of everything that is not published, with its reason, and the explanation of every reason."""
    path = "refused/index.html"
    subjects = [subject for summary in summaries for subject in _subjects(summary)]
    head = plain_head(look.settings, path, "Refused", "Every run that is not published, and why. Never a figure.")
    return Page(path=path, data=look.render("refused.html", path, head=head, subjects=subjects, groups=GROUPS))


def refusal_lines(refusals: Sequence[Refusal]) -> tuple[RefusalLine, ...]:
    """Return the refusals as lines for a page, at most :data:`MOST_SHOWN`."""
    return tuple(
        RefusalLine(
            slug=refusal.slug,
            recorded=refusal.recorded,
            file=escape(refusal.file),
            path=escape(refusal.path),
            expected=refusal.expected if is_digest(refusal.expected) else None,
            found=refusal.found if is_digest(refusal.found) else None,
            hint=None if refusal.hint is None else escape(refusal.hint, 400),
            remedy=refusal.kind.remedy,
        )
        for refusal in refusals[:MOST_SHOWN]
    )


def audit_pages(look: Look, summaries: Sequence[UnitSummary], contents: Contents) -> Iterator[Page]:
    """Yield the audit page, and further pages of identities where there are many."""
    subjects = [subject for summary in summaries for subject in _identities(summary)]
    starts = range(0, len(subjects), SUBJECTS_PER_PAGE) or range(1)
    for number, start in enumerate(starts, start=1):
        path = "audit/index.html" if number == 1 else f"audit/page-{number}.html"
        title = "Audit" if number == 1 else f"Audit, page {number} of {len(starts)}"
        head = plain_head(look.settings, path, title, "Every digest of this site, and three ways to check them.")
        data = look.render(
            "audit.html",
            path,
            head=head,
            contents=contents,
            subjects=subjects[start : start + SUBJECTS_PER_PAGE],
            page_number=number,
            page_count=len(starts),
        )
        yield Page(path=path, data=data)


def _identities(summary: UnitSummary) -> Iterator[Identity]:
    if summary.protocol is None:
        return
    folder = f"evidence/{summary.protocol_id}"
    sealed = f"{folder}/protocol.sealed.yaml"
    yield Identity(
        name=summary.protocol_id,
        page=summary.protocol.page,
        sha256=summary.protocol.sha256,
        file=sealed,
        role="protocol",
        sums=f"{folder}/{SITE_SUMS}",
    )
    for report in summary.reports:
        folder = report.evidence_folder
        yield Identity(
            name=report.run_id,
            page=report.page,
            sha256=report.sha256,
            file=f"{folder}/report.json",
            role="report",
            sums=f"{folder}/{SITE_SUMS}",
        )


def not_found_page(look: Look) -> Page:
    """Return the page of an address that is not there. A host shows it at any depth, so its links start at the root."""
    from urllib.parse import urlsplit

    head = plain_head(look.settings, "404.html", "Not found", "There is no page at this address.")
    base = look.settings.base_url
    root = urlsplit(base).path.rstrip("/") + "/" if base else ""
    return Page(path="404.html", data=look.render("404.html", "404.html", head=head, at_root=root))


def _subjects(summary: UnitSummary) -> Iterator[RefusedSubject]:
    withheld = summary.protocol is None
    if summary.refusals:
        yield RefusedSubject(
            protocol_id=summary.protocol_id,
            run_id=None,
            route=None,
            reason=next((event.reason for event in summary.happenings if event.reason and event.run_id is None), None),
            time=None,
            lines=refusal_lines(summary.refusals),
            more=max(0, len(summary.refusals) - MOST_SHOWN),
        )
    for run in summary.refused:
        refusals = () if withheld and run.refusals == summary.refusals else run.refusals
        stated = next(((event.reason, event.time) for _, event in reversed(run.events) if event.reason), (None, None))
        yield RefusedSubject(
            protocol_id=run.protocol_id,
            run_id=run.run_id,
            route=run.route,
            reason=stated[0],
            time=stated[1],
            lines=refusal_lines(refusals),
            more=max(0, len(refusals) - MOST_SHOWN),
        )


def _latest(summary: UnitSummary) -> tuple[str, str]:
    protocol: ProtocolSummary | None = summary.protocol
    return ("" if protocol is None else protocol.sealed_at, summary.protocol_id)
