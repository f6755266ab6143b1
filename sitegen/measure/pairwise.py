"""The pairwise analysis of one group of contestants: every pair on the same tasks, as one family.

Contestants must have run one sealed protocol under the same conditions, the same number of times; that is the caller's
to know. Nothing here compares two rates by whether their intervals overlap.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from operator import sub
from typing import NamedTuple

from sitegen.measure.clusters import cluster_sums
from sitegen.measure.inputs import Exact, count_of, open_fraction
from sitegen.measure.intervals import Interval
from sitegen.measure.many import DirectionalHolm, holm_ahead, letters
from sitegen.measure.paired import ahead_exact, bonett_price, paired_diff, sign_flip_exact
from sitegen.measure.power import ALPHA


class Pair(NamedTuple):
    """Two contestants by their place in the order, the first above the second. A tuple, since there are many pairs.

    `b` tasks went better for the first, `c` for the second. `informative` counts the clusters (where there are none,
    the tasks) that speak for either: below `min_sweep` of them nothing can be distinguished. `difference` is of the two
    rates, `interval` is at the simultaneous level, `adjusted` is the smaller adjusted p of the two directions.
    """

    first: int
    second: int
    b: int
    c: int
    informative: int
    difference: float
    interval: Interval
    adjusted: float
    distinguishable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseAnalysis:
    """All pairs of one group, in table order: rate descending, then id.

    Everything is indexed by place in `ids`. `passes` are out of `tasks` times `runs`; `family` holds the adjusted
    p-values and rank ranges. `letters` is None where 26 do not suffice: print rank ranges only.
    """

    ids: tuple[str, ...]
    passes: tuple[int, ...]
    tasks: int
    runs: int
    test: str
    alpha: float
    family: DirectionalHolm
    letters: tuple[str, ...] | None
    pairs: tuple[Pair, ...]


class _Contrast(NamedTuple):
    """One pair by itself, before the family is known."""

    first: int
    second: int
    b: int
    c: int
    informative: int
    p_ahead: float
    p_behind: float
    interval: Interval


def compare_all(
    passes: Sequence[Sequence[int]],
    ids: Sequence[str],
    *,
    runs: int = 1,
    clusters: Sequence[Hashable] | None = None,
    alpha: Exact = ALPHA,
) -> PairwiseAnalysis:
    """Compares every pair of contestants task by task.

    `passes[i][t]` is how many of `runs` runs of contestant `ids[i]` passed task t (with one run, a flag). Single runs
    without clusters are decided by McNemar's exact test, all else by exact sign flips. Raises ValueError for repeated
    ids, unequal numbers of tasks, no task at all, a count outside 0 … runs, or sign flips over fewer than two clusters
    (without clusters: tasks).
    """
    runs = count_of(runs, "runs", at_least=1)
    bound = open_fraction(alpha, "alpha")
    rows = _checked(passes, ids, runs)
    order = sorted(range(len(ids)), key=lambda i: (-sum(rows[i]), ids[i]))
    ranked = [rows[i] for i in order]
    level = 1 - bound / max(1, len(ids) * (len(ids) - 1) // 2)
    plain = runs == 1 and clusters is None
    contrasts = list(_of_flags(ranked, level) if plain else _of_totals(ranked, runs, clusters, level))
    family = _family(contrasts, len(ids), alpha)
    totals = tuple(map(sum, ranked))
    return PairwiseAnalysis(
        ids=tuple(ids[i] for i in order),
        passes=totals,
        tasks=len(ranked[0]),
        runs=runs,
        test="mcnemar-exact" if plain else "sign-flip-exact",
        alpha=float(bound),
        family=family,
        letters=letters(len(ids), _tied(family)),
        pairs=tuple(_pair(contrast, family, totals, len(ranked[0]) * runs) for contrast in contrasts),
    )


def _checked(passes: Sequence[Sequence[int]], ids: Sequence[str], runs: int) -> list[tuple[int, ...]]:
    """The counts as plain integers; ValueError for anything that is no table of tasks by contestants."""
    if not ids or len(passes) != len(ids) or len(set(ids)) != len(ids):
        raise ValueError("every contestant needs one row of outcomes and an id of its own")
    allowed = set(range(runs + 1))
    for row in passes:
        if not len(row) or len(row) != len(passes[0]):
            raise ValueError("all contestants must have outcomes for the same tasks, at least one")
        if not set(row) <= allowed:
            raise ValueError(f"outcomes must be counts from 0 to {runs}, not {sorted(set(row) - allowed)}")
    return [tuple(map(int, row)) for row in passes]


def _of_flags(rows: Sequence[Sequence[int]], level: Fraction) -> Iterator[_Contrast]:
    """Single runs: disagreements counted in one integer of a byte a task, decided by McNemar's exact test."""
    tasks = len(rows[0])
    solved = [int.from_bytes(bytes(row), "big") for row in rows]
    for i, j in combinations(range(len(rows)), 2):
        b, c = (solved[i] & ~solved[j]).bit_count(), (solved[j] & ~solved[i]).bit_count()
        p_ahead, p_behind, interval = _of_table(b, c, tasks, *level.as_integer_ratio())
        yield _Contrast(
            first=i,
            second=j,
            b=b,
            c=c,
            informative=b + c,
            p_ahead=p_ahead,
            p_behind=p_behind,
            interval=interval,
        )


