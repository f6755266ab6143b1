"""Small drawings inside pages: the seal glyph of a protocol and the interval bar of a rate.

Both are plain SVG with presentation attributes, drawn from numbers alone, and the same for the same numbers.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin

from markupsafe import Markup

from sitegen.digests import Digest
from sitegen.measure.scorecard import Estimate

_RAYS = 24
_CENTRE = 32


@lru_cache(maxsize=16384)
def glyph(digest: Digest) -> Markup:
    """Return the seal glyph of a digest: 24 rays whose lengths, and a star whose points, are read from its bytes."""
    data = bytes.fromhex(digest)
    rays = "".join(_ray(index, data[index]) for index in range(_RAYS))
    return Markup(
        '<svg class="glyph" viewBox="0 0 64 64" width="40" height="40" aria-hidden="true" focusable="false">'
        '<path fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" d="{}"/>'
        '<path fill="currentColor" fill-rule="evenodd" d="{}"/></svg>'
    ).format(rays, _star(data[_RAYS:]))


def _ray(index: int, byte: int) -> str:
    angle = 2 * pi * index / _RAYS
    start, end = 17.5, 19.0 + 12.0 * byte / 255
    return f"M{_point(angle, start)}L{_point(angle, end)}"


def _star(data: bytes) -> str:
    """A star of 5 to 12 points around a hole, turned and indented by the last bytes."""
    points = 5 + data[0] % 8
    turn = 2 * pi * data[1] / 255
    inner = 6.0 + 5.0 * data[2] / 255
    hole = 1.5 + 3.0 * data[3] / 255
    corners = [_point(turn + pi * index / points, 14.0 if index % 2 == 0 else inner) for index in range(2 * points)]
    left, width = f"{_CENTRE - hole:.1f} {_CENTRE}", f"{2 * hole:.1f}"
    arc = f"a{hole:.1f} {hole:.1f} 0 1 0"
    circle = f"M{left}{arc} {width} 0{arc} -{width} 0z"
    return f"M{'L'.join(corners)}z{circle}"


def _point(angle: float, radius: float) -> str:
    return f"{_CENTRE + radius * sin(angle):.1f} {_CENTRE - radius * cos(angle):.1f}"


def bar(estimate: Estimate) -> Markup:
    """Return the interval bar of a rate on an axis from 0 to 1: a dot at k/n, and a line over the interval."""
    return _bar(estimate.rate, estimate.interval.low, estimate.interval.high)


@lru_cache(maxsize=65536)
def _bar(rate: float, low: float, high: float) -> Markup:
    left, right, dot = (f"{4 + 120 * value:.1f}" for value in (low, high, rate))
    return Markup(
        '<svg class="bar" viewBox="0 0 128 12" width="128" height="12" aria-hidden="true" focusable="false">'
        '<path class="axis" d="M4 6h120"/><path class="span" d="M{} 6H{}M{} 2v8M{} 2v8"/>'
        '<circle cx="{}" cy="6" r="3"/></svg>'
    ).format(left, right, left, right, dot)
