"""Two contestants: the exact decision, the interval of the difference, and what may not be compared."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from sitegen.measure.paired import ahead_exact, bonett_price, mcnemar_exact, paired_diff, sign_flip_exact

counts = st.integers(0, 150)
paired_flags = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=50)


@given(counts, counts)
def test_mcnemar_is_statsmodels(b: int, c: int) -> None:
    expected = mcnemar([[0, b], [c, 0]], exact=True).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(expected, abs=1e-10)
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b)


@given(counts, counts)
def test_the_one_sided_form_is_scipys(wins: int, losses: int) -> None:
    expected = stats.binomtest(wins, wins + losses, alternative="greater").pvalue if wins + losses else 1.0
    assert ahead_exact(wins, losses) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("b", "c"), [(1000, 1001), (1400, 1300), (2600, 2400), (2500, 0), (0, 2500), (1250, 1250)])
def test_many_disagreements(b: int, c: int) -> None:
    """Beyond two thousand the beta function takes over, without a step."""
    assert mcnemar_exact(b, c) == pytest.approx(min(1.0, 2 * stats.binom.cdf(min(b, c), b + c, 0.5)), rel=1e-9)
    assert ahead_exact(b, c) == pytest.approx(stats.binom.sf(b - 1, b + c, 0.5), rel=1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
def test_sign_flips_of_single_tasks_are_mcnemar(b: int, c: int) -> None:
    flips = sign_flip_exact([1] * b + [-1] * c + [0])
    assert flips.p_two_sided == mcnemar_exact(b, c)
    assert flips.p_greater == ahead_exact(b, c)
    assert flips.p_less == ahead_exact(c, b)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=11))
def test_sign_flips_are_the_enumeration(totals: list[int]) -> None:
    sums = [sum(map(int.__mul__, signs, totals)) for signs in product((-1, 1), repeat=len(totals))]
    observed = sum(totals)
    flips = sign_flip_exact(totals)
    assert flips.p_greater == sum(s >= observed for s in sums) / len(sums)
    assert flips.p_less == sum(s <= observed for s in sums) / len(sums)
    assert flips.p_two_sided == sum(abs(s) >= abs(observed) for s in sums) / len(sums)


def test_sign_flips_of_nothing_decide_nothing() -> None:
    flips = sign_flip_exact([0, 0, 0])
    assert (flips.p_two_sided, flips.p_greater, flips.p_less) == (1.0, 1.0, 1.0)


@given(paired_flags)
def test_the_difference_of_single_runs_is_bonett_price(rows: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in rows], [b for _, b in rows]
    b, c = sum(a > b for a, b in rows), sum(a < b for a, b in rows)
    assert paired_diff(first, second) == pytest.approx(bonett_price(b, c, len(rows)), abs=1e-12)


@given(paired_flags, st.booleans(), st.sampled_from([1, None]))
def test_swapping_the_contestants_reverses(rows: list[tuple[int, int]], clustered: bool, runs: int | None) -> None:
    labels = [i // 2 for i in range(len(rows))] if clustered and len(rows) > 2 else None
    low, high = paired_diff([a for a, _ in rows], [b for _, b in rows], labels, runs)
    swapped = paired_diff([b for _, b in rows], [a for a, _ in rows], labels, runs)
    assert swapped == pytest.approx((-high, -low), abs=1e-12)
    assert -1.0 <= low < high <= 1.0


@given(st.integers(1, 100).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.data())
def test_bonett_price_is_its_formula(cn: tuple[int, int], data: st.DataObject) -> None:
    c, n = cn
    b = data.draw(st.integers(0, n - c))
    p, q = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = stats.norm.ppf(0.995) * numpy.sqrt((p + q - (p - q) ** 2) / (n + 2))
    expected = (max(-1.0, p - q - half), min(1.0, p - q + half))
    assert bonett_price(b, c, n, "0.99") == pytest.approx(expected, abs=1e-9)


def test_a_rate_may_fall_while_the_contestant_gains() -> None:
    """Two versions of an exam: 30 tasks in both, 10 retired, 20 new. Rates of different exams are never subtracted."""
    common, retired, new = 30, 10, 20
    before, after = (24, 9), (27, 10)
    headline = [Fraction(sum(before), common + retired), Fraction(sum(after), common + new)]
    assert headline == [Fraction(33, 40), Fraction(37, 50)]
    assert headline[1] - headline[0] == Fraction(-85, 1000)
    assert Fraction(after[0], common) - Fraction(before[0], common) == Fraction(1, 10)
    shares = Fraction(common, common + retired), Fraction(common, common + new)
    by_agent = shares[1] * Fraction(after[0], common) - shares[0] * Fraction(before[0], common)
    by_exam = (1 - shares[1]) * Fraction(after[1], new) - (1 - shares[0]) * Fraction(before[1], retired)
    assert by_agent + by_exam == headline[1] - headline[0]


@pytest.mark.parametrize(("b", "c"), [(-1, 0), (0, -1), (1.0, 0), (0, True)])
def test_only_counts_disagree(b: int, c: int) -> None:
    for function in (mcnemar_exact, ahead_exact, lambda b, c: bonett_price(b, c, 10)):
        with pytest.raises(ValueError, match=r"must be (at least 0|an integer)"):
            function(b, c)


@pytest.mark.parametrize(
    ("b", "c", "n", "level", "message"),
    [(6, 5, 10, 0.95, "at most n"), (0, 0, 0, 0.95, "n must be at least 1"), (1, 1, 10, 1.0, "level")],
)
def test_bonett_price_refuses(b: int, c: int, n: int, level: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bonett_price(b, c, n, level)


@pytest.mark.parametrize("totals", [[], [0.5], [1.0], [True], [None]])
def test_sign_flips_refuse(totals: list[int]) -> None:
    with pytest.raises(ValueError, match=r"empty|integer"):
        sign_flip_exact(totals)


@pytest.mark.parametrize(
    ("a", "b", "more", "message"),
    [
        ([], [], {}, "empty"),
        ([1, 0], [1, 0, 1], {}, "the same tasks"),
        ([1, 0], [1, 0.5], {}, "passes of 1"),
        ([1, 0], [1, 2], {"runs": None}, r"\[0, 1\]"),
        ([1], [0], {}, "at least two"),
        ([1, 0], [0, 1], {"clusters": ["a", None]}, "every task or for none"),
        ([1, 0], [0, 1], {"level": "1.5"}, "level"),
    ],
)
def test_paired_differences_refuse(a: list[float], b: list[float], more: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        paired_diff(a, b, **more)
