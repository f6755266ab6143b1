"""The charts of a protocol: four kinds, small, legible at 3 and at 60 contestants, none without a run."""

from __future__ import annotations

import dataclasses
import re
from itertools import combinations
from xml.etree import ElementTree

from msgspec import structs

from sitegen.measure.scorecard import estimate
from sitegen.present.charts.figures import _source, figures_of
from sitegen.present.charts.labels import labels_of
from sitegen.present.charts.specs import CAP, SQUARE
from sitegen.present.charts.store import FigureStore
from sitegen.present.comparing import Group, Standing, groups_of
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
    labels = labels_of(dict.fromkeys(verified, "a title"))
    seen = [_source(some, verified, labels) for some in (groups, groups[:-1], groups[::-1])]
    for changed in (
        {"rows": (structs.replace(rows[0], wall_clock_sec=999.0), *rows[1:])},
        {"rows": (structs.replace(rows[0], outcome="blocked"), *rows[1:])},
        {"rows": (structs.replace(rows[0], kind="negative"), *rows[1:])},
        {"rows": rows[::-1]},
        {"card": dataclasses.replace(first.card, success=dataclasses.replace(first.card.success, k=1))},
        {"card": dataclasses.replace(first.card, abstention=dataclasses.replace(first.card.abstention, k=1))},
    ):
        seen.append(_source(groups, verified | {first.run_id: dataclasses.replace(first, **changed)}, labels))
    row = dataclasses.replace(groups[0].rows[0], success=Standing(letters="zz", ranks=(1, 1)))
    group = dataclasses.replace(groups[0], rows=(row, *groups[0].rows[1:]))
    seen.append(_source((group, *groups[1:]), verified, labels))
    seen.append(_source(groups, verified, labels | {first.run_id: "another title"}))
    assert len(set(seen)) == len(seen)
    assert seen[0] == _source(groups, dict(reversed(verified.items())), labels)


def test_without_a_run_there_is_no_chart() -> None:
    assert figures_of((), (), 40, 12, FigureStore(None)) == []


def with_rates(group: Group, *counts: tuple[int, int]) -> Group:
    """Return the group with a run for each pair of counts: tasks of 46 that succeed, controls of 18 rightly refused."""
    rows = []
    for number, (success, abstention) in enumerate(counts):
        report = group.rows[0].report
        card = dataclasses.replace(
            report.card, success=estimate(success, 46, "wilson"), abstention=estimate(abstention, 18, "wilson")
        )
        manifest = structs.replace(report.manifest, title=f"run {number}")
        report = dataclasses.replace(report, run_id=f"2026-11-30-{number:06x}", card=card, manifest=manifest)
        rows.append(dataclasses.replace(group.rows[0], report=report))
    return dataclasses.replace(group, rows=tuple(rows))


def arms(svg: str, tone: str) -> list[tuple[float, float, float]]:
    """Return the lines of a tone in the scatter, the long ones: where they stand, from where, to where."""
    paths = [e.get("d") or "" for e in ElementTree.fromstring(svg).iter("path") if e.get("class") == f"s-{tone}"]
    found = []
    for x, y, way, end in re.findall(r"M([\d.]+) ([\d.]+)([HV])([\d.]+)", "".join(paths)):
        along, across = (x, y) if way == "H" else (y, x)
        if abs(float(end) - float(along)) > 2 * CAP + 0.2:
            found.append((float(across), min(float(along), float(end)), max(float(along), float(end))))
    return found


def test_two_runs_of_one_rate_show_two_intervals(unit: VerifiedUnit) -> None:
    """Each of them keeps its ends, has caps, and lies at least two pixels beside the other."""
    assert unit.protocol is not None
    group = groups_of(unit.protocol, unit.reports, summarise(unit).reports)[0]
    group = with_rates(group, (30, 13), (28, 5), (28, 13), (25, 6))
    verified = [
        dataclasses.replace(unit.reports[0], report=structs.replace(unit.reports[0].report, run_id=row.report.run_id))
        for row in group.rows
    ]
    scatter = figures_of((group,), verified, 46, 18, FigureStore(None))[1]
    for tone, rate, along in (("abstention", "success", "abstention"), ("success", "abstention", "success")):
        drawn = sorted(arms(scatter.svg, tone))
        assert len(drawn) == 4
        assert all(abs(one[0] - other[0]) >= 2 for one, other in combinations(drawn, 2))
        for row in group.rows:
            low, high = getattr(row.report.card, along).stated
            at = getattr(row.report.card, rate).rate
            ends = [SQUARE * value if along == "success" else SQUARE * (1 - value) for value in (low, high)]
            place = SQUARE * at if rate == "success" else SQUARE * (1 - at)
            assert any(
                abs(one - place) <= 3.1 and abs(first - min(ends)) < 0.2 and abs(last - max(ends)) < 0.2
                for one, first, last in drawn
            )
        paths = "".join(
            e.get("d") or "" for e in ElementTree.fromstring(scatter.svg).iter("path") if e.get("class") == f"s-{tone}"
        )
        assert paths.count("M") == 3 * 4


def test_a_run_is_called_the_same_on_every_chart_and_never_as_another(unit: VerifiedUnit) -> None:
    assert unit.protocol is not None
    groups = groups_of(unit.protocol, unit.reports, summarise(unit).reports)
    assert len({report.manifest.title for report in unit.reports}) < len(unit.reports)
    labels = labels_of({row.report.run_id: row.report.title for group in groups for row in group.rows})
    assert len(set(labels.values())) == len(unit.reports)
    for figure in figures_of(groups, unit.reports, 40, 12, FigureStore(None)):
        texts = [element.text for element in ElementTree.fromstring(figure.svg).iter("text")]
        for label in labels.values():
            assert texts.count(label) == 1, figure.name
