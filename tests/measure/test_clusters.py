"""Effective sample sizes: what clusters and repeated runs leave of n."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.measure.clusters import cluster_sums, effective_wilson, wilson_real
from sitegen.measure.intervals import wilson

flags = st.lists(st.integers(0, 1), min_size=2, max_size=60)
labelled = st.lists(st.tuples(st.integers(0, 1), st.sampled_from("abcdefg")), min_size=8, max_size=60).filter(
    lambda rows: len({label for _, label in rows}) > 1
)


def ends(values: Sequence[float], *rest: object, **more: object) -> tuple[float, float]:
    found = effective_wilson(values, *rest, **more)
    return found.low, found.high


@given(flags)
def test_single_tasks_and_runs_are_wilson(values: list[int]) -> None:
    found = effective_wilson(values)
    assert (found.low, found.high) == pytest.approx(wilson(sum(values), len(values)), abs=1e-12)
    assert found.n_eff == pytest.approx(len(values), rel=1e-12)
    assert found.design_effect == pytest.approx(1.0, rel=1e-12)


@given(labelled, st.randoms(use_true_random=False))
def test_order_and_names_change_nothing(rows: list[tuple[int, str]], rng: random.Random) -> None:
    values, labels = [value for value, _ in rows], [label for _, label in rows]
    expected = effective_wilson(values, labels)
    shuffled = rng.sample(rows, len(rows))
    renamed = [{label: f"repository {label}" for label in labels}[label] for _, label in shuffled]
    assert effective_wilson([value for value, _ in shuffled], renamed) == expected


@given(labelled)
def test_clusters_only_ever_cost(rows: list[tuple[int, str]]) -> None:
    found = effective_wilson([value for value, _ in rows], [label for _, label in rows])
    assert 0.0 <= found.low <= found.mean <= found.high <= 1.0
    assert found.low < found.high
    assert 1.0 <= found.n_eff <= len(rows) + 1e-9
    assert found.design_effect >= 1.0 - 1e-12


@given(labelled)
def test_reflection(rows: list[tuple[int, str]]) -> None:
    values, labels = [value for value, _ in rows], [label for _, label in rows]
    low, high = ends(values, labels)
    assert ends([1 - value for value in values], labels) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@given(st.lists(st.integers(1, 6), min_size=2, max_size=10), st.integers(1, 3))
def test_a_failure_never_raises_the_low_end(sizes: list[int], runs: int) -> None:
    labels = [group for group, size in enumerate(sizes) for _ in range(size)]
    perfect, _ = ends([1.0] * len(labels), labels, runs)
    for at in range(len(labels)):
        values = [1.0] * len(labels)
        values[at] = (runs - 1) / runs
        assert ends(values, labels, runs)[0] <= perfect + 1e-15


def test_more_runs_never_reach_more_than_the_runs_there_were() -> None:
    """Tasks that differ from run to run by pure chance are worth up to n·R observations, tasks that never do only n."""
    always_or_never = effective_wilson([1.0] * 10 + [0.0] * 10, runs=5)
    by_chance = effective_wilson([0.6, 0.4] * 10, runs=5)
    assert always_or_never.n_eff == pytest.approx(20)
    assert by_chance.n_eff == pytest.approx(100)
    assert (always_or_never.observations, always_or_never.clusters) == (100, 20)


def test_few_clusters_are_said() -> None:
    labels = ["a", "a", "b", "b", "c", "d", "e", "f"]
    assert not effective_wilson([1, 0, 1, 1, 0, 1, 1, 0], labels).few_clusters
    assert effective_wilson([1, 0, 1, 1, 0, 1, 1], labels[:7]).few_clusters


def test_graded_scores_without_spread_keep_a_width() -> None:
    for score in (0.0, 0.4, 1.0):
        low, high = ends([score] * 12, runs=None)
        assert (low, high) == pytest.approx(wilson_real(score, 12, 1.959963984540054), abs=1e-12)
        assert low < high


def test_sums_by_cluster() -> None:
    groups = cluster_sums([1, 0, 1, 1], ["x", "y", "x", "y"], per_task=3)
    assert (groups.sums, groups.sizes, groups.count) == ((2.0, 1.0), (6, 6), 12)
    assert groups.effective_groups == 2.0


@pytest.mark.parametrize(
    ("values", "more", "message"),
    [
        ([], {}, "empty"),
        ([1], {}, "at least two"),
        ([1, 0], {"clusters": ["a", "a"]}, "at least two"),
        ([1, 0], {"clusters": ["a"]}, "2 tasks but 1"),
        ([1, 0], {"clusters": ["a", None]}, "every task or for none"),
        ([1, 0.5], {}, "passes of 1"),
        ([1, 0.5], {"runs": 3}, "passes of 3"),
        ([1, 0], {"runs": 0}, "runs must be at least 1"),
        ([1, 0], {"runs": 1.0}, "runs must be an integer"),
        ([1, 1.5], {"runs": None}, r"\[0, 1\]"),
        ([1, float("nan")], {"runs": None}, r"\[0, 1\]"),
        ([1, 0], {"level": 1}, "level"),
        ([1, 1], {"level": 0}, "level"),
    ],
)
def test_refusals(values: list[float], more: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        effective_wilson(values, **more)
