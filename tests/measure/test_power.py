"""What n tasks can distinguish: exact powers against an enumeration over all outcomes."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sitegen.measure.paired import mcnemar_exact
from sitegen.measure.power import (
    connor_n,
    detectable_difference,
    disagreement,
    exact_n,
    mcnemar_power,
    min_sweep,
)


@cache
def rejects(n: int, alpha: float, test: str) -> numpy.ndarray:
    """Whether the test rejects at (b, c), for all b and c up to n, from scipy's binomial alone."""
    b, c = numpy.meshgrid(numpy.arange(n + 1), numpy.arange(n + 1), indexing="ij")
    fewer, total = numpy.minimum(b, c), b + c
    p = 2 * stats.binom.cdf(fewer, total, 0.5)
    if test == "midp":
        p = p - stats.binom.pmf(fewer, total, 0.5)
    return (p <= alpha) & (total <= n)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 60),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([0.05, 0.005]),
    st.sampled_from(["exact", "midp"]),
)
def test_power_is_the_enumeration(n: int, one: float, two: float, alpha: float, test: str) -> None:
    p10, p01 = (one / 2, two / 2)
    b, c = numpy.nonzero(rejects(n, alpha, test))
    cells = numpy.column_stack([b, c, n - b - c])
    expected = stats.multinomial.pmf(cells, n, [p10, p01, 1 - p10 - p01]).sum() if len(cells) else 0.0
    assert mcnemar_power(n, p10, p01, alpha, test) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n", [600, 3000])
def test_power_of_many_tasks(n: int) -> None:
    """The recursion along the rejection region loses nothing over thousands of steps."""
    p10, p01 = 0.06, 0.03
    apart = stats.binom(n, p10 + p01)
    total = 0.0
    for flips in range(int(apart.ppf(1e-14)), int(apart.isf(1e-14)) + 1):
        edge = int(stats.binom.ppf(0.025, flips, 0.5))
        edge -= mcnemar_exact(edge, flips - edge) > 0.05
        if edge >= 0:
            share = stats.binom(flips, p10 / (p10 + p01))
            total += apart.pmf(flips) * (share.cdf(edge) + share.sf(flips - edge - 1))
    assert mcnemar_power(n, p10, p01) == pytest.approx(total, abs=1e-10)


@pytest.mark.parametrize(("p10", "p01", "power"), [(0.0, 0.0, 0.0), (1.0, 0.0, 1.0), (0.0, 1.0, 1.0)])
def test_power_at_the_corners(p10: float, p01: float, power: float) -> None:
    assert mcnemar_power(10, p10, p01) == power


@pytest.mark.parametrize(("contestants", "exact", "midp"), [(2, 6, 5), (3, 7, 6), (5, 9, 8), (10, 11, 10)])
def test_the_floor_by_contestants(contestants: int, exact: int, midp: int) -> None:
    alpha = Fraction(5, 100) / (contestants * (contestants - 1) // 2)
    assert (min_sweep(alpha), min_sweep(alpha, "midp")) == (exact, midp)


@given(st.fractions(Fraction(1, 10**6), Fraction(99, 100)))
def test_the_floor_is_the_first_sweep_that_rejects(alpha: Fraction) -> None:
    lead = min_sweep(alpha)
    assert Fraction(2, 2**lead) <= alpha
    assert lead == 1 or Fraction(2, 2 ** (lead - 1)) > alpha


@pytest.mark.parametrize(
    ("n", "unrelated", "related"),
    [
        (20, 0.483, 0.367),
        (30, 0.379, 0.265),
        (40, 0.322, 0.222),
        (60, 0.257, 0.176),
        (100, 0.189, 0.132),
        (200, 0.129, 0.090),
        (500, 0.078, 0.055),
    ],
)
def test_detectable_differences_of_the_specification(n: int, unrelated: float, related: float) -> None:
    assert (detectable_difference(n), detectable_difference(n, phi=0.5)) == (unrelated, related)


def test_nothing_is_detectable_with_five_tasks() -> None:
    assert detectable_difference(5) is None


def test_sizes_of_the_specification() -> None:
    for phi, connor, exact in ((0.0, 443, 466), (0.5, 228, 246)):
        size = connor_n(0.87, 0.80, phi)
        assert size.n == connor
        assert exact_n(*size.cells) == exact
        assert mcnemar_power(exact, *size.cells) >= 0.8 > mcnemar_power(exact - 1, *size.cells)
        assert mcnemar_power(40, *size.cells) == pytest.approx(0.08, abs=0.01)


def test_a_size_out_of_reach_is_none() -> None:
    assert exact_n(*disagreement(0.801, 0.8, 0.0)) is None


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1))
def test_cells_are_a_table_with_the_given_margins(pa: float, pb: float, phi: float) -> None:
    p10, p01 = disagreement(pa, pb, phi)
    assert p10 - p01 == pytest.approx(pa - pb, abs=1e-12)
    assert p10 >= 0
    assert p01 >= 0
    assert p10 + p01 <= 1 + 1e-12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mcnemar_power(0, 0.1, 0.1), "n must be"),
        (lambda: mcnemar_power(10, -0.1, 0.1), "shares of one whole"),
        (lambda: mcnemar_power(10, 0.6, 0.6), "shares of one whole"),
        (lambda: mcnemar_power(10, float("nan"), 0.1), "shares of one whole"),
        (lambda: mcnemar_power(10, 0.1, 0.1, 0), "alpha"),
        (lambda: mcnemar_power(10, 0.1, 0.1, 0.05, "wald"), "unknown test"),
        (lambda: min_sweep(1), "alpha"),
        (lambda: min_sweep(0.05, "wald"), "unknown test"),
        (lambda: detectable_difference(10, power=1), "power"),
        (lambda: detectable_difference(10, p0=1.5), "rates lie"),
        (lambda: connor_n(0.8, 0.8), "equal rates"),
        (lambda: connor_n(0.8, 1.2), "rates lie"),
        (lambda: connor_n(0.8, 0.7, 2.0), "phi"),
        (lambda: exact_n(0.2, 0.1, power=0), "power"),
    ],
)
def test_refusals(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()
