"""One rate: the intervals' properties, their coverage, and honesty at 0 % and 100 %."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from sitegen.measure.intervals import bootstrap_exact, clopper_pearson, interval_of, wilson
from sitegen.measure.rounding import round_out

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT.parent / "shared" / "reference" / "statistics_vectors.json"

Function = Callable[..., tuple[float, float]]
FUNCTIONS: tuple[Function, ...] = (wilson, clopper_pearson, bootstrap_exact)
METHODS = {"wilson": wilson, "clopper-pearson": clopper_pearson, "bootstrap": bootstrap_exact}

counts = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("k", "n", "ends"),
    [
        (16, 20, [(0.5840, 0.9193), (0.5634, 0.9427), (0.60, 0.95)]),
        (7, 10, [(0.3968, 0.8922), (0.3475, 0.9333), (0.40, 1.00)]),
        (3, 10, [(0.1078, 0.6032), (0.0667, 0.6525), (0.00, 0.60)]),
        (32, 40, [(0.6524, 0.8950), (0.6435, 0.9095), (0.675, 0.925)]),
    ],
)
def test_the_worked_example(k: int, n: int, ends: list[tuple[float, float]]) -> None:
    for function, expected in zip(FUNCTIONS, ends, strict=True):
        assert function(k, n) == pytest.approx(expected, abs=0.5e-4)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("level", [0.95, "0.8"])
def test_equivariance_and_monotony(function: Function, level: float | str) -> None:
    """f(n - k, n) is f(k, n) reflected; both ends rise with k and enclose k/n, for every k of n <= 100."""
    for n in range(1, 101):
        ends = [function(k, n, level) for k in range(n + 1)]
        for k, (low, high) in enumerate(ends):
            assert (1 - high, 1 - low) == pytest.approx(ends[n - k], abs=1e-12)
            assert 0.0 <= low <= k / n <= high <= 1.0
            assert low < high or (function is bootstrap_exact and k in (0, n))
        for below, above in pairwise(ends):
            assert below[0] <= above[0]
            assert below[1] <= above[1]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("n", [1, 20, 40, 1000, 39_999])
def test_the_ends_are_assigned(function: Function, n: int) -> None:
    """Exactly 0 and exactly 1, never 0.9999999999999999."""
    assert function(0, n)[0] == 0.0
    assert function(n, n)[1] == 1.0


@given(counts, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_and_clopper_pearson_are_statsmodels(k_n: tuple[int, int], level: float) -> None:
    k, n = k_n
    for function, name in ((wilson, "wilson"), (clopper_pearson, "beta")):
        low, high = proportion_confint(k, n, alpha=1 - level, method=name)
        expected = (0.0 if k == 0 else low, 1.0 if k == n else high)
        assert function(k, n, level) == pytest.approx(expected, abs=1e-9)


@given(counts)
def test_the_bootstrap_is_the_binomials_quantiles(k_n: tuple[int, int]) -> None:
    k, n = k_n
    law = stats.binom(n, k / n)
    assert bootstrap_exact(k, n) == pytest.approx((law.ppf(0.025) / n, law.ppf(0.975) / n), abs=1e-12)


@pytest.mark.parametrize(("k", "n"), [(500_000, 10**6), (3, 10**6), (999_999, 10**6), (75_562, 10**5)])
def test_the_bootstrap_of_many_tasks(k: int, n: int) -> None:
    law = stats.binom(n, k / n)
    assert bootstrap_exact(k, n) == (law.ppf(0.025) / n, law.ppf(0.975) / n)


def test_the_bootstraps_ties_are_decided_exactly() -> None:
    """At level 1/2 both quantiles of Bin(2, 1/2) are ties; the smaller count is taken."""
    assert bootstrap_exact(1, 2, "0.5") == (0.0, 0.5)


@given(st.integers(2, 200).flatmap(lambda n: st.tuples(st.integers(1, n - 1), st.just(n))))
def test_the_bootstrap_is_what_a_thousand_rounds_could_print(k_n: tuple[int, int]) -> None:
    """Neither end lies where 1000 resamples (26th and 976th smallest) come with less than one in a million."""
    k, n = k_n
    for end, rank in zip(bootstrap_exact(k, n), (26, 976), strict=True):
        j = round(end * n)
        at_most = stats.binom.sf(rank - 1, 1000, stats.binom.cdf(j, n, k / n))
        at_least = stats.binom.cdf(rank - 1, 1000, stats.binom.cdf(j - 1, n, k / n))
        assert min(at_most, at_least) >= 1e-6


def test_the_bootstrap_is_the_convolution_of_its_tasks() -> None:
    """n draws of one flag, convolved one by one, give the same quantiles."""
    k, n = 13, 17
    law = numpy.array([1.0])
    for _ in range(n):
        law = numpy.convolve(law, [1 - k / n, k / n])
    cumulative = numpy.cumsum(law)
    ends = tuple(int(numpy.argmax(cumulative >= q - 1e-12)) / n for q in (0.025, 0.975))
    assert bootstrap_exact(k, n) == ends


def coverage_grid(function: Function, n: int, level: float) -> dict[str, float]:
    """Coverage at p = 0.01 … 0.99 by enumeration, as the reference vectors define it."""
    ends = numpy.array([function(k, n, level) for k in range(n + 1)])
    rates = numpy.arange(1, 100) / 100
    chances = stats.binom.pmf(numpy.arange(n + 1), n, rates[:, None])
    covers = (ends[:, 0] <= rates[:, None] + 1e-12) & (ends[:, 1] >= rates[:, None] - 1e-12)
    coverage = (chances * covers).sum(axis=1)
    overclaim = (chances * (ends[:, 0] > rates[:, None] + 1e-12)).sum(axis=1)[79:]
    worst = rates[int(coverage.argmin())]
    return {
        "min": coverage.min(),
        "argmin_folded": min(worst, 1 - worst),
        "mean": coverage.mean(),
        "mean_width": (chances * (ends[:, 1] - ends[:, 0])).sum(axis=1).mean(),
        "overclaim_mean_p80_99": overclaim.mean(),
        "overclaim_max_p80_99": overclaim.max(),
    }


def test_the_coverage_of_the_reference_is_reproduced() -> None:
    if not REFERENCE.is_file():
        pytest.skip(f"no reference vectors: {REFERENCE.name} is not beside the project")
    vectors = json.loads(REFERENCE.read_text(encoding="utf-8"))["vectors"]
    grids = [v for v in vectors if v["function"] == "coverage_grid"]
    done = 0
    for vector in grids:
        function = METHODS.get(vector["input"]["method"].replace("_", "-").removesuffix("-exact"))
        if function is not None:
            got = coverage_grid(function, vector["input"]["n"], vector["input"]["level"])
            assert got == pytest.approx(vector["expected"], abs=1e-7), vector["id"]
            done += 1
    assert done >= 6


@pytest.mark.parametrize("n", [1, 7, 20, 40, 100])
def test_clopper_pearson_covers_everywhere(n: int) -> None:
    assert coverage_grid(clopper_pearson, n, 0.95)["min"] >= 0.95


@pytest.mark.parametrize(("n", "bound"), [(10, 0.741), (20, 0.861), (40, 0.928)])
def test_the_one_sided_bound_of_a_perfect_score(n: int, bound: float) -> None:
    """A one-sided 95 % bound is the low end at level 0.90: α^(1/n)."""
    assert clopper_pearson(n, n, 0.9)[0] == pytest.approx(bound, abs=0.5e-3)


def test_no_interval_that_is_shown_is_without_width() -> None:
    for method in METHODS:
        for n in range(1, 61):
            for k in range(n + 1):
                shown = interval_of(method, k, n)
                assert shown.low < shown.high
                assert shown.level == 0.95


def test_the_bootstrap_gives_way_where_it_is_degenerate() -> None:
    perfect, nothing = interval_of("bootstrap", 20, 20), interval_of("bootstrap", 0, 20)
    assert perfect.method == "wilson (bootstrap degenerate at k=n)"
    assert nothing.method == "wilson (bootstrap degenerate at k=0)"
    assert (perfect.low, perfect.high) == wilson(20, 20)
    assert round_out(perfect.low, perfect.high, 3) == (0.838, 1.0)
    ordinary = interval_of("bootstrap", 16, 20)
    assert (ordinary.method, ordinary.low, ordinary.high) == ("bootstrap", 0.6, 0.95)


def test_an_interval_of_a_sealed_method_is_that_methods() -> None:
    for method, function in METHODS.items():
        shown = interval_of(method, 32, 40)
        assert ((shown.low, shown.high), shown.method) == (function(32, 40), method)


@pytest.mark.parametrize("function", [*FUNCTIONS, lambda k, n: interval_of("wilson", k, n)])
@pytest.mark.parametrize(("k", "n"), [(0, 0), (-1, 10), (11, 10), (1.0, 10), (1, 10.0), (True, 10), (float("nan"), 10)])
def test_no_interval_of_no_rate(function: Function, k: int, n: int) -> None:
    with pytest.raises(ValueError, match=r"^[kn] must be"):
        function(k, n)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("level", [0, 1, -1, 95, float("nan"), "x"])
@pytest.mark.parametrize("k", [0, 3, 10])
def test_no_interval_at_no_level(function: Function, level: float | str, k: int) -> None:
    with pytest.raises(ValueError, match="level"):
        function(k, 10, level)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown interval method 'wald'; known: wilson, clopper-pearson, bootstrap"):
        interval_of("wald", 1, 2)


def test_numpy_is_not_loaded() -> None:
    """The statistics are plain Python, so that verifying a report starts fast."""
    modules = "intervals, clusters, paired, pairwise, many, repeated, power, outlook, order, rounding"
    code = f"import sys; from sitegen.measure import {modules}; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=60).returncode == 0
