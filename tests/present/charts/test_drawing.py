from __future__ import annotations

import dataclasses
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sitegen.digests import sha256
from sitegen.present.charts import specs
from sitegen.present.charts.drawing import Drawable, draw
from sitegen.present.charts.store import FigureStore
from sitegen.present.charts.tidy import Box
from sitegen.present.charts.wall_clock import ticks_of

ROW = {
    "label": "a </text><script>alert(1)</script>",
    "place": 0.5,
    "success": 0.5,
    "success_low": 0.3,
    "success_high": 0.7,
    "success_text": "20/40",
    "abstention": 0.25,
    "abstention_low": 0.1,
    "abstention_high": 0.5,
    "abstention_text": "3/12",
    "label_at": 0.2,
}
FOREST = Drawable(kind="forest", rows=[ROW], box=Box(left=0, top=0, width=9, height=9), label="x", height=22)


def drawn(drawable: Drawable, store: FigureStore, source: str = "a source") -> str:
    found = draw(source, lambda: drawable, store)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("domain", "ticks"),
    [
        ((0.004, 20.0), [0.01, 0.1, 1, 10]),
        ((0.15, 8.0), [0.2, 0.5, 1, 2, 5]),
        ((0.9, 3.5), [0.9, 2, 3]),
        ((2.1, 2.9), [2.5]),
        ((0.08, 0.196), [0.08, 0.1, 0.12, 0.15]),
        ((1.0, 1000.0), [1, 10, 100, 1000]),
    ],
)
def test_a_logarithmic_axis_has_ticks_enough_to_read_it(domain: tuple[float, float], ticks: list[float]) -> None:
    assert ticks_of(domain) == ticks


def test_the_interval_is_drawn_where_the_axis_says() -> None:
    svg = drawn(FOREST, FigureStore(None))
    root = ElementTree.fromstring(svg)
    spans = [e.get("d") for e in root.iter("path") if e.get("class") == "s-success"]
    assert spans == ["M310 11H430"]  # the panel is 300 wide and starts at 220
    dots = [e.get("cx") for e in root.iter("circle") if e.get("class") == "f-success"]
    assert dots == ["370"]


def test_foreign_text_is_text() -> None:
    root = ElementTree.fromstring(drawn(FOREST, FigureStore(None)))
    assert not list(root.iter("script"))
    assert ROW["label"] in [element.text for element in root.iter("text")]


def test_what_was_drawn_is_not_even_described_again(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FigureStore(None)
    once = drawn(FOREST, store)
    assert draw("a source", lambda: pytest.fail("described twice"), store) == once
    other = dataclasses.replace(FOREST, label="y")
    assert drawn(other, store, "another source") != once


def test_that_there_is_nothing_to_draw_is_remembered() -> None:
    store = FigureStore(None)
    assert draw("a source", lambda: None, store) is None
    assert draw("a source", lambda: pytest.fail("asked twice"), store) is None


def test_a_specification_is_made_once_for_all_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = drawn(FOREST, FigureStore(tmp_path))
    monkeypatch.setattr(specs, "specification", lambda kind: pytest.fail(f"{kind} was made again"))
    assert drawn(FOREST, FigureStore(tmp_path), "another source") == first
    monkeypatch.undo()
    for kept in tmp_path.iterdir():
        kept.write_bytes(sha256(b"[]").encode() + b"\n[]")
    assert drawn(FOREST, FigureStore(tmp_path), "a third source") == first
