"""Small drawings inside pages: the seal glyph of a protocol and the interval bar of a rate.

Both are plain SVG with presentation attributes, drawn from numbers alone, and the same for the same numbers.
"""

from __future__ import annotations

from cmath import rect
from functools import lru_cache
from math import cos, pi

from markupsafe import Markup

from sitegen.digests import Digest
from sitegen.measure.scorecard import Estimate

TINTS = 7
"""Colours of glyphs, ``tint-0`` and on: the style sheet has one of each for light and for dark paper."""
_CENTRE = 32
_ROUND = 36
"""Corners of what looks round."""
_FRAME = 0.74
"""How large the opening of a frame is, of the outline."""
_IN_SOLID = 1.3
"""How much larger a figure is in a solid outline than in a frame."""

Shape = tuple[complex, ...]
"""The corners of a closed shape, in pixels from the centre: to the right, and downwards times i."""


@lru_cache(maxsize=1024)  # a seal's stands on all pages of its protocol, and then never again
def glyph(digest: Digest) -> Markup:
    """Return the seal glyph of a digest: a figure in an outline, which is a frame or solid, in one of seven tints.

    Each of these is read from a byte of its own, as are the figure's turn and size: two digests in nine hundred pairs
    look alike at a glance.
    """
    data = bytes.fromhex(digest)
    outline, figure = _OUTLINES[data[0] % len(_OUTLINES)], _FIGURES[data[1] % len(_FIGURES)]
    frame, size = ((_placed(outline, _FRAME),), 1.0) if data[2] % 2 else ((), _IN_SOLID)
    turned = rect(size * (0.85 + 0.15 * data[5] / 255), 2 * pi * data[4] / 256)
    shapes = (outline, *frame, *(_placed(part, turned) for part in figure))
    return Markup(
        '<svg class="glyph tint-{}" viewBox="0 0 64 64" width="40" height="40" aria-hidden="true" focusable="false">'
        '<path fill="currentColor" fill-rule="evenodd" d="{}"/></svg>'
    ).format(data[3] % TINTS, "".join(_drawn(shape) for shape in shapes))


def _placed(shape: Shape, factor: complex, at: complex = 0) -> Shape:
    """Return a shape turned and scaled by ``factor`` and moved by ``at``."""
    return tuple(corner * factor + at for corner in shape)


def _drawn(shape: Shape) -> str:
    return f"M{'L'.join(f'{_CENTRE + corner.real:.1f} {_CENTRE + corner.imag:.1f}' for corner in shape)}z"


def _polygon(corners: int, radius: float) -> Shape:
    return _star(corners, radius, radius)[::2]


def _star(points: int, outer: float, inner: float) -> Shape:
    """A star with a point at the top."""
    return tuple(rect(outer if at % 2 == 0 else inner, pi * at / points - pi / 2) for at in range(2 * points))


def _box(width: float, height: float) -> Shape:
    corner = complex(width, height) / 2
    return corner, corner.conjugate(), -corner, -corner.conjugate()


def _cross(length: float, width: float) -> Shape:
    arm = (complex(width, length) / 2, complex(-width, length) / 2, complex(-width, width) / 2)
    return tuple(corner * 1j**quarter for quarter in range(4) for corner in arm)


def _lobed(lobes: int, outer: float, inner: float) -> Shape:
    steps = [pi * 2 * at / (12 * lobes) for at in range(12 * lobes)]
    return tuple(rect(inner + (outer - inner) * abs(cos(lobes * step / 2)) ** 0.6, step - pi / 2) for step in steps)


def _dots(count: int, radius: float, apart: float) -> tuple[Shape, ...]:
    return tuple(_placed(_polygon(12, radius), 1, rect(apart, 2 * pi * at / count)) for at in range(count))


_OUTLINES: tuple[Shape, ...] = (
    _polygon(_ROUND, 30),
    _box(52, 52),
    _polygon(4, 31),
    _polygon(6, 31),
    _cross(60, 30),
    _lobed(4, 31, 19),
    _star(9, 31, 22),
    _lobed(3, 31, 16),
)
_FIGURES: tuple[tuple[Shape, ...], ...] = (
    (_polygon(_ROUND, 9),),
    (_polygon(3, 12),),
    (_polygon(4, 11.5),),
    (_box(23, 7),),
    (_cross(22, 7),),
    _dots(2, 5, 6.5),
    _dots(3, 4.4, 7),
    (_polygon(_ROUND, 11)[: _ROUND // 2 + 1],),
)


def bar(estimate: Estimate) -> Markup:
    """Return the interval bar of a rate on an axis from 0 to 1: a dot at k/n, and a line over the interval."""
    return _bar(estimate.rate, estimate.interval.low, estimate.interval.high)


@lru_cache(maxsize=4096)
def _bar(rate: float, low: float, high: float) -> Markup:
    left, right, dot = (f"{4 + 120 * value:.1f}" for value in (low, high, rate))
    return Markup(
        '<svg class="bar" viewBox="0 0 128 12" width="128" height="12" aria-hidden="true" focusable="false">'
        '<path class="axis" d="M4 6h120"/><path class="span" d="M{} 6H{}M{} 2v8M{} 2v8"/>'
        '<circle cx="{}" cy="6" r="3"/></svg>'
    ).format(left, right, left, right, dot)
