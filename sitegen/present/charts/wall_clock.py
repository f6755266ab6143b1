"""The chart of wall-clock times: a small panel a run, all of them placed here and drawn as one.

As panels of their own they would cost the converter four times as much, most of it for axes that are all the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sitegen.present.charts.drawing import Drawable
from sitegen.present.charts.labels import room
from sitegen.present.charts.specs import SMALL, SMALL_COLUMNS, SMALL_GAP, SMALL_LINE_GAP, TICK
from sitegen.present.charts.tidy import Box
from sitegen.verify.verified import VerifiedReport

_FASTEST = 0.001  # seconds
_FEW = 8
"""Runs up to which curves are drawn finely."""
_SHARES = (0.0, 0.5, 1.0)
_FEWEST_TICKS = 3
_LEAST_APART = 5
"""Pixels between the labels of two ticks."""
_TICK, _HEADING, _UNIT = 5, 12, 22
"""Length of a tick, how far above its panel a heading stands, and how far below it the unit, in pixels."""

Row = dict[str, Any]


def wall_clock(reports: Sequence[VerifiedReport], labels: Mapping[str, str], runs: str) -> Drawable | None:
    """Return the chart of the runs with a recorded time, in their order; ``None`` without one.

    Args:
        reports: the runs.
        labels: of the runs, by id.
        runs: how many there are, in words.
    """
    times = [row.wall_clock_sec for report in reports for row in report.rows if row.wall_clock_sec is not None]
    if not times:
        return None
    low, high = max(_FASTEST, min(times)), max(_FASTEST, *times)
    domain = (round(low * 0.8, 6), round(high * 1.25, 6))
    shown = [report for report in reports if any(row.wall_clock_sec is not None for row in report.rows)]
    pixels = 2 if len(shown) <= _FEW else 4
    columns, lines = min(len(shown), SMALL_COLUMNS), math.ceil(len(shown) / SMALL_COLUMNS)
    panels = [_Panel(number, domain, pixels) for number in range(len(shown))]
    pairs = zip(panels, shown, strict=True)
    rows = [row for panel, report in pairs for row in panel.rows(report, labels[report.run_id])]
    width = columns * (SMALL[0] + SMALL_GAP) - SMALL_GAP
    height = lines * (SMALL[1] + SMALL_LINE_GAP) - SMALL_LINE_GAP
    return Drawable(
        kind="wall_clock",
        rows=rows,
        box=Box(left=-34, top=-30, width=width + 46, height=height + 72),
        label=f"Share of tasks ended, and of ordinary tasks solved, by wall-clock time, for {runs};"
        " quantiles stand in the table above",
    )


@dataclass(frozen=True, slots=True)
class _Panel:
    """One run's frame: ``number`` says where it stands, ``domain`` the ends of its axis in seconds."""

    number: int
    domain: tuple[float, float]
    pixels: int

    @property
    def left(self) -> float:
        return self.number % SMALL_COLUMNS * (SMALL[0] + SMALL_GAP)

    @property
    def top(self) -> float:
        return self.number // SMALL_COLUMNS * (SMALL[1] + SMALL_LINE_GAP)

    def x(self, seconds: float) -> float:
        low, high = self.domain
        return round(self.left + SMALL[0] * math.log(seconds / low) / math.log(high / low), 2)

    def y(self, share: float) -> float:
        return round(self.top + SMALL[1] * (1 - share), 2)

    def rows(self, report: VerifiedReport, label: str) -> Iterator[Row]:
        """Yield every mark of the panel."""
        yield {"mark": "heading", "x": self.left, "y": self.top - _HEADING, "text": label}
        yield from self._frame()
        yield from self._curves(report)

    def _frame(self) -> Iterator[Row]:
        right, bottom = self.left + SMALL[0], self.top + SMALL[1]
        ticks = [(self.x(tick), _written(tick)) for tick in ticks_of(self.domain)]
        for x in (self.left, *(place for place, _ in ticks), right):
            yield _line("grid", x, self.top, x, bottom)
        for share in _SHARES:
            yield _line("grid", self.left, self.y(share), right, self.y(share))
        yield _line("axis", self.left, bottom, right, bottom)
        for x, text in ticks:
            yield _line("axis", x, bottom, x, bottom + _TICK)
            yield {"mark": "seconds", "x": x, "y": bottom + _TICK + 2, "text": text}
        if self.number % SMALL_COLUMNS == 0:
            yield {"mark": "unit", "x": self.left + SMALL[0] / 2, "y": bottom + _UNIT, "text": "seconds"}
            yield _line("axis", self.left, self.top, self.left, bottom)
            for share in _SHARES:
                yield _line("axis", self.left - _TICK, self.y(share), self.left, self.y(share))
                yield {"mark": "share", "x": self.left - _TICK - 2, "y": self.y(share), "text": f"{share:.1f}"}

    def _curves(self, report: VerifiedReport) -> Iterator[Row]:
        timed = [row for row in report.rows if row.wall_clock_sec is not None]
        ended = [row.wall_clock_sec for row in timed if row.outcome != "timeout"]
        solved = [row.wall_clock_sec for row in timed if row.outcome == "success"]
        for mark, values, total in (("ended", ended, len(report.rows)), ("solved", solved, report.card.success.n)):
            corners = self._steps((value for value in values if value is not None), total)
            yield {"mark": mark, "x": 0, "y": 0, "path": self._path(list(corners))}
        timeouts = report.card.covariates.wall_clock_sec.timeouts
        if timeouts:
            below = self.y(1 - timeouts / len(report.rows))
            yield {"mark": "timed out", "x": self.left, "y": self.top, "x2": self.left + SMALL[0], "y2": below}
            yield {"mark": "timeouts", "x": self.left + 4, "y": self.top + 4, "text": f"{timeouts} timed out"}

    def _path(self, corners: Sequence[tuple[float, float]]) -> str:
        """Return a step curve as path data: across to each corner, and then up to it."""
        parts, height = [f"M{self.x(corners[0][0])},{self.y(corners[0][1])}"], self.y(corners[0][1])
        for seconds, share in corners[1:]:
            across = self.x(seconds)
            parts.append(f"L{across},{height}L{across},{self.y(share)}")
            height = self.y(share)
        return "".join(parts)

    def _steps(self, values: Iterable[float], total: int) -> Iterator[tuple[float, float]]:
        """Yield the corners of a step curve, at most one every few pixels."""
        low, high = self.domain
        yield low, 0.0
        scale = SMALL[0] / self.pixels / math.log(high / low)
        columns = groupby(
            enumerate(sorted(max(_FASTEST, value) for value in values), start=1),
            key=lambda entry: int(math.log(entry[1] / low) * scale),
        )
        share = 0.0
        for _, same in columns:
            count, value = list(same)[-1]
            share = round(count / total, 4)
            yield round(value, 4), share
        yield high, share


