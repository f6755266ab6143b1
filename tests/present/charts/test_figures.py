"""The charts of a protocol: four kinds, small, legible at 3 and at 60 contestants, none without a run."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from sitegen.present.charts.figures import _spread, figures_of
from sitegen.present.charts.specs import SQUARE
from sitegen.present.charts.store import FigureStore
from sitegen.present.comparing import groups_of
from sitegen.present.summary import summarise
from sitegen.verify.verified import VerifiedUnit


def test_four_charts_each_named_and_whole(unit: VerifiedUnit) -> None:
    assert unit.protocol is not None
    groups = groups_of(unit.protocol, unit.reports, summarise(unit).reports)
    figures = figures_of(groups, unit.reports, 40, 12, FigureStore(None))
    assert len(figures) == 4
    for figure in figures:
        root = ElementTree.fromstring(figure.svg)
        assert root.get("aria-label")
        assert figure.caption
    forest = ElementTree.fromstring(figures[0].svg)
    texts = {element.text for element in forest.iter("text")}
    for report in unit.reports:
        assert any(text and text.startswith(f"{report.card.success.k}/40") for text in texts)
    timed_out = "".join(ElementTree.fromstring(figures[2].svg).itertext())
    assert "1 timed out" in timed_out


def test_without_a_run_there_is_no_chart() -> None:
    assert figures_of((), (), 40, 12, FigureStore(None)) == []


@given(st.lists(st.integers(0, 40).map(lambda k: k / 40), max_size=24))
def test_labels_stand_apart_in_the_order_of_their_points(places: list[float]) -> None:
    spread = _spread(places)
    order = sorted(range(len(places)), key=lambda index: (places[index], -index))
    placed = [spread[index] for index in order]
    assert all(b - a >= 14 / SQUARE for a, b in pairwise(placed))
    assert all(-1e-9 <= place <= 1 for place in placed)
