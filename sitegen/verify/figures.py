"""Every figure on the published pages and in the exports, against the recomputed scorecards."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

from sitegen.measure.rounding import rate4
from sitegen.measure.scorecard import Estimate, Scorecard
from sitegen.read.files import SourceFile
from sitegen.read.strict import parse_json
from sitegen.refusals import Refusal, Refused

Cards = Mapping[str, Mapping[str, Scorecard]]
"""The recomputed scorecard of each published run, by run id and then by protocol id."""

_RATES = ("success", "abstention", "invalid", "false")
"""Class of the cell that shows a rate, in the order of :func:`_estimates`."""
_EXPORTED = ("task_success", "abstention_accuracy", "invalid_completion", "false_abstention")
_FIGURES = re.compile(r"[<>]?\d\.\d{3}|\d+/\d+")
_COUNTS = re.compile(r'data-(?:k|n|count)="\w*"(?:>\d+)?|n = \d+|\d+ : \d+')
_DECIMALS = re.compile(r"\d+\.\d+|\d+/\d+")
_VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"))


def find_page_faults(source: SourceFile, cards: Cards) -> Iterator[Refusal]:
    """Yield ``page-number`` for each rate of a page that is not the recomputed one, or stands without the others."""
    folders = source.path.split("/")
    protocol_id = folders[1] if folders[0] == "protocols" else None
    shown: dict[str, set[str]] = {}
    if len(folders) == 4 and protocol_id in cards.get(folders[2], ()):
        shown[folders[2]] = set()  # the report's own page must show its scorecard
    try:
        cells = _cells(source)
    except (AssertionError, ValueError) as error:  # of markup, or of a character reference, that no browser minds
        yield Refusal(slug="page-number", file=source.path, expected="a page that can be read", found=str(error))
        return
    for cell in cells:
        rate = next((name for name in _RATES if name in cell.classes), "")
        shown.setdefault(cell.run, set()).add(rate)
        known = [card for owner, card in cards.get(cell.run, {}).items() if protocol_id in (owner, None)]
        if not any(cell.shows(_estimates(card)[rate]) for card in known if rate):
            place = f"{cell.run} {rate or 'a rate of no known kind'}"
            found = f"{' '.join(map(str, cell.numbers))} {' '.join(sorted(cell.figures))}"
            expected = "the figure that the evidence gives"
            yield Refusal(slug="page-number", file=source.path, path=place, expected=expected, found=found)
    for run, rates in shown.items():
        if len(rates) < len(_RATES):
            expected, found = "a whole scorecard", f"{len(rates)} of {len(_RATES)} rates"
            yield Refusal(slug="page-number", file=source.path, path=run, expected=expected, found=found)


def figures_in(path: str, data: bytes) -> list[str]:
    """Return the rates, bounds, fractions and counts of a published file in their order, wherever in it they stand."""
    text = html.unescape(data.decode("utf-8", "replace"))
    if not path.endswith(".html"):
        return _DECIMALS.findall(text)
    return [*_FIGURES.findall(text), *_COUNTS.findall(text)]


def find_export_faults(source: SourceFile, cards: Cards) -> Iterator[Refusal]:
    """Yield ``page-number`` where ``data/reports.json`` is not the published runs with their recomputed rates."""
    published = {(owner, run): card for run, owners in cards.items() for owner, card in owners.items()}
    try:
        records = _records(source)
        named = {key for key, _ in records}
    except (Refused, KeyError, TypeError) as error:  # no list of objects, or one with a list as an id
        yield Refusal(slug="page-number", file=source.path, expected="the published reports", found=str(error))
        return
    if named != published.keys() or len(records) != len(named):
        expected, others = f"{len(published)} published runs", f"{len(records)} records, not one of each of these runs"
        yield Refusal(slug="page-number", file=source.path, path="/reports", expected=expected, found=others)
    for key, record in records:
        if key in published:
            yield from _rate_faults(source.path, key[1], record, published[key])


def _records(source: SourceFile) -> list[tuple[tuple[str, str], dict[str, Any]]]:
    """Return each record of the export after its two ids, which are not known to be text."""
    value = parse_json(source.data, source.path)
    return [((record["protocol_id"], record["run_id"]), record) for record in value["reports"]]


def _rate_faults(file: str, run_id: str, record: Mapping[str, Any], card: Scorecard) -> Iterator[Refusal]:
    for name, estimate in zip(_EXPORTED, _estimates(card).values(), strict=True):
        wanted = (estimate.k, estimate.n, rate4(estimate.k, estimate.n), *estimate.stated)
        stated = record.get(name)
        parts = stated if isinstance(stated, dict) else {}
        found = tuple(parts.get(part) for part in ("k", "n", "rate", "low", "high"))
        if found != wanted:
            place = f"{run_id} {name}"
            yield Refusal(slug="page-number", file=file, path=place, expected=str(wanted), found=str(found))


def _estimates(card: Scorecard) -> dict[str, Estimate]:
    return dict(zip(_RATES, (card.success, card.abstention, card.invalid, card.false_abstention), strict=True))


class _Cell:
    """One element with ``data-k``: the run it stands under, its classes, its numbers and its text."""

    def __init__(self, run: str, attributes: Mapping[str, str | None]) -> None:
        self.run = run
        self.classes = frozenset((attributes.get("class") or "").split())
        self.numbers = [attributes.get(f"data-{name}") for name in ("k", "n", "low", "high")]
        self.text: list[str] = []

    @property
    def figures(self) -> set[str]:
        """The rates, bounds and fractions in the text."""
        return set(_FIGURES.findall(" ".join(self.text)))

    def shows(self, estimate: Estimate) -> bool:
        """Tell whether attributes and text are those of this rate."""
        try:
            numbers = [float(number or "") for number in self.numbers]
        except ValueError:
            return False
        wanted = [estimate.k, estimate.n, *estimate.stated]
        return numbers == wanted and self.figures == {estimate.text, f"{estimate.k}/{estimate.n}", *estimate.bounds}


class _Reader(HTMLParser):
    """Collects the cells of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[_Cell] = []
        self._open: list[tuple[str, str, _Cell | None]] = [("", "", None)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        _, run, cell = self._open[-1]
        run = attributes.get("data-run") or run
        if "data-k" in attributes:
            cell = _Cell(run, attributes)
            self.cells.append(cell)
        if tag not in _VOID:
            self._open.append((tag, run, cell))

    def handle_endtag(self, tag: str) -> None:
        while len(self._open) > 1 and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        cell = self._open[-1][2]
        if cell is not None:
            cell.text.append(data)


def _cells(source: SourceFile) -> list[_Cell]:
    reader = _Reader()
    reader.feed(source.data.decode("utf-8", "replace"))
    reader.close()
    return reader.cells
