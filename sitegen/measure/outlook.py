"""What an exam can and cannot distinguish, as sealing prints it: computed from its size alone, before any run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sitegen.measure.inputs import Exact, count_of, open_fraction
from sitegen.measure.intervals import Interval, interval_of
from sitegen.measure.power import (
    ALPHA,
    POWER,
    connor_n,
    detectable_difference,
    disagreement,
    exact_n,
    mcnemar_power,
    min_sweep,
)
from sitegen.measure.rounding import round_out
from sitegen.read.tasks import Task

CORRELATIONS = (0.0, 0.5)
"""Between the outcomes of two contestants: failing on unrelated tasks, and mostly on the same ones."""
_RATES = (Fraction(1, 2), Fraction(4, 5), Fraction(19, 20), Fraction(1))
_CLUSTER_CORRELATIONS = (0.1, 0.3)
_MOST_CONTROLS = 3
_RATE_TO_FALL_FROM = 0.8
_STEPS = 800  # of 0.001 each, from that rate down to 0
_DECIMALS = 4

DETECTABLE = "detectable_below_0.80"
"""Where a stored outlook has the detectable differences, by the words of :data:`CORRELATION_WORDS`."""
CORRELATION_WORDS = dict(zip(CORRELATIONS, ("unrelated", "related"), strict=True))
"""How failures correlate, in a word."""

Supposed = tuple[float | None, ...]
"""Detectable differences that somebody says are right, one a correlation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountOutlook:
    """The interval that k of n would be printed with."""

    k: int
    n: int
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """The smallest difference below a rate of 0.80 that is detected with power 0.8; None if there is none."""

    phi: float
    difference: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SealingOutlook:
    """What an exam of n ordinary tasks and m negative controls can say about so many contestants.

    `success` holds the intervals at 50, 80, 95 and 100 %, `controls` those at 0, 1, … of m. `floor` is the smallest
    lead, in tasks, that can ever be distinguished at `pair_alpha`, the share of the family's alpha that one pair gets.
    `clustered` holds pairs of a correlation within clusters and the effective number of tasks.
    """

    n: int
    m: int
    contestants: int
    resolution: float
    success: tuple[CountOutlook, ...]
    controls: tuple[CountOutlook, ...]
    pair_alpha: float
    floor: int
    detectable: tuple[Detectable, ...]
    clustered: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedSize:
    """What telling two rates apart with power 0.8 would take, at one correlation of their outcomes.

    `connor` is the normal approximation, `exact` the exact test's number of tasks (None where it is beyond 20 000), and
    `power` what the exam at hand has.
    """

    phi: float
    connor: int
    exact: int | None
    power: float


def sealing_outlook(
    n: int,
    m: int,
    *,
    contestants: int = 2,
    ci_method: str = "wilson",
    cluster_sizes: Sequence[int] = (),
    alpha: Exact = ALPHA,
    supposed: Supposed | None = None,
) -> SealingOutlook:
    """The outlook of an exam of n ordinary tasks and m controls.

    `cluster_sizes` are the numbers of tasks by cluster, where tasks are clustered. What is `supposed` to be detectable
    is only ever tried first: it changes no result, but where it is right it spares the search, which takes most of the
    time. Raises ValueError for n or m below 1 and for fewer than two contestants.
    """
    n, m = count_of(n, "n", at_least=1), count_of(m, "m", at_least=1)
    pairs = count_of(contestants, "contestants", at_least=2) * (contestants - 1) // 2
    pair_alpha = open_fraction(alpha, "alpha") / pairs
    return SealingOutlook(
        n=n,
        m=m,
        contestants=contestants,
        resolution=1 / n,
        success=tuple(_outlook(ci_method, round(rate * n), n) for rate in _RATES),
        controls=tuple(_outlook(ci_method, k, m) for k in range(min(m, _MOST_CONTROLS) + 1)),
        pair_alpha=float(pair_alpha),
        floor=min_sweep(pair_alpha),
        detectable=_detectable(n, pair_alpha, supposed),
        clustered=tuple((rho, effective_tasks(cluster_sizes, rho)) for rho in _CLUSTER_CORRELATIONS if cluster_sizes),
    )


