"""Drawn SVG → a small inline SVG: shapes in absolute coordinates, colours as classes, and nothing else.

Only text, paths and circles come through; every attribute is written anew, so that no id, style, script, link or
foreign markup can. What lies beside one another in one style becomes one path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from xml.etree.ElementTree import Element, fromstring

from sitegen.present.charts.specs import TONES
from sitegen.present.visible import visible

_TONE_OF = {colour: tone for tone, colour in TONES.items()}
_SVG = "{http://www.w3.org/2000/svg}"
_TRANSLATE = re.compile(r"translate\((-?[\d.e-]+)(?:,\s*(-?[\d.e-]+))?\)(?:\s*rotate\((-?[\d.]+)\))?")
_COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
_CIRCLE = re.compile(r"M([\d.]+),0A")
_UNSEEN = frozenset((None, "none", "transparent", "", "#ddd", "white"))
_DECIMALS = 1
_BASELINES = {"top": 0.79, "middle": 0.30, "bottom": -0.21}
"""How far below its place the line lies that a text is written on, in heights of the font: as Vega has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """The part of the drawing that is shown, in pixels."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """One shape: its style, and for a path its data; for anything else the whole element."""

    style: str
    path: str | None
    element: str = ""


def tidy(drawn: str, box: Box, label: str) -> str:
    """Return the drawing inside ``box`` as an inline SVG with an accessible name.

    Raises:
        ValueError: the drawing holds an element that no chart of ours has.
    """
    root = fromstring(drawn)
    shapes = [shape for child in root for shape in _walk(child, None)]
    view = " ".join(_number(value) for value in (box.left, box.top, box.width, box.height))
    return (
        f'<svg class="chart" role="img" viewBox="{view}" width="{_number(box.width)}" height="{_number(box.height)}"'
        f' aria-label="{escape(visible(label), quote=True)}">{"".join(_joined(shapes))}</svg>'
    )


def _walk(element: Element, origin: tuple[float, float] | None) -> Iterator[_Shape]:
    """Yield the shapes of ``element``. The outermost group's offset is dropped: it rests on measured text."""
    tag = element.tag.removeprefix(_SVG)
    x, y, rotation = _placed(element)
    if tag == "g":
        inner = (0.0, 0.0) if origin is None else (origin[0] + x, origin[1] + y)
        for child in element:
            yield from _walk(child, inner)
        return
    if origin is None:
        return  # the background
    at = (origin[0] + x, origin[1] + y)
    if tag == "text":
        yield _text(element, at, rotation)
    elif tag == "line":
        ends = (float(element.get("x2") or 0), float(element.get("y2") or 0))
        yield from _path(element, f"M0,0L{ends[0]},{ends[1]}", at)
    elif tag == "path":
        yield from _path(element, element.get("d") or "", at)
    else:
        raise ValueError(f"a chart holds the element {tag}")


def _placed(element: Element) -> tuple[float, float, float]:
    found = _TRANSLATE.match(element.get("transform") or "")
    if not found:
        return 0.0, 0.0, 0.0
    return float(found[1]), float(found[2] or 0), float(found[3] or 0)


def _text(element: Element, at: tuple[float, float], rotation: float) -> _Shape:
    anchor = element.get("text-anchor") or "start"
    size, baseline = str(element.get("font-family")).split()
    place = f'x="{_number(at[0])}" y="{_number(at[1] + round(_BASELINES[baseline] * int(size)))}"'
    if rotation:
        place = f'transform="translate({_number(at[0])},{_number(at[1])}) rotate({_number(rotation)})"'
    aligned = "" if anchor == "start" else f' text-anchor="{anchor}"'
    text = escape(visible("".join(element.itertext())))
    shape = f'<text class="f-{_tone(element, "fill")}" {place} font-size="{size}"{aligned}>{text}</text>'
    return _Shape(style="", path=None, element=shape)


def _path(element: Element, data: str, at: tuple[float, float]) -> Iterator[_Shape]:
    fill, stroke = _tone(element, "fill"), _tone(element, "stroke")
    classes = [f"f-{fill}"] if fill else []
    attributes = ""
    if stroke:
        classes.append(f"s-{stroke}")
        attributes = f' stroke-width="{_number(float(element.get("stroke-width") or 1))}"'
    if not classes:
        return
    if not fill:
        attributes += ' fill="none"'
    opacity = float(element.get("opacity") or element.get("fill-opacity") or 1)
    if opacity < 1:
        attributes += f' opacity="{_number(opacity)}"'
    style = f'class="{" ".join(classes)}"{attributes}'
    circle = _CIRCLE.match(data)
    if circle:
        place = f'cx="{_number(at[0])}" cy="{_number(at[1])}" r="{_number(float(circle[1]))}"'
        yield _Shape(style=style, path=None, element=f"<circle {style} {place}/>")
    elif data:
        yield _Shape(style=style, path=_moved(data, at))


def _tone(element: Element, kind: str) -> str | None:
    colour = element.get(kind)
    if colour in _UNSEEN:
        return None
    return _TONE_OF[str(colour)]


def _moved(data: str, at: tuple[float, float]) -> str:
    """Return path data moved by ``at``: absolute lines as short steps, relative ones as they are."""
    out: list[str] = []
    last: tuple[str, str] | None = None
    for command, rest in _COMMAND.findall(data):
        numbers = [float(number) for number in _NUMBER.findall(rest)]
        if command in "ML":
            for first, second in zip(numbers[::2], numbers[1::2], strict=True):
                here = (_number(first + at[0]), _number(second + at[1]))
                out.append(_step(command, last, here))
                last = here
        elif command in "hvlz":
            out.append(command + " ".join(_number(number) for number in numbers))
            last = None
        elif command == "Z":
            out.append("z")
        else:
            raise ValueError(f"a chart's path holds the command {command}")
    return "".join(out)


def _step(command: str, last: tuple[str, str] | None, here: tuple[str, str]) -> str:
    if command == "L" and last is not None:
        if last == here:
            return ""
        if last[1] == here[1]:
            return f"H{here[0]}"
        if last[0] == here[0]:
            return f"V{here[1]}"
    return f"{command}{here[0]} {here[1]}"


def _joined(shapes: list[_Shape]) -> Iterator[str]:
    """Yield elements; paths of one style that follow each other become one."""
    style, data = "", ""
    for shape in shapes:
        if shape.path is not None and shape.style == style:
            data += shape.path
            continue
        if data:
            yield f'<path {style} d="{data}"/>'
        style, data = (shape.style, shape.path) if shape.path is not None else ("", "")
        if shape.path is None:
            yield shape.element
    if data:
        yield f'<path {style} d="{data}"/>'


def _number(value: float) -> str:
    text = f"{value:.{_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text
