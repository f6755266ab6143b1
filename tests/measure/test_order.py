"""Quantiles of covariates, with timeouts as lower bounds."""

from __future__ import annotations

import statistics
from fractions import Fraction
from math import comb

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sitegen.measure.order import CensoredQuantile, censored_quantile, order_stat_ci, quantile_aic

values = st.lists(st.floats(0, 1e6), min_size=1, max_size=60)


@given(values, st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0]))
def test_quantiles_are_numpys(numbers: list[float], q: float) -> None:
    expected = numpy.quantile(numbers, q, method="averaged_inverted_cdf")
    assert quantile_aic(numbers, q) == pytest.approx(expected, rel=1e-12)


@given(values)
def test_the_middle_is_the_median(numbers: list[float]) -> None:
    assert quantile_aic(numbers, "1/2") == statistics.median(numbers)


def test_a_quantile_is_compared_as_the_fraction_it_is_written_as() -> None:
    """0.95 · 20 is 19 exactly, so two order statistics are averaged; in binary it is not."""
    numbers = list(range(1, 21))
    assert quantile_aic(numbers, 0.95) == 19.5
    assert quantile_aic(numbers, "0.9499") == 19.0


@given(values, st.sampled_from([0.25, 0.5, 0.95]))
def test_without_censoring_it_is_the_quantile(numbers: list[float], q: float) -> None:
    expected = CensoredQuantile(value=quantile_aic(numbers, q), at_least=False)
    assert censored_quantile(numbers, [False] * len(numbers), q) == expected


def test_a_timeout_is_a_lower_bound() -> None:
    times, stopped = [1.0, 2.0, 90.0, 90.0], [False, False, True, False]
    assert censored_quantile(times, stopped, 0.25) == CensoredQuantile(value=1.5, at_least=False)
    assert censored_quantile(times, stopped, 0.5) == CensoredQuantile(value=46.0, at_least=False)
    assert censored_quantile(times, stopped, 1.0) == CensoredQuantile(value=90.0, at_least=True)
    assert censored_quantile([1.0, 9.0], [False, True], 0.5) == CensoredQuantile(value=1.0, at_least=True)


@given(st.integers(1, 80), st.sampled_from(["0.05", "0.25", "0.5", "0.95"]), st.sampled_from(["0.9", "0.95", "0.99"]))
def test_ranks_follow_their_definition_in_fractions(n: int, q: str, level: str) -> None:
    """Exactly: at n = 1 and q = 0.05 the chance P(X >= 1) is 0.05, which floating point makes a little more."""
    p, out = Fraction(q), (1 - Fraction(level)) / 2
    chances = [comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)]
    below = [r for r in range(1, n + 1) if sum(chances[:r]) <= out]
    above = [s for s in range(1, n + 1) if sum(chances[s:]) <= out]
    assert order_stat_ci(n, q, level) == (below[-1] if below else None, above[0] if above else None)


@pytest.mark.parametrize("n", [1000, 5000, 100_000])
def test_ranks_of_many_values_are_scipys(n: int) -> None:
    law = stats.binom(n, 0.95)
    assert order_stat_ci(n, 0.95) == (int(law.ppf(0.025)), int(law.isf(0.025)) + 1)


def test_the_95th_percentile_needs_72_values() -> None:
    assert order_stat_ci(71, 0.95)[1] is None
    assert order_stat_ci(72, 0.95)[1] == 72
    assert order_stat_ci(40, "0.5") == (14, 27)


@pytest.mark.parametrize("q", [-0.1, 1.1, "nan"])
def test_no_quantile_outside(q: float | str) -> None:
    with pytest.raises(ValueError, match="q must"):
        quantile_aic([1.0], q)
    with pytest.raises(ValueError, match="q must"):
        order_stat_ci(10, q)


def test_no_quantile_of_nothing() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        quantile_aic([], 0.5)
    with pytest.raises(ValueError, match="NaN"):
        quantile_aic([1.0, float("nan")], 0.5)
    with pytest.raises(ValueError, match="2 values but 1"):
        censored_quantile([1.0, 2.0], [True], 0.5)
    with pytest.raises(ValueError, match="n must be at least 1"):
        order_stat_ci(0, 0.5)
