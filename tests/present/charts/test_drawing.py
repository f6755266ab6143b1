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


def test_the_interval_is_drawn_where_the_axis_says() -> None:
    svg = draw(FOREST, FigureStore(None))
    root = ElementTree.fromstring(svg)
    spans = [e.get("d") for e in root.iter("path") if e.get("class") == "s-success"]
    assert spans == ["M310 11H430"]  # the panel is 300 wide and starts at 220
    dots = [e.get("cx") for e in root.iter("circle") if e.get("class") == "f-success"]
    assert dots == ["370"]


def test_foreign_text_is_text() -> None:
    root = ElementTree.fromstring(draw(FOREST, FigureStore(None)))
    assert not list(root.iter("script"))
    assert ROW["label"] in [element.text for element in root.iter("text")]


def test_what_was_drawn_is_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FigureStore(None)
    once = draw(FOREST, store)
    monkeypatch.setattr("vl_convert.vegalite_to_svg", lambda spec: pytest.fail("drawn twice"))
    assert draw(FOREST, store) == once


def test_other_data_have_another_digest() -> None:
    for other in (
        dataclasses.replace(FOREST, height=44),
        dataclasses.replace(FOREST, label="y"),
        dataclasses.replace(FOREST, rows=[{**ROW, "success": 0.51}]),
        dataclasses.replace(FOREST, kind="scatter"),
    ):
        assert other.digest != FOREST.digest


def test_a_specification_is_made_once_for_all_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = draw(FOREST, FigureStore(tmp_path))
    monkeypatch.setattr(specs, "specification", lambda kind: pytest.fail(f"{kind} was made again"))
    (tmp_path / f"{FOREST.digest}.svg").unlink()
    assert draw(FOREST, FigureStore(tmp_path)) == first
    monkeypatch.undo()
    for kept in tmp_path.iterdir():
        kept.write_bytes(sha256(b"[]").encode() + b"\n[]")
    (tmp_path / f"{FOREST.digest}.svg").unlink()
    assert draw(FOREST, FigureStore(tmp_path)) == first
