"""Rounding: outward for intervals, half-even for rates, and never onto a value that was not reached."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from math import nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.measure.rounding import rate4, round_out, show_bounds, show_p, show_rate

counts = st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(st.floats(-1, 1), st.floats(-1, 1), st.integers(0, 6))
def test_an_interval_only_ever_grows_and_by_less_than_a_step(one: float, other: float, digits: int) -> None:
    low, high = sorted((one, other))
    rounded = round_out(low, high, digits)
    step = 10.0**-digits
    assert low - step < rounded[0] <= low + 2e-9
    assert high - 2e-9 <= rounded[1] < high + step
    assert round_out(*rounded, digits) == rounded


@pytest.mark.parametrize(
    ("low", "high", "digits", "expected"),
    [
        (0.8389, 0.9, 3, (0.838, 0.9)),
        (0.57, 0.57, 2, (0.57, 0.57)),
        (-0.1195, -0.0032, 2, (-0.12, 0.0)),
        (0.5839825677481065, 0.9193423374202021, 4, (0.5839, 0.9194)),
        (0.0, 1e-9, 0, (0.0, 0.0)),  # as far from the grid as an end on it may be
        (0.5, 0.5 + 3e-10, 4, (0.5, 0.5)),  # 3e-6 of 5000 steps: within 1e-9 of them
    ],
)
def test_outward(low: float, high: float, digits: int, expected: tuple[float, float]) -> None:
    assert round_out(low, high, digits) == expected


@pytest.mark.parametrize(("low", "high"), [(0.5, 0.4), (float("nan"), 1.0), (0.0, float("inf")), (float("-inf"), 1.0)])
def test_what_is_no_interval_is_refused(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="finite ends in order"):
        round_out(low, high, 2)


def test_negative_digits_are_refused() -> None:
    with pytest.raises(ValueError, match="digits"):
        round_out(0.0, 1.0, -1)


@given(counts)
def test_rates_go_half_even_from_the_counts(k_n: tuple[int, int]) -> None:
    k, n = k_n
    steps = Fraction(k * 10_000, n)
    expected = Decimal(round(steps)) / 10_000
    assert rate4(k, n) == float(expected)


def test_a_half_goes_to_the_even_neighbour() -> None:
    """1/32 is 0.03125 and 3/32 is 0.09375 exactly; a quotient in floating point would do here, 0.00005 would not."""
    assert (rate4(1, 32), rate4(3, 32), rate4(1, 20_000), rate4(3, 20_000)) == (0.0312, 0.0938, 0.0, 0.0002)
    assert Decimal("0.00015").quantize(Decimal("0.0001"), ROUND_HALF_EVEN) == Decimal("0.0002")


@given(counts, st.integers(1, 5))
def test_a_shown_rate_reaches_its_ends_only_there(k_n: tuple[int, int], digits: int) -> None:
    k, n = k_n
    text = show_rate(k, n, digits)
    assert (text == f"{0:.{digits}f}") == (k == 0)
    assert (text == f"{1:.{digits}f}") == (k == n)
    if text[0] not in "<>":
        assert abs(Fraction(text) - Fraction(k, n)) <= Fraction(1, 2 * 10**digits)


def test_shown_rates() -> None:
    assert show_rate(31, 40) == "0.775"
    assert show_rate(39_999, 40_000) == ">0.999"
    assert show_rate(1, 40_000) == "<0.001"
    assert (show_rate(0, 10), show_rate(10, 10)) == ("0.000", "1.000")


def test_shown_bounds_are_outward() -> None:
    assert show_bounds(0.6249, 0.8769) == ("0.624", "0.877")
    assert show_bounds(0.0, 1.0, 2) == ("0.00", "1.00")


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, "1.000"),
        (0.0524787, "0.052"),
        (0.05, "0.050"),
        (0.0503, "0.0503"),
        (0.05003, "0.05003"),
        (0.0499, "0.050"),
        (0.001, "0.001"),
        (0.00099, "<0.001"),
        (0.0, "<0.001"),
    ],
)
def test_p_values_never_read_as_the_other_side_of_alpha(p: float, text: str) -> None:
    assert show_p(p) == text


def test_a_p_value_has_the_decimals_it_takes_to_read_as_above_alpha() -> None:
    """The next float above alpha has as many as there can be."""
    assert show_p(nextafter(0.005, 1.0), "0.005") == "0.005000000000000001"
    assert show_p(nextafter(0.001, 1.0), "0.001") == "0.0010000000000000002"


@given(st.floats(0.001, 1.0), st.sampled_from(["0.05", "0.01", "0.005"]))
def test_a_printed_p_decides_as_the_p_did(p: float, alpha: str) -> None:
    assert (float(show_p(p, alpha)) <= float(alpha)) == (p <= float(alpha))


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="p-value"):
        show_p(p)
