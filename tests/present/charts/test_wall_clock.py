"""The panels of wall-clock times stand where their axes say."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.measure.scorecard import Scorecard
from sitegen.present.charts.drawing import Drawable, draw
from sitegen.present.charts.labels import labels_of, room
from sitegen.present.charts.specs import SMALL, SMALL_COLUMNS, SMALL_GAP, TICK
from sitegen.present.charts.store import FigureStore
from sitegen.present.charts.wall_clock import ticks_of, wall_clock
from sitegen.verify.verified import VerifiedUnit


def made(unit: VerifiedUnit, times: int = 1) -> Drawable:
    labels = labels_of({report.run_id: report.run_id for report in unit.reports})
    found = wall_clock([*unit.reports] * times, labels, "some runs")
    assert found is not None
    return found


def test_a_curve_rises_where_a_task_ended(unit: VerifiedUnit) -> None:
    """Its first step is the quickest task, and it ends at the share of all tasks that ended in time."""
    drawable = made(unit)
    report = unit.reports[0]
    ended = sorted(r.wall_clock_sec for r in report.rows if r.wall_clock_sec is not None and r.outcome != "timeout")
    times = [row.wall_clock_sec for run in unit.reports for row in run.rows if row.wall_clock_sec is not None]
    low, high = min(times) * 0.8, max(times) * 1.25
    path = next(row["path"] for row in drawable.rows if row["mark"] == "ended")
    corners = [tuple(map(float, corner)) for corner in re.findall(r"[ML]([\d.]+),([\d.]+)", path)]
    assert corners[0] == (0, SMALL[1])
    step = next(x for (x, y), (_, after) in pairwise(corners) if after < y)
    assert abs(step - SMALL[0] * math.log(ended[0] / low) / math.log(high / low)) <= 4
    assert corners[-1] == (SMALL[0], round(SMALL[1] * (1 - round(len(ended) / len(report.rows), 4)), 2))


def test_the_curve_of_solved_tasks_ends_at_task_success(unit: VerifiedUnit) -> None:
    for report, path in zip(
        unit.reports, (row["path"] for row in made(unit).rows if row["mark"] == "solved"), strict=True
    ):
        card: Scorecard = report.card
        bottom, last = float(re.split("[,L]", path)[1]), float(path.rpartition(",")[2])
        assert abs((bottom - last) / SMALL[1] - card.success.k / card.success.n) < 0.001


def test_panels_stand_in_rows_and_only_the_first_of_a_row_has_shares(unit: VerifiedUnit) -> None:
    drawable = made(unit, times=3)
    runs = 3 * len(unit.reports)
    headings = [(row["x"], row["y"]) for row in drawable.rows if row["mark"] == "heading"]
    assert len(headings) == len(set(headings)) == runs
    assert max(x for x, _ in headings) == (SMALL_COLUMNS - 1) * (SMALL[0] + SMALL_GAP)
    lines = math.ceil(runs / SMALL_COLUMNS)
    assert sum(row["mark"] == "share" for row in drawable.rows) == 3 * lines
    assert [row["text"] for row in drawable.rows if row["mark"] == "unit"] == ["seconds"] * lines


def test_curves_of_two_runs_are_not_one(unit: VerifiedUnit) -> None:
    svg = draw("x", lambda: made(unit), FigureStore(None))
    assert svg is not None
    curves = [e.get("d") or "" for e in ElementTree.fromstring(svg).iter("path") if e.get("stroke-width") == "1.8"]
    assert sum(curve.count("M") for curve in curves) == len(unit.reports)


@pytest.mark.parametrize(
    ("domain", "ticks"),
    [((0.03, 0.19), [0.03, 0.04, 0.06, 0.08]), ((0.03, 0.09), [0.03, 0.04, 0.05, 0.06, 0.08])],
)
def test_ticks_whose_labels_would_run_together_are_left_out(domain: tuple[float, float], ticks: list[float]) -> None:
    assert ticks_of(domain) == ticks


@given(st.floats(0.001, 1000), st.floats(1.6, 1e6))
def test_the_labels_of_ticks_never_touch(low: float, times: float) -> None:
    domain = (low, low * times)
    places = [SMALL[0] * math.log(tick / low) / math.log(times) for tick in ticks_of(domain)]
    widths = [room((f"{tick:,.10g}",), TICK) for tick in ticks_of(domain)]
    for (left, right), (one, other) in zip(pairwise(places), pairwise(widths), strict=True):
        assert right - other / 2 - (left + one / 2) >= 5 - 1e-6