@lru_cache(maxsize=65536)  # many pairs of a family, and of families of one size, disagree in the same numbers
def _of_table(b: int, c: int, tasks: int, *level: int) -> tuple[float, float, Interval]:
    """What two disagreements say: p of ahead and of behind, and the interval at a level of (numerator, denominator)."""
    exact = Fraction(*level)
    low, high = bonett_price(b, c, tasks, exact)
    interval = Interval(low=low, high=high, method="bonett-price", level=float(exact))
    return ahead_exact(b, c), ahead_exact(c, b), interval


def _of_totals(
    rows: Sequence[Sequence[int]], runs: int, clusters: Sequence[Hashable] | None, level: Fraction
) -> Iterator[_Contrast]:
    """Clusters or repeated runs: cluster totals decided by exact sign flips."""
    rates = [[count / runs for count in row] for row in rows]
    for i, j in combinations(range(len(rows)), 2):
        leads = list(map(sub, rows[i], rows[j]))
        totals = [int(total) for total in cluster_sums(leads, clusters).sums]
        flips = sign_flip_exact(totals)
        low, high = paired_diff(rates[i], rates[j], clusters, runs, level)
        yield _Contrast(
            first=i,
            second=j,
            b=sum(lead > 0 for lead in leads),
            c=sum(lead < 0 for lead in leads),
            informative=sum(total != 0 for total in totals),
            p_ahead=flips.p_greater,
            p_behind=flips.p_less,
            interval=Interval(low=low, high=high, method="paired-diff", level=float(level)),
        )


def _family(contrasts: Sequence[_Contrast], size: int, alpha: Exact) -> DirectionalHolm:
    one_sided = [[1.0] * size for _ in range(size)]
    for contrast in contrasts:
        one_sided[contrast.first][contrast.second] = contrast.p_ahead
        one_sided[contrast.second][contrast.first] = contrast.p_behind
    return holm_ahead(one_sided, alpha)


def _tied(family: DirectionalHolm) -> list[tuple[int, int]]:
    """The pairs of which neither is ahead."""
    places = range(len(family.ahead))
    return [(i, j) for i, j in combinations(places, 2) if not (family.ahead[i][j] or family.ahead[j][i])]


def _pair(contrast: _Contrast, family: DirectionalHolm, totals: Sequence[int], trials: int) -> Pair:
    i, j = contrast.first, contrast.second
    return Pair(
        first=i,
        second=j,
        b=contrast.b,
        c=contrast.c,
        informative=contrast.informative,
        difference=(totals[i] - totals[j]) / trials,
        interval=contrast.interval,
        adjusted=min(family.adjusted[i][j], family.adjusted[j][i]),
        distinguishable=family.ahead[i][j] or family.ahead[j][i],
    )
