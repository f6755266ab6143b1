"""From numbers to what is printed: rates half-even, intervals outward, p-values in words.

Rates are rounded from their counts, never from a quotient, and rounding never turns 39999 of 40000 into 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isfinite

from sitegen.measure.inputs import Exact, count_of, k_of_n, open_fraction

_KEPT = 65_536  # a site prints the same few rates over and over


@lru_cache(maxsize=_KEPT, typed=True)
def round_out(low: float, high: float, digits: int) -> tuple[float, float]:
    """An interval widened to `digits` decimals: low down, high up.

    An end within a relative 1e-9 of the grid is taken to lie on it, so 0.57 stays 0.57. Raises ValueError when an end
    is not finite or the ends are out of order.
    """
    if not (isfinite(low) and isfinite(high) and low <= high):
        raise ValueError(f"an interval needs finite ends in order, not {low!r} and {high!r}")
    grid: int = 10 ** count_of(digits, "digits")
    ends = []
    for end, outward in ((low, floor), (high, ceil)):
        scaled = end * grid
        nearest = round(scaled)
        on_grid = abs(scaled - nearest) <= 1e-9 * max(1.0, abs(scaled))
        ends.append((nearest if on_grid else outward(scaled)) / grid)
    return ends[0], ends[1]


@lru_cache(maxsize=_KEPT, typed=True)
def rate4(k: int, n: int) -> float:
    """k/n to 4 decimals, halves to even, as reports state it."""
    k, n = k_of_n(k, n)
    return float(round(Fraction(k, n), 4))


@lru_cache(maxsize=_KEPT, typed=True)
def show_rate(k: int, n: int, digits: int = 3) -> str:
    """k/n as text with `digits` decimals; "<0.001" and ">0.999" where rounding would reach 0 or 1 and k does not."""
    k, n = k_of_n(k, n)
    grid: int = 10 ** count_of(digits, "digits", at_least=1)
    steps = round(Fraction(k * grid, n))
    if steps == 0 and k > 0:
        return f"<{1 / grid:.{digits}f}"
    if steps == grid and k < n:
        return f">{(grid - 1) / grid:.{digits}f}"
    return f"{steps / grid:.{digits}f}"


@lru_cache(maxsize=_KEPT, typed=True)
def show_bounds(low: float, high: float, digits: int = 3) -> tuple[str, str]:
    """Both ends of an interval as text with `digits` decimals, rounded outward."""
    low, high = round_out(low, high, digits)
    return f"{low:.{digits}f}", f"{high:.{digits}f}"


def show_p(p: float, alpha: Exact = 0.05) -> str:
    """A p-value in three decimals, "<0.001" below that.

    More decimals where fewer would read as the other side of `alpha`. Raises ValueError for p outside [0, 1].
    """
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"a p-value lies in [0, 1], not {p!r}")
    bound = float(open_fraction(alpha, "alpha"))
    if p < 0.001:
        return "<0.001"
    digits = 3
    while (float(f"{p:.{digits}f}") <= bound) != (p <= bound):  # in the end it is p itself
        digits += 1
    return f"{p:.{digits}f}"
