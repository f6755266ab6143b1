"""The binomial law against scipy and against exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sitegen.measure.binomial import binomial_quantiles, binomial_weights

TAILS = (Fraction(1, 200), Fraction(1, 40), Fraction(39, 40), Fraction(199, 200))


# scipy's own law overflows where p is as small as a float can be.
@given(st.integers(1, 3000), st.just(0.0) | st.floats(1e-300, 1.0))
def test_weights_are_scipys(n: int, p: float) -> None:
    first, weights = binomial_weights(n, Fraction(p))
    assert sum(weights) == pytest.approx(1.0, abs=1e-12)
    expected = stats.binom.pmf(numpy.arange(first, first + len(weights)), n, p)
    numpy.testing.assert_allclose(weights, expected, atol=1e-11)


def test_nothing_that_matters_is_left_out() -> None:
    first, weights = binomial_weights(1_000_000, Fraction(1, 2))
    left_out = stats.binom.cdf(first - 1, 1_000_000, 0.5) + stats.binom.sf(first + len(weights) - 1, 1_000_000, 0.5)
    assert left_out < 1e-28


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(1, max(1, n - 1)), st.just(n))))
def test_quantiles_are_exact(counts: tuple[int, int]) -> None:
    """Against the definition in fractions: the smallest j with P(X <= j) >= q."""
    k, n = counts
    if k == n:
        return
    p = Fraction(k, n)
    expected, total = [], Fraction(0)
    for j in range(n + 1):
        total += comb(n, j) * p**j * (1 - p) ** (n - j)
        expected += [j] * (sum(q <= total for q in TAILS) - len(expected))
    assert binomial_quantiles(n, p, TAILS) == expected


def test_a_tie_takes_the_smaller_count() -> None:
    """P(X <= 0) of Bin(2, 1/2) is 1/4 exactly, and P(X <= 1) is 3/4: no float decides these."""
    assert binomial_quantiles(2, Fraction(1, 2), (Fraction(1, 4), Fraction(3, 4))) == [0, 1]
    just_above = Fraction(1, 4) + Fraction(1, 10**30)
    assert binomial_quantiles(2, Fraction(1, 2), (just_above,)) == [1]


def test_a_tie_in_the_middle_of_a_large_law() -> None:
    assert binomial_quantiles(1999, Fraction(1, 2), (Fraction(1, 2),)) == [999]
