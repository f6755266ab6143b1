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


def test_what_floats_cannot_tell_apart_is_told_apart_up_to_two_thousand_tasks() -> None:
    """At a tie the count itself, and the next one where a little more is asked for; both are the same float."""
    tie = Fraction(sum(comb(2000, j) for j in range(1001)), 2**2000)
    assert binomial_quantiles(2000, Fraction(1, 2), (tie, tie + Fraction(1, 10**30))) == [1000, 1001]


def test_a_tie_of_more_tasks_takes_the_smaller_count() -> None:
    """P(X <= 1000) of Bin(2001, 1/2) is 1/2 exactly, in floats too."""
    assert binomial_quantiles(2001, Fraction(1, 2), (Fraction(1, 2),)) == [1000]


def test_no_quantile_lies_beyond_the_number_of_tasks() -> None:
    """A probability so near to 1 is the float 1, which the sum of this law's weights does not quite reach."""
    assert binomial_quantiles(2001, Fraction(2000, 2001), (1 - Fraction(1, 10**20),)) == [2001]


@pytest.mark.parametrize(("p", "law"), [(Fraction(0), (0, [1.0])), (Fraction(1), (5, [1.0]))])
def test_what_is_certain_has_one_weight(p: Fraction, law: tuple[int, list[float]]) -> None:
    assert binomial_weights(5, p) == law


def test_nothing_overflows_beside_a_certainty() -> None:
    """From the mode the weights only fall; from its neighbour the ratio would be 10^400, which is no float."""
    assert binomial_weights(1, 1 - Fraction(1, 10**400)) == (0, [0.0, 1.0])


def test_the_weights_cover_twelve_standard_deviations_and_fifty_more() -> None:
    """Of a million tasks at 1/2: 500 is the standard deviation, and 6050 weights lie either side of the mode."""
    first, weights = binomial_weights(1_000_000, Fraction(1, 2))
    assert (first, len(weights)) == (500_000 - 6050, 2 * 6050 + 1)
