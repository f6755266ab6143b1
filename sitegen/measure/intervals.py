"""Intervals of one rate, k of n: Wilson (the default), Clopper–Pearson and the bootstrap's exact limit.

All are two-sided and equal-tailed and satisfy 0 <= low <= k/n <= high <= 1. Every function raises ValueError for counts
that are no counts or a level outside (0, 1). Sources: Wilson 1927; Clopper & Pearson 1934; Efron & Tibshirani 1993.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt

from sitegen.measure.binomial import binomial_quantiles
from sitegen.measure.inputs import Exact, k_of_n, tail
from sitegen.measure.special import betainc_inverse, z_of

LEVEL = 0.95
"""The level of every published interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An interval with the two things it may not be printed without: its method and its level."""

    low: float
    high: float
    method: str
    level: float = LEVEL


def wilson(k: int, n: int, level: Exact = LEVEL) -> tuple[float, float]:
    """Wilson's score interval of k passes of n tasks; (low, high)."""
    k, n = k_of_n(k, n)
    z = z_of(level)
    d = n + z * z
    centre = (k + z * z / 2) / d
    half = z / d * sqrt(k * (n - k) / n + z * z / 4)
    # The ends at k = 0 and k = n are assigned: computed, 1 comes out as 0.9999999999999999 and prints as 99.9 %.
    low = 0.0 if k == 0 else max(0.0, centre - half)
    high = 1.0 if k == n else min(1.0, centre + half)
    return low, high


def clopper_pearson(k: int, n: int, level: Exact = LEVEL) -> tuple[float, float]:
    """Clopper and Pearson's interval, which covers at least `level` at every true rate; (low, high)."""
    k, n = k_of_n(k, n)
    out = float(tail(level))
    return _clopper_pearson_low(k, n, out), 1.0 - _clopper_pearson_low(n - k, n, out)


def _clopper_pearson_low(k: int, n: int, out: float) -> float:
    """The rate at which k or more passes of n have probability `out`."""
    if k == 0:
        return 0.0
    if k == n:
        return float(out ** (1 / n))
    return betainc_inverse(k, n - k + 1, out)


def bootstrap_exact(k: int, n: int, level: Exact = LEVEL) -> tuple[float, float]:
    """The percentile bootstrap of n flags in the limit of infinitely many resamples; (low, high).

    A resample has Bin(n, k/n) passes, so both ends are binomial quantiles over n and no random number is drawn.
    At k = 0 and k = n the interval has no width: `interval_of` never shows it.
    """
    k, n = k_of_n(k, n)
    out = tail(level)
    if k in (0, n):
        return k / n, k / n
    low, high = binomial_quantiles(n, Fraction(k, n), (out, 1 - out))
    return low / n, high / n


_METHODS = {"wilson": wilson, "clopper-pearson": clopper_pearson, "bootstrap": bootstrap_exact}


@lru_cache(maxsize=65536, typed=True)  # typed: 1.0 and True equal 1 and are no counts
def interval_of(method: str, k: int, n: int) -> Interval:
    """The 95 % interval that may be shown for k of n under a protocol's sealed `ci_method`.

    The bootstrap cannot see failures that did not occur: where it has no width, Wilson's interval is given and the
    method says so. Raises ValueError for an unknown method.
    """
    if method not in _METHODS:
        raise ValueError(f"unknown interval method {method!r}; known: {', '.join(_METHODS)}")
    k, n = k_of_n(k, n)
    if method == "bootstrap" and k in (0, n):
        low, high = wilson(k, n)
        return Interval(low=low, high=high, method=f"wilson (bootstrap degenerate at k={'n' if k else '0'})")
    low, high = _METHODS[method](k, n)
    return Interval(low=low, high=high, method=method)
