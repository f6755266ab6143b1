"""Quantiles of covariates: averaged order statistics, with timeouts kept as the lower bounds they are.

Source: Hyndman & Fan 1996, type 2 (numpy's "averaged_inverted_cdf").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, isnan

from sitegen.measure.binomial import binomial_quantiles
from sitegen.measure.inputs import Exact, count_of, exact, open_fraction, tail
from sitegen.measure.intervals import LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class CensoredQuantile:
    """A quantile in the values' unit; where `at_least`, all that is known is that it is no smaller."""

    value: float
    at_least: bool


def quantile_aic(values: Sequence[float], q: Exact) -> float:
    """The q-quantile, 0 <= q <= 1: an order statistic, or the mean of two where q·n is whole.

    Equal to the usual median at 1/2. Raises ValueError for an empty list, a NaN, or q outside [0, 1].
    """
    return quantiles_aic(values, (q,))[0]


def quantiles_aic(values: Sequence[float], qs: Sequence[Exact]) -> list[float]:
    """Several quantiles of the same values, as `quantile_aic` gives them."""
    ordered = sorted(_numbers(values))
    found = []
    for q in qs:
        ranks = _ranks(len(ordered), q)
        found.append(ordered[ranks[0]] / 1 if len(ranks) == 1 else (ordered[ranks[0]] + ordered[ranks[1]]) / 2)
    return found


def censored_quantile(values: Sequence[float], censored: Sequence[bool], q: Exact) -> CensoredQuantile:
    """The q-quantile where `censored[i]` marks values[i] as a limit that was reached, not a time.

    Where an order statistic that the quantile rests on is censored, the smallest of them bounds it from below.
    Raises ValueError as `quantile_aic` does, and for lists of unequal length.
    """
    return censored_quantiles(values, censored, (q,))[0]


def censored_quantiles(
    values: Sequence[float], censored: Sequence[bool], qs: Sequence[Exact]
) -> list[CensoredQuantile]:
    """Several quantiles of the same values, as `censored_quantile` gives them."""
    numbers = _numbers(values)
    if len(numbers) != len(censored):
        raise ValueError(f"{len(numbers)} values but {len(censored)} censoring marks")
    ordered = sorted(zip(numbers, map(bool, censored), strict=True))  # at equal values, uncensored first
    found = []
    for q in qs:
        chosen = [ordered[rank] for rank in _ranks(len(ordered), q)]
        at_least = any(mark for _, mark in chosen)
        value = chosen[0][0] if at_least else sum(value for value, _ in chosen) / len(chosen)
        found.append(CensoredQuantile(value=value, at_least=at_least))
    return found


def order_stat_ci(n: int, q: Exact, level: Exact = LEVEL) -> tuple[int | None, int | None]:
    """The 1-based ranks (r, s) of the order statistics that bound the q-quantile of n values, 0 < q < 1.

    None where no rank does: below n = 72 the 95th percentile has no upper 95 % bound.
    """
    n = count_of(n, "n", at_least=1)
    p = open_fraction(q, "q")
    out = tail(level)
    upper = 1 + _quantile(n, p, 1 - out)  # the smallest s with P(X >= s) <= out
    lower = n - _quantile(n, 1 - p, 1 - out)  # the same, counted from the other end
    return (lower if lower >= 1 else None), (upper if upper <= n else None)


def _quantile(n: int, p: Fraction, probability: Fraction) -> int:
    return binomial_quantiles(n, p, (probability,))[0]


def _numbers(values: Sequence[float]) -> list[float]:
    numbers = list(values)
    if not numbers:
        raise ValueError("a quantile needs at least one value")
    if any(map(isnan, numbers)):
        raise ValueError("a quantile of NaN is not defined")
    return numbers


@lru_cache(maxsize=4096)
def _ranks(n: int, q: Exact) -> tuple[int, ...]:
    """The 0-based ranks that a q-quantile of n values is the mean of."""
    share = exact(q, "q")
    if not 0 <= share <= 1:
        raise ValueError(f"q must lie in [0, 1], not {q!r}")
    position = share * n
    if position.denominator == 1 and 0 < position < n:
        return int(position) - 1, int(position)
    return (min(n, max(1, ceil(position))) - 1,)
