"""The speed of the statistics, beside scipy and statsmodels doing the same in the same run.

    python tests/bench/bench_statistics.py

One line a figure: seconds here, the limit that is kept, seconds there, and the ratio there/here (above 1: faster
here). Every comparison first checks that both computed the same. Exit status 1 when a limit is missed.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sitegen.measure.intervals import bootstrap_exact, clopper_pearson, wilson
from sitegen.measure.paired import bonett_price, mcnemar_exact
from sitegen.measure.pairwise import compare_all

COUNT = 100_000
SAMPLE = 2_000  # calls of a library that takes one pair at a time; its seconds are scaled to COUNT

Answer = TypeVar("Answer")


def timed(call: Callable[[], Answer]) -> tuple[float, Answer]:
    start = perf_counter()
    answer = call()
    return perf_counter() - start, answer


def line(what: str, here: float, limit: float | None, there: float | None = None, other: str = "") -> bool:
    """Prints one figure; whether its limit is kept."""
    kept = limit is None or here < limit
    text = f"{what:<52} {here:9.4f} s   {'limit ' + format(limit, 'g') + ' s' if limit else '':<13}"
    if there is not None:
        text += f" {other} {there:.4f} s, ratio {there / here:.2f}"
    print(text.rstrip() + ("" if kept else "   MISSED"))
    return kept


def intervals(rates: list[tuple[int, int]]) -> bool:
    """One call a rate here; statsmodels both so and in one call on arrays."""
    k, n = numpy.array(rates).T
    kept = True
    for function, name, limit in ((wilson, "wilson", 3.0), (clopper_pearson, "beta", None)):
        here, ours = timed(lambda f=function: [f(a, b) for a, b in rates])
        arrays, theirs = timed(lambda m=name: proportion_confint(k, n, method=m))
        numpy.testing.assert_allclose(ours, numpy.array(theirs).T, atol=1e-9)
        single, _ = timed(lambda m=name: [proportion_confint(a, b, method=m) for a, b in rates[:SAMPLE]])
        label = f"{COUNT:,} {function.__name__} intervals"
        kept &= line(label, here, limit, single * COUNT / SAMPLE, "statsmodels one by one")
        line(f"{label}, again", here, limit, arrays, "statsmodels on arrays")
    here, _ = timed(lambda: [bootstrap_exact(a, b) for a, b in rates])
    line(f"{COUNT:,} bootstrap_exact intervals", here, None)
    return kept


def pairs(rates: list[tuple[int, int]]) -> bool:
    """The default decision and interval of two contestants."""
    tables = [(k // 2, (n - k) // 3, n) for k, n in rates]
    here, _ = timed(lambda: [bonett_price(b, c, n) for b, c, n in tables])
    kept = line(f"{COUNT:,} bonett_price intervals", here, 3.0)
    here, ours = timed(lambda: [mcnemar_exact(b, c) for b, c, _ in tables])
    there, theirs = timed(lambda: [mcnemar([[0, b], [c, 0]]).pvalue if b + c else 1.0 for b, c, _ in tables[:SAMPLE]])
    numpy.testing.assert_allclose(ours[:SAMPLE], theirs, atol=1e-10)
    return kept & line(f"{COUNT:,} mcnemar_exact decisions", here, 3.0, there * COUNT / SAMPLE, "statsmodels")


def bootstrap() -> bool:
    """The exact bootstrap of a million tasks."""
    k, n = 570_092, 1_000_000
    law = stats.binom(n, k / n)
    here, ours = timed(lambda: bootstrap_exact(k, n))
    there, theirs = timed(lambda: (law.ppf(0.025) / n, law.ppf(0.975) / n))
    assert ours == theirs
    return line("exact bootstrap at n = 1,000,000", here, 0.020, there, "scipy binom.ppf")


def reference(flags: numpy.ndarray) -> numpy.ndarray:
    """Adjusted one-sided p-values of all ordered pairs by numpy, scipy and statsmodels."""
    wins = flags.astype(float) @ (~flags).astype(float).T
    rows, columns = numpy.nonzero(~numpy.eye(len(flags), dtype=bool))
    w, v = wins[rows, columns], wins[columns, rows]
    adjusted = numpy.ones_like(wins)
    adjusted[rows, columns] = multipletests(stats.binom.sf(w - 1, w + v, 0.5), method="holm")[1]
    return adjusted


def contest(contestants: int, tasks: int) -> bool:
    """All pairs: wins, exact tests, Holm, rank ranges, letters and intervals here; only the tests there."""
    rng = numpy.random.default_rng(20261130)
    rates = numpy.linspace(0.75, 0.55, contestants)
    flags = rng.random((contestants, tasks)) < rates[:, None]
    flags = flags[numpy.argsort(-flags.sum(axis=1), kind="stable")]
    rows, ids = flags.tolist(), [f"c{i:02d}" for i in range(contestants)]
    here, found = timed(lambda: compare_all(rows, ids))
    there, adjusted = timed(lambda: reference(flags))
    numpy.testing.assert_allclose(found.family.adjusted, adjusted, atol=1e-9)
    return line(f"{contestants} contestants × {tasks:,} tasks, all pairs", here, 5.0, there, "scipy, tests only")


def main() -> int:
    rng = random.Random(20261130)
    rates = [(rng.randint(0, n), n) for n in (rng.randint(1, 500) for _ in range(COUNT))]
    kept = [intervals(rates), pairs(rates), bootstrap(), contest(60, 5_000)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
