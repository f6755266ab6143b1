"""What an exam can and cannot distinguish, as sealing prints it: computed from its size alone, before any run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sitegen.measure.inputs import Exact, count_of, open_fraction
from sitegen.measure.intervals import Interval, interval_of
from sitegen.measure.power import ALPHA, connor_n, detectable_difference, exact_n, mcnemar_power, min_sweep

CORRELATIONS = (0.0, 0.5)
"""Between the outcomes of two contestants: failing on unrelated tasks, and mostly on the same ones."""
_RATES = (Fraction(1, 2), Fraction(4, 5), Fraction(19, 20), Fraction(1))
_CLUSTER_CORRELATIONS = (0.1, 0.3)
_MOST_CONTROLS = 3


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
) -> SealingOutlook:
    """The outlook of an exam of n ordinary tasks and m controls.

    `cluster_sizes` are the numbers of tasks by cluster, where tasks are clustered. Raises ValueError for n or m below 1
    and for fewer than two contestants.
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
        detectable=tuple(
            Detectable(phi=phi, difference=detectable_difference(n, phi=phi, alpha=pair_alpha)) for phi in CORRELATIONS
        ),
        clustered=tuple((rho, effective_tasks(cluster_sizes, rho)) for rho in _CLUSTER_CORRELATIONS if cluster_sizes),
    )


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


def _outlook(method: str, k: int, n: int) -> CountOutlook:
    return CountOutlook(k=k, n=n, interval=interval_of(method, k, n))
