"""The pairwise analysis, against the parts it is made of and against scipy and statsmodels."""

from __future__ import annotations

import random
from itertools import combinations

import numpy
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from sitegen.measure.paired import bonett_price, paired_diff, sign_flip_exact
from sitegen.measure.pairwise import PairwiseAnalysis, compare_all

ROW = [1, 1, 1, 0, 0, 1, 0, 1, 1, 0]


def outcomes(contestants: int, tasks: int, runs: int = 1, seed: int = 5) -> dict[str, list[int]]:
    rng = random.Random(seed)
    return {
        f"c{i}": [sum(rng.random() < 0.3 + 0.1 * i for _ in range(runs)) for _ in range(tasks)]
        for i in range(contestants)
    }


def analysis(table: dict[str, list[int]], **more: object) -> PairwiseAnalysis:
    return compare_all(list(table.values()), list(table), **more)


def test_every_number_of_single_runs_from_scipy_and_statsmodels() -> None:
    table = outcomes(6, 200)
    found = analysis(table)
    order = sorted(table, key=lambda name: (-sum(table[name]), name))
    assert list(found.ids) == order
    assert list(found.passes) == [sum(table[name]) for name in order]
    flags = numpy.array([table[name] for name in order], dtype=bool)
    wins = (flags[:, None, :] & ~flags[None, :, :]).sum(axis=2)
    claims = [(i, j) for i in range(6) for j in range(6) if i != j]
    single = [
        stats.binomtest(int(w), int(w + v), alternative="greater").pvalue
        for w, v in ((wins[i, j], wins[j, i]) for i, j in claims)
    ]
    adjusted = dict(zip(claims, multipletests(single, method="holm")[1], strict=True))
    level = 1 - 0.05 / 15
    assert [(pair.first, pair.second) for pair in found.pairs] == list(combinations(range(6), 2))
    for pair in found.pairs:
        i, j = pair.first, pair.second
        assert (pair.b, pair.c, pair.informative) == (wins[i, j], wins[j, i], wins[i, j] + wins[j, i])
        assert pair.difference == pytest.approx(flags[i].mean() - flags[j].mean(), abs=1e-15)
        assert pair.adjusted == pytest.approx(min(adjusted[i, j], adjusted[j, i]), abs=1e-12)
        assert pair.distinguishable == (pair.adjusted <= 0.05)
        assert (pair.interval.low, pair.interval.high) == pytest.approx(bonett_price(pair.b, pair.c, 200, level))
        assert pair.interval.level == pytest.approx(level)
        assert found.letters is not None
        assert bool(set(found.letters[i]) & set(found.letters[j])) != pair.distinguishable
    assert {pair.distinguishable for pair in found.pairs} == {True, False}


def test_the_observed_rank_lies_in_its_range() -> None:
    for seed in range(30):
        found = analysis(outcomes(5, 60, seed=seed))
        for place, (best, worst) in enumerate(found.family.rank_ranges, start=1):
            assert best <= place <= worst


def test_equal_rates_are_ordered_by_id() -> None:
    found = compare_all([ROW, ROW[::-1], ROW], ["b", "a", "c"])
    assert found.ids == ("a", "b", "c")
    assert found.letters == ("a", "a", "a")


def test_repeated_runs_are_decided_by_sign_flips() -> None:
    table = outcomes(3, 40, runs=4)
    found = analysis(table, runs=4)
    assert (found.test, found.runs, found.tasks) == ("sign-flip-exact", 4, 40)
    for pair in found.pairs:
        a, b = table[found.ids[pair.first]], table[found.ids[pair.second]]
        leads = [x - y for x, y in zip(a, b, strict=True)]
        flips = sign_flip_exact(leads)
        assert (pair.b, pair.c) == (sum(x > 0 for x in leads), sum(x < 0 for x in leads))
        assert pair.difference == pytest.approx((sum(a) - sum(b)) / 160, abs=1e-15)
        expected = paired_diff([x / 4 for x in a], [x / 4 for x in b], None, 4, pair.interval.level)
        assert (pair.interval.low, pair.interval.high) == pytest.approx(expected)
        assert pair.adjusted >= min(flips.p_greater, flips.p_less)


def test_clusters_are_decided_by_their_totals() -> None:
    """Ten wins in two clusters are two observations, not ten."""
    ahead, behind = [1] * 10 + [0] * 2, [0] * 12
    labels = ["x"] * 5 + ["y"] * 5 + ["z"] * 2
    single = compare_all([ahead, behind], ["a", "b"])
    clustered = compare_all([ahead, behind], ["a", "b"], clusters=labels)
    assert single.pairs[0].distinguishable
    assert (clustered.pairs[0].distinguishable, clustered.pairs[0].informative) == (False, 2)
    assert clustered.pairs[0].adjusted == 0.5


def test_single_runs_as_clusters_of_one_decide_the_same() -> None:
    table = outcomes(4, 50)
    plain, singletons = analysis(table), analysis(table, clusters=range(50))
    assert singletons.family == plain.family
    assert [pair.interval.low for pair in singletons.pairs] == pytest.approx([p.interval.low for p in plain.pairs])


def test_numpy_rows_and_lists_are_the_same() -> None:
    table = outcomes(3, 30)
    rows = numpy.array(list(table.values()), dtype=bool)
    assert compare_all(rows, list(table)) == analysis(table)


def test_a_single_contestant_is_alone() -> None:
    found = compare_all([ROW], ["only"])
    assert (found.pairs, found.letters, found.family.rank_ranges) == ((), ("a",), ((1, 1),))


@pytest.mark.parametrize(
    ("rows", "ids", "more", "message"),
    [
        ([], [], {}, "one row"),
        ([ROW], ["a", "b"], {}, "one row"),
        ([ROW, ROW], ["a", "a"], {}, "id of its own"),
        ([ROW, ROW[:-1]], ["a", "b"], {}, "the same tasks"),
        ([[], []], ["a", "b"], {}, "at least one"),
        ([ROW, [*ROW[:-1], 2]], ["a", "b"], {}, "from 0 to 1"),
        ([ROW, [*ROW[:-1], 0.5]], ["a", "b"], {}, "from 0 to 1"),
        ([ROW, ROW], ["a", "b"], {"runs": 0}, "runs"),
        ([ROW, ROW], ["a", "b"], {"alpha": 1}, "alpha"),
        ([ROW, ROW], ["a", "b"], {"clusters": [None] * 10}, "every task or for none"),
        ([ROW, ROW], ["a", "b"], {"clusters": ["x"] * 10}, "at least two"),
        ([[1], [2]], ["a", "b"], {"runs": 2}, "at least two"),
    ],
)
def test_refusals(rows: list[list[int]], ids: list[str], more: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare_all(rows, ids, **more)
