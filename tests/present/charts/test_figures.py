"""The charts of a protocol: four kinds, small, legible at 3 and at 60 contestants, none without a run."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from sitegen.present.charts.figures import _source, _spread, figures_of
from sitegen.present.charts.specs import SQUARE
from sitegen.present.charts.store import FigureStore
from sitegen.present.comparing import Standing, groups_of
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


def test_a_chart_is_looked_up_by_every_value_that_it_shows(unit: VerifiedUnit) -> None:
    assert unit.protocol is not None
    groups = groups_of(unit.protocol, unit.reports, summarise(unit).reports)
    verified = {report.run_id: report for report in unit.reports}
    first = unit.reports[0]
    rows = first.rows
    seen = [_source(groups, verified), _source(groups[:-1], verified), _source(groups[::-1], verified)]
    for changed in (
        {"rows": (structs.replace(rows[0], wall_clock_sec=999.0), *rows[1:])},
        {"rows": (structs.replace(rows[0], outcome="blocked"), *rows[1:])},
        {"rows": (structs.replace(rows[0], kind="negative"), *rows[1:])},
        {"rows": rows[::-1]},
        {"card": dataclasses.replace(first.card, success=dataclasses.replace(first.card.success, k=1))},
        {"card": dataclasses.replace(first.card, abstention=dataclasses.replace(first.card.abstention, k=1))},
    ):
        seen.append(_source(groups, verified | {first.run_id: dataclasses.replace(first, **changed)}))
    row = groups[0].rows[0]
    manifest = structs.replace(row.report.manifest, title="another title")
    for other in (
        dataclasses.replace(row, success=Standing(letters="zz", ranks=(1, 1))),
        dataclasses.replace(row, report=dataclasses.replace(row.report, manifest=manifest)),
    ):
        group = dataclasses.replace(groups[0], rows=(other, *groups[0].rows[1:]))
        seen.append(_source((group, *groups[1:]), verified))
    assert len(set(seen)) == len(seen)
    assert seen[0] == _source(groups, dict(reversed(verified.items())))


def test_without_a_run_there_is_no_chart() -> None:
    assert figures_of((), (), 40, 12, FigureStore(None)) == []


@given(st.lists(st.integers(0, 40).map(lambda k: k / 40), max_size=24))
def test_labels_stand_apart_in_the_order_of_their_points(places: list[float]) -> None:
    spread = _spread(places)
    order = sorted(range(len(places)), key=lambda index: (places[index], -index))
    placed = [spread[index] for index in order]
    assert all(b - a >= 14 / SQUARE for a, b in pairwise(placed))
    assert all(-1e-9 <= place <= 1 for place in placed)
