"""Markdown, sanitised, its links checked: the owner's notes (not sealed, and labelled so) and sitegen's own manual."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from markupsafe import Markup

from sitegen.present.visible import visible
from sitegen.read.files import SourceFile
from sitegen.refusals import Refusal

MOST_BYTES = 64 * 1024
"""Size of notes above which they are not shown, but linked."""

_TAGS = (
    *("p", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "em", "strong", "code", "pre", "blockquote", "a"),
    *("table", "thead", "tbody", "tr", "th", "td", "hr", "br", "dl", "dt", "dd", "del", "sub", "sup"),
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ALLOWED = ("https:", "http:", "mailto:")
_HEADING = re.compile(r"<(/?)h([1-6])>")

_MOST_LINES, _MOST_SEARCHED = 2_000, 3_000_000
"""Most lines, and most bytes that are searched for the ends of brackets: the converter takes quadratic time in both."""
_MOST_OPENED = 16
"""Most lists and quotations that one line opens: the converter reads the rest of the line again in each."""
_OPENED = re.compile(rb"^[ \t]*(?:(?:[-*+]|[0-9]+\.)[ \t]+|>[ \t]*)+", re.MULTILINE)
_OPENING = re.compile(rb"[-*+](?=[ \t])|[0-9]\.|>")


class _TooMuch(Exception):
    """Text that would take too long to convert; its arguments are what is expected and what was found."""


def find_note_faults(notes: SourceFile | None) -> Iterator[Refusal]:
    """Yield ``link-unsafe`` for each link that leads out of the site or has another scheme, and ``file-too-large``."""
    if notes is None:
        return
    try:
        html = _converted(notes.data)
    except _TooMuch as excess:
        expected, found = excess.args
        yield Refusal(slug="file-too-large", file=notes.path, expected=expected, found=found)
        return
    for target in re.findall(r'<a\s[^>]*?href="([^"]*)"', html):
        if not _is_safe(target):
            expected = "a link with https, http or mailto, or to a place on this page"
            yield Refusal(slug="link-unsafe", file=notes.path, expected=expected, found=target)


def notes_html(notes: SourceFile | None) -> Markup | None:
    """Return the notes as safe HTML, headings two levels down; ``None`` where there are none or they are too large."""
    if notes is None:
        return None
    try:
        html = _converted(notes.data)
    except _TooMuch:
        return None
    lowered = _HEADING.sub(lambda m: f"<{m[1]}h{min(6, int(m[2]) + 2)}>", html)
    return _clean(lowered, {"a": {"href"}}, lambda target: target if _is_safe(target) else None)


def manual_html(source: bytes, address_of: Callable[[str], str | None]) -> Markup:
    """Return a page of the manual as safe HTML; its headings keep their level and get an id.

    Args:
        source: Markdown.
        address_of: gives the address of each link, or ``None`` to drop it.
    """
    attributes = {"a": {"href"}, "h2": {"id"}, "h3": {"id"}}
    return _clean(_converted(source, headings_named=True), attributes, address_of)


def _clean(html: str, attributes: dict[str, set[str]], address_of: Callable[[str], str | None]) -> Markup:
    import nh3

    clean = nh3.clean(
        html,
        tags=set(_TAGS),
        attributes=attributes,
        attribute_filter=lambda tag, name, value: address_of(value) if name == "href" else value,
        url_schemes={"https", "http", "mailto"},
        link_rel="nofollow noopener noreferrer",
    )
    return Markup(clean)


@lru_cache(maxsize=4)
def _converted(data: bytes, headings_named: bool = False) -> str:
    import markdown

    brackets = data.count(b"[") + data.count(b"<")
    opened = max((len(_OPENING.findall(run)) for run in _OPENED.findall(data)), default=0)
    limits = (
        ("bytes", len(data), MOST_BYTES),
        ("lines", data.count(b"\n"), _MOST_LINES),
        ("lists and quotations opened by a line", opened, _MOST_OPENED),
    )
    for what, count, most in (*limits, ("opening brackets", brackets, _MOST_SEARCHED // max(len(data), 1))):
        if count > most:
            raise _TooMuch(f"at most {most} {what}", f"{count} {what}")
    text = visible(data.decode("utf-8", "backslashreplace"))
    extensions = ["tables", "fenced_code", *(["toc"] if headings_named else [])]
    try:
        return markdown.markdown(text, extensions=extensions, output_format="html")
    except RecursionError:
        raise _TooMuch("lists and quotations of a few levels", "deeper nesting") from None


def _is_safe(target: str) -> bool:
    """Links to a place on the page, or with one of the three schemes."""
    scheme = _SCHEME.match(target.strip())
    if scheme:
        return scheme.group().lower() in _ALLOWED
    return target.startswith("#")
