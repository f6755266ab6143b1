"""Where marks stand that would otherwise cover each other: the same for the same data, and near their true places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

SHIFTS = (0.0, 3.0, -3.0, 1.5, -1.5)
"""How far an arm may be moved, in pixels; what stands first is preferred."""
_CLEAR = 3.0
"""Between two lines, in pixels: farther apart does not make them easier to tell apart."""
_CAPS = 5.0
"""Between the ends of two arms, in pixels, below which they lie alongside."""


class Arm(NamedTuple):
    """A straight line in pixels: where it stands, and from where to where it reaches along itself."""

    place: float
    low: float
    high: float


def dodged(arms: Sequence[Arm], size: float) -> list[float]:
    """Return how far to move each arm off its place so that no two that lie alongside are on one line.

    Each in turn stays if it can, and else goes where it is clearest of those before it; of many, some come close.

    Args:
        arms: of one direction.
        size: of the frame, in pixels, which no arm leaves.
    """
    found: list[float] = []
    for index, arm in enumerate(arms):
        beside = [
            other.place + shift - arm.place
            for other, shift in zip(arms[:index], found, strict=True)
            if other.low - _CAPS < arm.high and arm.low - _CAPS < other.high
        ]
        found.append(_clearest([shift for shift in SHIFTS if shift == 0 or 0 <= arm.place + shift <= size], beside))
    return found


def _clearest(shifts: Sequence[float], beside: Sequence[float]) -> float:
    """Return the first of the shifts that are farthest from what stands beside."""
    return max(shifts, key=lambda shift: min((_CLEAR, *(abs(shift - at) for at in beside))))


def spread(places: Sequence[float], step: float) -> list[float]:
    """Return places between 0 and 1, in the order of ``places`` and at least ``step`` apart."""
    order = sorted(range(len(places)), key=lambda index: (places[index], -index))
    found = [0.0] * len(places)
    floor = 0.0
    for index in order:
        found[index] = max(places[index], floor)
        floor = found[index] + step
    ceiling = 1.0
    for index in reversed(order):
        found[index] = min(found[index], ceiling)
        ceiling = found[index] - step
    return [round(max(0.0, place), 4) for place in found]
