"""The Atom feed of seals, publications and withdrawals, and the files that hosts and search engines read.

Dates are the claims of the ledger; there is no clock in a site.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nlargest
from html import escape
from typing import NamedTuple

from sitegen.digests import Digest, sha256
from sitegen.present.cards import card_forms
from sitegen.present.citing import address, one_line
from sitegen.present.page import Page
from sitegen.present.policy import CONTENT_SECURITY_POLICY
from sitegen.present.summary import Happening, ProtocolSummary, ReportSummary, UnitSummary
from sitegen.read.settings import Settings

FEED = "feed.xml"
MOST_ENTRIES = 200

_HEADERS = f"""/*
  Content-Security-Policy: {CONTENT_SECURITY_POLICY}; frame-ancestors 'none'
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Cross-Origin-Opener-Policy: same-origin
  Permissions-Policy: camera=(), geolocation=(), microphone=()
/evidence/*
  Content-Security-Policy: default-src 'none'; sandbox
  X-Content-Type-Options: nosniff
/assets/*
  Cache-Control: public, max-age=31536000, immutable
"""


class Entry(NamedTuple):
    """One entry of the feed. ``path`` is the page it leads to."""

    digest: Digest
    time: str
    title: str
    path: str
    text: str


def feed(settings: Settings, told: Iterable[Entry]) -> Page | None:
    """Return the feed, latest first, or ``None`` where nothing has happened yet."""
    entries = nlargest(MOST_ENTRIES, told, key=_when)
    if not entries:
        return None
    where = address(settings, FEED)
    identity = where or f"urn:sha256:{sha256(settings.title.encode())}"
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{_xml(settings.title)}</title>",
        f"<id>{_xml(identity)}</id>",
        f"<updated>{entries[0].time}</updated>",
        f"<author><name>{_xml(settings.organisation or settings.title)}</name></author>",
        f'<link rel="self" href="{_xml(where or FEED)}"/>',
        *(_entry(settings, entry) for entry in entries),
        "</feed>",
    ]
    return Page(path=FEED, data=("\n".join(parts) + "\n").encode())


def sitemap(settings: Settings, paths: Sequence[str]) -> Page | None:
    """Return the sitemap of all pages, or ``None`` where the site's address is not known."""
    if settings.base_url is None:
        return None
    places = [address(settings, path) for path in sorted(paths) if path.endswith(".html") and path != "404.html"]
    lines = "".join(f"<url><loc>{_xml(place)}</loc></url>\n" for place in places if place)
    data = (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}</urlset>\n'
    )
    return Page(path="sitemap.xml", data=data.encode())


def headers() -> Page:
    """Return the file that hosts such as Netlify and Cloudflare Pages read."""
    return Page(path="_headers", data=_HEADERS.encode())


def entries_of(summary: UnitSummary) -> tuple[Entry, ...]:
    """Return what the feed may tell of one protocol."""
    protocol = summary.protocol
    if protocol is None:
        return ()
    reports = {report.end: report for report in summary.reports}
    told = nlargest(MOST_ENTRIES, summary.happenings, key=lambda happening: (happening.time, happening.digest))
    entries = (_entry_of(happening, summary, protocol, reports.get(happening.digest)) for happening in told)
    return tuple(entry for entry in entries if entry is not None)


def _entry_of(
    happening: Happening, summary: UnitSummary, protocol: ProtocolSummary, report: ReportSummary | None
) -> Entry | None:
    title = protocol.document.heading
    if report is not None:
        text = card_forms(report).line
        return _of(happening, f"Published: {report.title} on {title} ({summary.protocol_id})", report.page, text)
    if happening.kind == "seal":
        text = f"Protocol {summary.protocol_id}, sha256 {protocol.sha256}"
        return _of(happening, f"Sealed: {title}", protocol.page, text)
    if happening.kind == "withdraw":
        page = protocol.page
        if happening.run_id in summary.withdrawn:
            page = f"protocols/{summary.protocol_id}/{happening.run_id}/index.html"
        return _of(
            happening, f"Withdrawn: {happening.run_id or summary.protocol_id}", page, f"Reason: {happening.reason}"
        )
    return None


def _when(entry: Entry) -> tuple[str, Digest]:
    return entry.time, entry.digest


def _of(happening: Happening, title: str, path: str, text: str) -> Entry:
    return Entry(digest=happening.digest, time=happening.time, title=title, path=path, text=text)


def _entry(settings: Settings, entry: Entry) -> str:
    return (
        f"<entry><title>{_xml(entry.title)}</title><id>urn:sha256:{entry.digest}</id>"
        f"<updated>{entry.time}</updated>"
        f'<link rel="alternate" href="{_xml(address(settings, entry.path) or entry.path)}"/>'
        f'<content type="text">{_xml(entry.text)}</content></entry>'
    )


def _xml(text: str) -> str:
    return escape(one_line(text))
