"""The Atom feed of seals, publications and withdrawals, and the files that hosts and search engines read.

Dates are the claims of the ledger; there is no clock in a site.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from sitegen.digests import Digest, sha256
from sitegen.present.cards import card_forms
from sitegen.present.citing import address, one_line
from sitegen.present.page import Page
from sitegen.present.policy import CONTENT_SECURITY_POLICY
from sitegen.present.summary import Happening, UnitSummary
from sitegen.read.settings import Settings

FEED = "feed.xml"
_MOST_ENTRIES = 200

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of the feed. ``path`` is the page it leads to."""

    digest: Digest
    time: str
    title: str
    path: str
    text: str


def feed(settings: Settings, summaries: Sequence[UnitSummary]) -> Page | None:
    """Return the feed, latest first, or ``None`` where nothing has happened yet."""
    entries = sorted(
        (entry for summary in summaries for entry in _entries(summary)),
        key=lambda entry: (entry.time, entry.digest),
        reverse=True,
    )[:_MOST_ENTRIES]
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


def _entries(summary: UnitSummary) -> Iterator[Entry]:
    if summary.protocol is None:
        return
    reports = {report.end: report for report in summary.reports}
    withdrawn = set(summary.withdrawn)
    title = summary.protocol.document.heading
    for happening in summary.happenings:
        report = reports.get(happening.digest)
        if report is not None:
            yield Entry(
                digest=happening.digest,
                time=happening.time,
                title=f"Published: {report.title} on {title}",
                path=report.page,
                text=card_forms(report).line,
            )
        elif happening.kind == "seal":
            text = f"Protocol {summary.protocol_id}, sha256 {summary.protocol.sha256}"
            yield _of(happening, f"Sealed: {title}", summary.protocol.page, text)
        elif happening.kind == "withdraw":
            page = summary.protocol.page
            if happening.run_id in withdrawn:
                page = f"protocols/{summary.protocol_id}/{happening.run_id}/index.html"
            subject = happening.run_id or summary.protocol_id
            yield _of(happening, f"Withdrawn: {subject}", page, f"Reason: {happening.reason}")


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
