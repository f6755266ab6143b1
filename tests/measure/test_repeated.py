"""Repeated runs: pass@k and pass^k by enumeration, re-run noise by simulation-free identities."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean, variance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.measure.clusters import effective_wilson
from sitegen.measure.intervals import wilson
from sitegen.measure.repeated import over_tasks, pass_at_k, pass_hat_k, rerun_noise


@given(st.integers(1, 8).flatmap(lambda r: st.tuples(st.just(r), st.integers(0, r), st.integers(1, r))))
def test_both_are_the_enumeration_of_all_draws(case: tuple[int, int, int]) -> None:
    runs, passes, k = case
    draws = list(combinations([1] * passes + [0] * (runs - passes), k))
    assert pass_at_k(runs, passes, k) == pytest.approx(fmean(any(draw) for draw in draws), abs=1e-12)
    assert pass_hat_k(runs, passes, k) == pytest.approx(fmean(all(draw) for draw in draws), abs=1e-12)


def test_one_draw_is_the_rate() -> None:
    assert pass_at_k(5, 3, 1) == pass_hat_k(5, 3, 1) == 0.6


def test_all_runs_make_a_flag_and_its_interval_is_wilsons() -> None:
    passes = [3, 3, 2, 0, 3, 1, 3, 3]
    found = over_tasks(pass_hat_k, passes, runs=3, k=3)
    assert (found.low, found.high) == pytest.approx(wilson(5, 8), abs=1e-12)
    assert found.mean == 5 / 8


def test_fewer_runs_make_a_graded_score() -> None:
    passes = [3, 3, 2, 0, 3, 1, 3, 3]
    expected = effective_wilson([pass_at_k(3, c, 2) for c in passes], None, None)
    assert over_tasks(pass_at_k, passes, runs=3, k=2) == expected


def test_noise_of_one_run_is_unknown_with_one_run() -> None:
    assert rerun_noise([1, 0, 1], 1) is None


@given(st.integers(2, 6).flatmap(lambda r: st.tuples(st.just(r), st.lists(st.integers(0, r), min_size=2, max_size=20))))
def test_noise_is_the_variance_of_the_runs(case: tuple[int, list[int]]) -> None:
    """The variance of one outcome is the mean over tasks of the sample variance of their runs; of a rate, of n."""
    runs, passes = case
    within = fmean(variance([1] * c + [0] * (runs - c)) for c in passes)
    assert rerun_noise(passes, runs) == pytest.approx((within / len(passes)) ** 0.5, abs=1e-12)


@pytest.mark.parametrize(("runs", "passes", "k"), [(3, 4, 1), (3, -1, 1), (0, 0, 1), (3, 1, 0), (3, 1, 4), (3, 1, 1.0)])
def test_nothing_is_extrapolated(runs: int, passes: int, k: int) -> None:
    for function in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="must be"):
            function(runs, passes, k)


def test_no_noise_of_nothing() -> None:
    with pytest.raises(ValueError, match="empty"):
        rerun_noise([], 3)
    with pytest.raises(ValueError, match="at most"):
        rerun_noise([4], 3)
