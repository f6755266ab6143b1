"""Tidying lets shapes and text through, and nothing else."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from sitegen.present.charts.tidy import Box, tidy

BOX = Box(left=0, top=0, width=100, height=50)
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="white"/>'


def drawn(body: str) -> str:
    return tidy(f'{HEAD}<g transform="translate(33,44)">{body}</g></svg>', BOX, 'a "chart" <b>')


def test_the_measured_offset_is_dropped_and_inner_offsets_are_added() -> None:
    svg = drawn('<g transform="translate(10,5)"><path d="M0,0L10,0L10,5" stroke="#000001" stroke-width="2"/></g>')
    assert '<path class="s-ink" stroke-width="2" fill="none" d="M10 5H20V10"/>' in svg
    assert 'aria-label="a &quot;chart&quot; &lt;b&gt;"' in svg


def test_shapes_of_one_style_become_one_path() -> None:
    line = '<line transform="translate({},0)" x2="0" y2="9" stroke="#000003" stroke-width="1"/>'
    svg = drawn(line.format(1) + line.format(2))
    assert svg.count("<path") == 1
    assert 'd="M1 0V9M2 0V9"' in svg


def test_circles_and_text_keep_their_places() -> None:
    circle = '<path transform="translate(7,8)" d="M3.4,0A3.4,3.4,0,1,1,-3.4,0A3.4,3.4,0,1,1,3.4,0" fill="#000004"/>'
    face = 'font-family="12 top" font-size="0px"'
    svg = drawn(f'{circle}<text transform="translate(1,2)" fill="#000001" {face}>A &lt;b&gt; \u202e</text>')
    assert '<circle class="f-success" cx="7" cy="8" r="3.4"/>' in svg
    assert '<text class="f-ink" x="1" y="11" font-size="12">A &lt;b&gt; \\u202e</text>' in svg
    ElementTree.fromstring(svg)


def test_nothing_of_the_drawing_but_shapes_comes_through() -> None:
    svg = drawn('<path id="x" class="y" style="fill:red" onclick="z()" aria-label="w" d="M0,0L1,1" stroke="#000001"/>')
    for word in ("id=", "style", "onclick", "y", "xmlns"):
        assert word not in svg.split(">", 1)[1]


@pytest.mark.parametrize("element", ["image", "script", "foreignObject", "a", "use"])
def test_an_unknown_element_is_an_error(element: str) -> None:
    with pytest.raises(ValueError, match=element):
        drawn(f"<{element}/>")


def test_an_unknown_colour_is_an_error() -> None:
    with pytest.raises(KeyError):
        drawn('<path d="M0,0L1,1" stroke="#123456"/>')
