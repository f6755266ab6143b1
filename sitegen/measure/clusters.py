"""Rates over clusters and repeated runs: an effective sample size inside Wilson's formula.

A cluster is a group of tasks that may succeed or fail together; without labels each task is its own. With one run and
no labels everything here is the plain Wilson interval. Sources: Korn & Graubard 1998; Franco et al. 2019.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from sitegen.measure.inputs import Exact, count_of, passes_of_runs, shares, tail
from sitegen.measure.intervals import LEVEL
from sitegen.measure.special import t_ppf, z_of

FEW_CLUSTERS = 5
"""At or below this many clusters the interval covers 0.87 to 0.89 at worst, and the page must say so."""
_NO_VARIANCE = 1e-15


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveInterval:
    """The interval of a mean rate, and how many independent tasks its observations are worth."""

    low: float
    high: float
    mean: float
    observations: int
    clusters: int
    n_eff: float

    @property
    def design_effect(self) -> float:
        """Observations per effective task; 1 where every observation stands alone."""
        return self.observations / self.n_eff

    @property
    def few_clusters(self) -> bool:
        """Whether there are too few clusters for the stated coverage."""
        return self.clusters <= FEW_CLUSTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSums:
    """Per cluster, the sum of the observations and their number."""

    sums: tuple[float, ...]
    sizes: tuple[int, ...]

    @property
    def count(self) -> int:
        """All observations."""
        return sum(self.sizes)

    @property
    def effective_groups(self) -> float:
        """The number of equal clusters with the same weight, (Σ m)² / Σ m²."""
        return self.count**2 / sum(size * size for size in self.sizes)

    def mean_variance(self, mean: float) -> float:
        """The cluster-robust (CR1) variance of the mean."""
        groups = len(self.sizes)
        squares = fsum((s - m * mean) ** 2 for s, m in zip(self.sums, self.sizes, strict=True))
        return groups / (groups - 1) * squares / self.count**2


def cluster_sums(values: Sequence[float], clusters: Sequence[Hashable] | None, per_task: int = 1) -> ClusterSums:
    """Sums the tasks' values by cluster label; each value stands for `per_task` observations.

    Raises ValueError for labels that are missing for some tasks, and for fewer than two clusters.
    """
    labels: Sequence[Hashable] = range(len(values)) if clusters is None else clusters
    if len(labels) != len(values):
        raise ValueError(f"{len(values)} tasks but {len(labels)} cluster labels")
    if any(label is None for label in labels):
        raise ValueError("cluster labels must be given for every task or for none")
    members: dict[Hashable, list[float]] = {}
    for label, value in zip(labels, values, strict=True):
        members.setdefault(label, []).append(value)
    if len(members) < 2:
        raise ValueError("an interval over clusters needs at least two of them")
    return ClusterSums(
        sums=tuple(fsum(member) for member in members.values()),
        sizes=tuple(per_task * len(member) for member in members.values()),
    )


def effective_wilson(
    values: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    runs: int | None = 1,
    level: Exact = LEVEL,
) -> EffectiveInterval:
    """Wilson's interval at the effective sample size of clustered or repeated observations.

    `values` are the tasks' pass rates s/runs, or with `runs=None` graded scores in [0, 1]. Raises ValueError for other
    values, partial labels, and fewer than two clusters.
    """
    if runs is None:
        return _graded(cluster_sums(shares(values, "scores"), clusters), level)
    runs = count_of(runs, "runs", at_least=1)
    groups = cluster_sums(passes_of_runs(values, runs, "pass rates"), clusters, per_task=runs)
    total, z = groups.count, z_of(level)
    passes = round(sum(groups.sums))
    if passes == total:
        return _all_passed(groups, z)
    if passes == 0:
        # Failures are passes read backwards: bound the failures of all-passed, then reflect.
        mirror = _all_passed(ClusterSums(sums=tuple(map(float, groups.sizes)), sizes=groups.sizes), z)
        low, high = 0.0, 1.0 - mirror.low
        return _interval(groups, 0.0, mirror.n_eff, (low, high))
    p, n_eff = passes / total, _effective_size(groups, passes)
    return _interval(groups, p, n_eff, wilson_real(p, n_eff, z))


def wilson_real(p: float, n: float, critical: float) -> tuple[float, float]:
    """Wilson's interval of a rate p on a real number n of tasks, `critical` standard errors wide."""
    square = critical * critical
    centre = p + square / (2 * n)
    half = critical * sqrt(p * (1 - p) / n + square / (4 * n * n))
    scale = 1 + square / n
    low = 0.0 if p == 0.0 else max(0.0, (centre - half) / scale)
    high = 1.0 if p == 1.0 else min(1.0, (centre + half) / scale)
    return low, high


def shrunk_variance(variance: float, worst: float, support: float) -> float:
    """The estimated variance, pulled towards the worst case by one pseudo-failure among `support` failures."""
    return (support * variance + max(variance, worst)) / (support + 1)


def _effective_size(groups: ClusterSums, passes: int) -> float:
    """How many independent tasks the observations are worth, for 0 < passes < all."""
    total, independent = groups.count, groups.effective_groups
    p = passes / total
    spread = p * (1 - p)
    rarer = min(passes, total - passes)
    variance = shrunk_variance(groups.mean_variance(p), spread / independent, rarer)
    return min(max(spread / variance, independent), float(total))


def _all_passed(groups: ClusterSums, z: float) -> EffectiveInterval:
    """No failure was seen: bounded as if all clusters were single tasks, or one failure stood in any of them.

    The larger bound of the two keeps the interval monotone: 20 of 20 is never given less than 19 of 20.
    """
    independent = groups.effective_groups
    low = independent / (independent + z * z)
    for fewer in _one_failure(groups):
        passes = groups.count - 1
        low = max(low, wilson_real(passes / groups.count, _effective_size(fewer, passes), z)[0])
    # The size that Wilson's formula would need for this bound: n* / (n* + z²) = low.
    return _interval(groups, 1.0, z * z * low / (1 - low), (low, 1.0))


def _one_failure(groups: ClusterSums) -> Iterator[ClusterSums]:
    """The clusters with one failed observation in one of them; clusters of one size give the same, once."""
    for size in sorted(set(groups.sizes)):
        at = groups.sizes.index(size)
        sums = tuple(float(m - (i == at)) for i, m in enumerate(groups.sizes))
        yield ClusterSums(sums=sums, sizes=groups.sizes)


def _graded(groups: ClusterSums, level: Exact) -> EffectiveInterval:
    """The graded form: a Student quantile, and no pseudo-failure, because scores have no smallest step."""
    p = min(1.0, fsum(groups.sums) / groups.count)
    variance, independent = groups.mean_variance(p), groups.effective_groups
    if p in (0.0, 1.0) or variance <= _NO_VARIANCE:
        return _interval(groups, p, independent, wilson_real(p, independent, z_of(level)))
    size = max(p * (1 - p) / variance, independent)
    critical = -t_ppf(float(tail(level)), len(groups.sizes) - 1)
    return _interval(groups, p, size, wilson_real(p, size, critical))


def _interval(groups: ClusterSums, mean: float, n_eff: float, ends: tuple[float, float]) -> EffectiveInterval:
    return EffectiveInterval(
        low=ends[0],
        high=ends[1],
        mean=mean,
        n_eff=n_eff,
        observations=groups.count,
        clusters=len(groups.sizes),
    )
