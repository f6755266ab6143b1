"""The pages of no single protocol: home, audit, and the page of an address that is not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from sitegen.digests import Digest, Listed
from sitegen.present.brief import UnitBrief
from sitegen.present.head import plain_head
from sitegen.present.look import Look
from sitegen.present.page import Page
from sitegen.present.wording import counted
from sitegen.read.published import SITE_SUMS

PROTOCOLS_PER_PAGE = 100
"""Protocols on one home page; the rest stand on further pages."""
MOST_LISTED = 2000
"""Files that the audit page lists; of a larger site it names the lists that do."""
SUBJECTS_PER_PAGE = 500
"""Protocols and reports on one audit page; the rest stand on further pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What stands in a site already: how many files, which ones unless they are too many to list, and which pages.

    ``pages`` are for the list of their addresses, and empty where the site's own is not known.
    """

    count: int
    files: Sequence[Listed] | None
    pages: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Protocols of one family, latest seal first."""

    name: str
    units: tuple[UnitBrief, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A protocol or report on the audit page: the digest of its file, and the list of what else its folder holds."""

    name: str
    page: str
    sha256: Digest
    file: str
    role: Literal["protocol", "report"]
    sums: str


def home_pages(look: Look, briefs: Sequence[UnitBrief]) -> Iterator[Page]:
    """Yield what is published, by family and protocol, latest version first; on several pages where it is much."""
    ordered = [unit for family in families_of(briefs) for unit in family.units]
    runs = sum(brief.published for brief in ordered)
    counts = f"{counted(len(ordered), 'sealed protocol')}, {counted(runs, 'published run')}"
    faulty = [brief for brief in briefs if brief.faulty or brief.at_fault]
    starts = range(0, len(ordered), PROTOCOLS_PER_PAGE) or range(1)
    for number, start in enumerate(starts, start=1):
        path = "index.html" if number == 1 else f"home/page-{number}.html"
        title = look.settings.title if number == 1 else f"Protocols, page {number} of {len(starts)}"
        data = look.render(
            "home.html",
            path,
            head=plain_head(look.settings, path, title, f"{look.settings.title}: {counts}."),
            families=families_of(ordered[start : start + PROTOCOLS_PER_PAGE]),
            runs=runs,
            protocols=len(ordered),
            withdrawn=sum(brief.protocol is not None and brief.protocol.withdrawn_at is not None for brief in ordered),
            faulty=faulty,
            page_number=number,
            page_count=len(starts),
        )
        yield Page(path=path, data=data)


def families_of(briefs: Sequence[UnitBrief]) -> list[Family]:
    """Return the families of published protocols by name."""
    found: dict[str, list[UnitBrief]] = {}
    for brief in briefs:
        if brief.protocol is not None:
            found.setdefault(brief.protocol.family, []).append(brief)
    return [
        Family(name=name, units=tuple(sorted(units, key=_latest, reverse=True)))
        for name, units in sorted(found.items())
    ]


def audit_pages(look: Look, briefs: Sequence[UnitBrief], contents: Contents) -> Iterator[Page]:
    """Yield the audit page, and further pages of identities where there are many."""
    count = sum(1 + brief.published for brief in briefs if brief.protocol is not None)
    subjects = (subject for brief in briefs for subject in _identities(brief))
    starts = range(0, count, SUBJECTS_PER_PAGE) or range(1)
    for number, _ in enumerate(starts, start=1):
        path = "audit/index.html" if number == 1 else f"audit/page-{number}.html"
        title = "Audit" if number == 1 else f"Audit, page {number} of {len(starts)}"
        head = plain_head(look.settings, path, title, "Every digest of this site, and three ways to check them.")
        data = look.render(
            "audit.html",
            path,
            head=head,
            contents=contents,
            subjects=list(islice(subjects, SUBJECTS_PER_PAGE)),
            page_number=number,
            page_count=len(starts),
        )
        yield Page(path=path, data=data)


def _identities(brief: UnitBrief) -> Iterator[Identity]:
    if brief.protocol is None:
        return
    folder = f"evidence/{brief.protocol_id}"
    yield Identity(
        name=brief.protocol_id,
        page=brief.protocol.page,
        sha256=brief.protocol.sha256,
        file=f"{folder}/protocol.sealed.yaml",
        role="protocol",
        sums=f"{folder}/{SITE_SUMS}",
    )
    for run in brief.runs:
        yield Identity(
            name=run.run_id,
            page=run.page,
            sha256=run.sha256,
            file=f"{run.evidence_folder}/report.json",
            role="report",
            sums=f"{run.evidence_folder}/{SITE_SUMS}",
        )


def not_found_page(look: Look) -> Page:
    """Return the page of an address that is not there. A host shows it at any depth, so its links start at the root."""
    from urllib.parse import urlsplit

    head = plain_head(look.settings, "404.html", "Not found", "There is no page at this address.")
    base = look.settings.base_url
    root = urlsplit(base).path.rstrip("/") + "/" if base else ""
    return Page(path="404.html", data=look.render("404.html", "404.html", head=head, at_root=root))


def _latest(brief: UnitBrief) -> tuple[str, str]:
    return ("" if brief.protocol is None else brief.protocol.sealed_at, brief.protocol_id)
