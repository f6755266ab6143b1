"""The check of a finished page: what templates allow, nothing from elsewhere, no rate without its scorecard.

It reads the page as a browser would, and knows nothing of templates; so it holds for an owner's templates too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

from sitegen.present.page import Page
from sitegen.present.page_rules import (
    ARIA,
    DATA,
    ELEMENTS,
    FOREIGN,
    GLOBAL,
    RATES,
    SECTIONS_OF_CARD,
    VOID,
    WITHOUT_RATES,
)
from sitegen.present.policy import CONTENT_SECURITY_POLICY
from sitegen.refusals import Refusal

Attributes = Sequence[tuple[str, str | None]]

_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")
_LINKS = frozenset(("http", "https", "mailto"))
_RATE = re.compile(r"(?<![\d.,+\u2212-])[<>]?(?:0\.\d{3}|1\.000)(?![\d.])|(?<![\d.])(?!95%|5%)\d{1,3}(?:\.\d+)?\s?%")
_BOUNDS = re.compile(r"[01]\.\d{3}\s*–\s*[01]\.\d{3}")


def find_page_faults(page: Page) -> list[Refusal]:
    """Return everything that a finished page may not hold; empty for a file that is not a page.

    Slugs are ``page-shape`` and ``page-remote``.
    """
    if not page.path.endswith(".html"):
        return []
    checker = _Checker(page.path)
    try:
        checker.feed(page.data.decode("utf-8"))
        checker.close()
    except (AssertionError, ValueError) as error:  # of markup, or of a character reference, that no browser minds
        return [*checker.faults, checker.refusal("page-shape", "a page that can be read", str(error))]
    return checker.finish()


@dataclass(slots=True)
class _Cell:
    """One rate inside a scorecard: its class, k and n as attributes, and its text."""

    name: str | None
    k: str
    n: str
    text: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Open:
    """An element that is not closed yet, and what it stands in."""

    tag: str
    free: bool
    card: _Card | None
    cell: _Cell | None


@dataclass(slots=True)
class _Card:
    """A scorecard being read."""

    run: str
    line: int
    text: list[str] = field(default_factory=list)
    cells: list[_Cell] = field(default_factory=list)


class _Checker(HTMLParser):
    """Reads one page and collects its faults."""

    def __init__(self, file: str) -> None:
        super().__init__(convert_charrefs=True)
        self._file = file
        self.faults: list[Refusal] = []
        self._open: list[_Open] = []
        self._headings = 0
        self._policy = False

    def finish(self) -> list[Refusal]:
        if not self._policy:
            self._fault("page-shape", "the content security policy", "none")
        if self._headings != 1:
            self._fault("page-shape", "one h1", str(self._headings))
        return self.faults

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._element(tag, attrs)
        given = dict(attrs)
        outer = self._open[-1] if self._open else _Open(tag="", free=False, card=None, cell=None)
        classes = (given.get("class") or "").split()
        free = outer.free or tag in WITHOUT_RATES or not FOREIGN.isdisjoint(classes)
        free = free or "data-pair" in given or "data-repeated" in given
        inner = _Open(tag=tag, free=free, card=outer.card, cell=outer.cell)
        if "data-run" in given:
            inner.card = _Card(run=given["data-run"] or "", line=self.getpos()[0])
        if "data-k" in given:
            self._rate(inner, given, classes)
        if tag == "h1":
            self._headings += 1
        if tag not in VOID:
            self._open.append(inner)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1].tag != tag:
            self._fault("page-shape", "elements that are closed in order", f"</{tag}>")
            return
        closed = self._open.pop()
        outer = self._open[-1].card if self._open else None
        if closed.card is not None and closed.card is not outer:
            self._whole(closed.card)

    def handle_data(self, data: str) -> None:
        if not self._open:
            return
        inner = self._open[-1]
        if inner.cell is not None:
            inner.cell.text.append(data)
        if inner.card is not None:
            inner.card.text.append(data)
        elif not inner.free and (found := _RATE.search(data)):
            self._fault("page-shape", "a rate inside its scorecard", found.group())

    def handle_decl(self, decl: str) -> None:
        if decl.lower() != "doctype html":
            self._fault("page-shape", "<!doctype html>", decl)

    def handle_comment(self, data: str) -> None:
        self._fault("page-shape", "no comment", data)

    def handle_pi(self, data: str) -> None:
        self._fault("page-shape", "no processing instruction", data)

    def unknown_decl(self, data: str) -> None:
        self._fault("page-shape", "no declaration", data)

    def _element(self, tag: str, attrs: Attributes) -> None:
        allowed = ELEMENTS.get(tag)
        if allowed is None:
            self._fault("page-shape", "an element of the templates", f"<{tag}>")
            return
        names = [name for name, _ in attrs]
        for name in names:
            if name not in allowed and name not in GLOBAL and name not in DATA and name not in ARIA:
                self._fault("page-shape", f"an attribute of <{tag}>", name)
        if len(set(names)) != len(names):
            self._fault("page-shape", "each attribute once", f"<{tag}>")
        given = {name: value or "" for name, value in attrs}
        if tag == "script":
            self._script(given)
        elif tag == "meta" and "http-equiv" in given:
            self._policy = given.get("content") == CONTENT_SECURITY_POLICY
            if not self._policy or given["http-equiv"] != "Content-Security-Policy":
                self._fault("page-shape", CONTENT_SECURITY_POLICY, given.get("content", ""))
        elif tag == "img":
            self._local("src", given.get("src", ""))
        elif tag == "link" and given.get("rel") != "canonical":
            self._local("href", given.get("href", ""))
        elif tag == "a":
            self._link(given.get("href", "#"))

    def _script(self, given: dict[str, str]) -> None:
        if "src" in given:
            self._local("src", given["src"])
        elif given.get("type") != "application/ld+json":
            self._fault("page-shape", "a script of the site's assets", "an inline script")

    def _local(self, name: str, address: str) -> None:
        if _SCHEME.match(address) or address.startswith(("//", "\\")) or not address:
            self._fault("page-remote", f"a {name} inside the site", address)

    def _link(self, address: str) -> None:
        scheme = _SCHEME.match(address)
        if (scheme and scheme[1].lower() not in _LINKS) or address.startswith(("//", "\\")):
            self._fault("page-shape", "a link with http, https or mailto, or inside the site", address)

    def _rate(self, inner: _Open, given: dict[str, str | None], classes: list[str]) -> None:
        name = next((name for name in RATES if name in classes), None)
        inner.cell = _Cell(name=name, k=given.get("data-k") or "", n=given.get("data-n") or "")
        if not (given.get("data-low") and given.get("data-high") and given.get("data-n")):
            self._fault("page-shape", "k, n, low and high of a rate", "not all of them")
        if inner.card is None:
            self._fault("page-shape", "a rate inside its scorecard", f"{inner.cell.k}/{inner.cell.n}")
        else:
            inner.card.cells.append(inner.cell)

    def _whole(self, card: _Card) -> None:
        """Refuse a scorecard that shows a part of itself only."""
        found = sorted(str(cell.name) for cell in card.cells)
        if found != sorted(RATES):
            self._fault("page-shape", f"all four rates of {card.run}", ", ".join(found) or "none", card.line)
        for cell in card.cells:
            text = "".join(cell.text)
            if f"{cell.k}/{cell.n}" not in text or not _BOUNDS.search(text):
                self._fault("page-shape", f"k/n and interval of every rate of {card.run}", text.strip(), card.line)
        words = "".join(card.text).lower()
        for word in SECTIONS_OF_CARD:
            if word not in words:
                self._fault("page-shape", f"{word} in the scorecard of {card.run}", "nothing", card.line)

    def _fault(self, slug: str, expected: str, found: str, line: int | None = None) -> None:
        self.faults.append(self.refusal(slug, expected, found, line))

    def refusal(self, slug: str, expected: str, found: str, line: int | None = None) -> Refusal:
        place = f"line {self.getpos()[0] if line is None else line}"
        return Refusal(slug=slug, file=self._file, path=place, expected=expected, found=found)
