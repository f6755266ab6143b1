"""The paired analysis of one slice, against scipy and by its properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sitegen.compare.pairs import pair

flags = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=60)


def ids(n: int) -> list[str]:
    return [f"T-{i}" for i in range(n)]


@given(flags)
def test_single_runs_are_decided_by_the_exact_binomial_of_their_disagreements(both: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in both], [b for _, b in both]
    found = pair("success", ids(len(both)), first, second)
    assert found.n11 + found.b + found.c + found.n00 == found.n == len(both)
    assert found.b - found.c == sum(first) - sum(second)
    expected = stats.binomtest(found.b, found.b + found.c).pvalue if found.b + found.c else 1.0
    assert found.p == pytest.approx(expected, abs=1e-12)


@given(flags)
def test_swapping_the_two_negates_the_difference_and_reverses_its_interval(both: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in both], [b for _, b in both]
    one, other = pair("success", ids(len(both)), first, second), pair("success", ids(len(both)), second, first)
    assert other.difference == pytest.approx(-one.difference)
    assert (other.interval.low, other.interval.high) == pytest.approx((-one.interval.high, -one.interval.low))
    assert other.p == one.p
    assert (other.only_first, other.only_second) == (one.only_second, one.only_first)


def test_clusters_are_decided_by_sign_flips_of_their_totals() -> None:
    first, second = [1] * 12, [0] * 12
    plain = pair("success", ids(12), first, second)
    assert plain.verdict == "distinguishable: A ahead"
    clustered = pair("success", ids(12), first, second, clusters=[f"repo-{i // 4}" for i in range(12)])
    assert clustered.test == "sign-flip-exact"
    assert clustered.p == 0.25  # three clusters: 2 of 8 sign patterns
    assert clustered.verdict == "not distinguishable at n = 12; fewer than 6 disagreements cannot tell any two apart"


def test_an_interval_that_excludes_zero_does_not_overrule_the_test() -> None:
    found = pair("success", ids(40), [1] * 40, [0] * 5 + [1] * 35)
    assert (found.b, found.c) == (5, 0)
    assert found.interval.low > 0
    assert found.ahead is None


def test_repeated_runs_count_passes() -> None:
    found = pair("success", ids(4), [3, 2, 0, 3], [3, 3, 0, 1], runs=3)
    assert (found.only_first, found.only_second, found.n11, found.n00) == (("T-3",), ("T-1",), 1, 1)
    assert found.difference == pytest.approx(1 / 12)
