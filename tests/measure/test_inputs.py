"""What the statistics refuse: never a NaN, never a silent 0."""

from __future__ import annotations

from fractions import Fraction

import numpy
import pytest

from sitegen.measure.inputs import count_of, exact, k_of_n, open_fraction, passes_of_runs, shares, tail


@pytest.mark.parametrize("written", [0.95, "0.95", "19/20", Fraction(19, 20), numpy.float64(0.95)])
def test_a_level_is_the_decimal_it_is_written_as(written: object) -> None:
    assert exact(written, "level") == Fraction(19, 20)
    assert tail(written) == Fraction(1, 40)


@pytest.mark.parametrize("level", [0, 1, 0.0, 1.0, -0.5, 95, "1", "nan", "inf", float("nan"), "1/0", "high"])
def test_a_level_outside_the_open_unit_interval_is_refused(level: object) -> None:
    with pytest.raises(ValueError, match="level"):
        tail(level)


def test_a_number_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match="alpha must be between 0 and 1, not 2"):
        open_fraction(2, "alpha")


@pytest.mark.parametrize("count", [1.0, 1.5, True, "1", None, float("nan")])
def test_only_integers_are_counts(count: object) -> None:
    with pytest.raises(ValueError, match="k must be an integer"):
        count_of(count, "k")


def test_integers_of_other_kinds_are_counts() -> None:
    assert k_of_n(numpy.int64(3), numpy.uint8(4)) == (3, 4)
    assert type(k_of_n(numpy.int64(3), 4)[0]) is int


@pytest.mark.parametrize(("k", "n"), [(0, 0), (-1, 4), (5, 4), (0, -1), (0.0, 4), (0, 4.0)])
def test_k_of_n_refuses_what_is_no_rate(k: object, n: object) -> None:
    with pytest.raises(ValueError, match=r"^[kn] must be"):
        k_of_n(k, n)


@pytest.mark.parametrize("values", [[], [-0.1], [1.1], [0.5, float("nan")], [float("inf")]])
def test_shares_refuse_what_lies_outside(values: list[float]) -> None:
    with pytest.raises(ValueError, match="scores must"):
        shares(values, "scores")


def test_a_single_run_is_a_flag_exactly() -> None:
    assert passes_of_runs([0, 1, True, 1.0], 1, "flags") == [0, 1, 1, 1]
    with pytest.raises(ValueError, match="flags must be passes of 1"):
        passes_of_runs([1 - 1e-12], 1, "flags")


def test_rates_over_runs_are_recognised_and_nothing_else() -> None:
    assert passes_of_runs([0.0, 1 / 3, 2 / 3, 1.0], 3, "rates") == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="passes of 3"):
        passes_of_runs([0.5], 3, "rates")