def _line(mark: str, x: float, y: float, x2: float, y2: float) -> Row:
    """Return a thin line; half a pixel off, it is sharp."""
    ends = {"x": round(x) + 0.5, "y": round(y) + 0.5, "x2": round(x2) + 0.5, "y2": round(y2) + 0.5}
    return {"mark": mark, **ends}


def ticks_of(domain: tuple[float, float]) -> list[float]:
    """Return the ticks of a logarithmic axis: powers of ten, and multiples of them where these are fewer than three."""
    decades = range(math.floor(math.log10(domain[0])), math.ceil(math.log10(domain[1])) + 1)
    ticks: list[float] = []
    for digits in ((1,), (1, 2, 5), tuple(range(1, 10)), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)):
        inside = (float(f"{digit}e{decade}") for decade in decades for digit in digits)
        ticks = _apart([tick for tick in inside if domain[0] <= tick <= domain[1]], domain)
        if len(ticks) >= _FEWEST_TICKS:
            return ticks
    return ticks or [float(f"{math.sqrt(domain[0] * domain[1]):.2g}")]


def _apart(ticks: Sequence[float], domain: tuple[float, float]) -> list[float]:
    """Leave out the ticks whose labels would run into the one before."""
    scale = SMALL[0] / math.log(domain[1] / domain[0])
    found: list[float] = []
    for tick in ticks:
        if not found or math.log(tick / found[-1]) * scale >= _half(tick) + _half(found[-1]) + _LEAST_APART:
            found.append(tick)
    return found


def _half(tick: float) -> float:
    return room((_written(tick),), TICK) / 2


def _written(tick: float) -> str:
    return f"{tick:,.10g}"