def stored_outlook(outlook: SealingOutlook) -> dict[str, Any]:
    """Return an outlook as a seal keeps it: rates to 4 decimals, intervals as [k, n, low, high], rounded outward."""
    value: dict[str, Any] = {
        "contestants": outlook.contestants,
        "resolution": round(outlook.resolution, _DECIMALS),
        "floor_tasks": outlook.floor,
        DETECTABLE: {CORRELATION_WORDS[part.phi]: part.difference for part in outlook.detectable},
        "success": [_stored(part) for part in outlook.success],
        "controls": [_stored(part) for part in outlook.controls],
    }
    if outlook.clustered:
        value["effective_tasks"] = {f"correlation {rho}": round(n, 1) for rho, n in outlook.clustered}
    return value


def sizes_of_clusters(tasks: Sequence[Task], field: str | None) -> tuple[int, ...]:
    """Return how many of the tasks have each value of the cluster field, sorted; none where there is no such field."""
    return tuple(sorted(Counter(str(task.shown.get(field)) for task in tasks).values())) if field else ()


def is_detectable(n: int, difference: float | None, phi: float, alpha: Exact = ALPHA) -> bool:
    """Tell whether `difference` is the smallest below 0.80 that n tasks detect with power 0.8, as a search would find.

    The power grows with the difference, so that two of its values tell what a search compares hundreds for.
    """
    if difference is None:
        return not _is_enough(n, _STEPS, phi, alpha)
    if not 0 < difference < 1:
        return False
    step = round(difference * 1000)
    on_grid = 1 <= step <= _STEPS and step / 1000 == difference
    return on_grid and _is_enough(n, step, phi, alpha) and not _is_enough(n, step - 1, phi, alpha)


def size_for(pa: float, pb: float, n: int, *, alpha: Exact = ALPHA) -> tuple[WantedSize, ...]:
    """How many tasks would tell the rates pa and pb apart, and the power that n tasks have; one record a correlation.

    Raises ValueError for equal rates and for rates outside [0, 1].
    """
    sizes = []
    for phi in CORRELATIONS:
        wanted = connor_n(pa, pb, phi, alpha)
        power = mcnemar_power(n, *wanted.cells, alpha)
        sizes.append(WantedSize(phi=phi, connor=wanted.n, exact=exact_n(*wanted.cells, alpha), power=power))
    return tuple(sizes)


def effective_tasks(cluster_sizes: Sequence[int], correlation: float) -> float:
    """How many independent tasks clusters of these sizes are worth, n/(1 + (m̄ - 1)ρ) with m̄ = Σm²/n.

    Raises ValueError for no cluster, an empty one, or a correlation outside [0, 1].
    """
    sizes = [count_of(size, "a cluster's size", at_least=1) for size in cluster_sizes]
    if not sizes or not 0.0 <= correlation <= 1.0:
        raise ValueError("clusters must be given, and a correlation between 0 and 1")
    n = sum(sizes)
    return n / (1 + (sum(size * size for size in sizes) / n - 1) * correlation)


def _detectable(n: int, alpha: Fraction, supposed: Supposed | None) -> tuple[Detectable, ...]:
    known = zip(CORRELATIONS, supposed, strict=True) if supposed is not None else ()
    right = {phi: difference for phi, difference in known if is_detectable(n, difference, phi, alpha)}
    return tuple(
        Detectable(phi=phi, difference=right[phi] if phi in right else detectable_difference(n, phi=phi, alpha=alpha))
        for phi in CORRELATIONS
    )


def _is_enough(n: int, step: int, phi: float, alpha: Exact) -> bool:
    cells = disagreement(_RATE_TO_FALL_FROM, max(0.0, _RATE_TO_FALL_FROM - step / 1000), phi)
    return mcnemar_power(n, *cells, alpha) >= POWER


def _stored(part: CountOutlook) -> list[float]:
    return [part.k, part.n, *round_out(part.interval.low, part.interval.high, _DECIMALS)]


def _outlook(method: str, k: int, n: int) -> CountOutlook:
    return CountOutlook(k=k, n=n, interval=interval_of(method, k, n))
