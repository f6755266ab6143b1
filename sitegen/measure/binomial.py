"""The binomial law: its weights built outward from the mode, and exact quantiles.

Weights follow from the mode by exact ratios, so nothing overflows and no gamma function is needed; a quantile that
floating point cannot decide is decided in integers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, count
from math import fsum, sqrt
from operator import mul, truediv

_SLACK = 1e-9  # far above the accumulated rounding (below 1e-11): outside it, floating point is right
_EXACT_UP_TO = 2000  # tasks; above, integers of n log n bits cost more than a tie that never comes


def binomial_weights(n: int, p: Fraction) -> tuple[int, list[float]]:
    """P(X = j) of X ~ Bin(n, p) for j = first, first + 1, …: the pair (first, weights), summing to 1.

    Covers 12 standard deviations (and 50 more) either side of the mode: what is left out is below 1e-28.
    """
    first, weights = _relative_weights(n, p)
    total = fsum(weights)
    return first, [weight / total for weight in weights]


def binomial_quantiles(n: int, p: Fraction, probabilities: Sequence[Fraction]) -> list[int]:
    """For each probability q the smallest j with P(X <= j) >= q, X ~ Bin(n, p), 0 < p < 1, 0 < q < 1.

    A value within rounding of q is compared exactly while n <= 2000.
    """
    first, weights = _relative_weights(n, p)
    total = fsum(weights)
    cumulative = list(accumulate(weights))
    quantiles = []
    for q in probabilities:
        near, slack = float(q) * total, _SLACK * total
        i = bisect_left(cumulative, near - slack)
        while i + 1 < len(cumulative) and cumulative[i] < near + slack:
            reached = _reaches(n, p, first + i, q) if n <= _EXACT_UP_TO else cumulative[i] >= near
            if reached:
                break
            i += 1
        quantiles.append(first + i)
    return quantiles


def _relative_weights(n: int, p: Fraction) -> tuple[int, list[float]]:
    """The weights relative to that of the mode, from the ratios of neighbours: integer over integer."""
    hit, miss = p.numerator, p.denominator - p.numerator
    if not hit or not miss:
        return (n if hit else 0), [1.0]
    mode = (n + 1) * hit // p.denominator
    reach = int(12 * sqrt(n * (hit / p.denominator) * (miss / p.denominator))) + 50
    first, last = max(0, mode - reach), min(n, mode + reach)
    numerators = range((n - mode) * hit, (n - last) * hit, -hit)
    up = accumulate(map(truediv, numerators, count((mode + 1) * miss, miss)), mul)
    numerators = range(mode * miss, first * miss, -miss)
    down = list(accumulate(map(truediv, numerators, count((n - mode + 1) * hit, hit)), mul))
    down.reverse()
    return first, [*down, 1.0, *up]


def _reaches(n: int, p: Fraction, j: int, q: Fraction) -> bool:
    """Whether P(X <= j) >= q, in integers: den^n times both sides."""
    hit, miss = p.numerator, p.denominator - p.numerator
    term: int = miss**n
    total = term
    for i in range(j):
        term = term * (n - i) * hit // ((i + 1) * miss)
        total += term
    everything: int = p.denominator**n
    return q.denominator * total >= q.numerator * everything
