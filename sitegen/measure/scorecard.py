"""The scorecard: the rates of one run, each as k of n with its interval, inseparable from each other.

Counts are kept and rates are derived; rounding happens at the last moment. :func:`claims_of` gives every number that
a report states, for the scorer to write and for the verifier to compare with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sitegen.measure.clusters import FEW_CLUSTERS, effective_wilson
from sitegen.measure.covariates import covariates_of
from sitegen.measure.intervals import Interval, bootstrap_exact, interval_of
from sitegen.measure.rounding import rate4, round_out, show_bounds, show_rate
from sitegen.measure.scoring import satisfied, tally
from sitegen.read.protocol import FOUNDING_FLOOR
from sitegen.read.report import Covariates, NullRowStated, TaskStated

CLUSTERED = "wilson-eff"
"""The method of an interval over clusters: Wilson's at the effective number of tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    """How many clusters the tasks of a rate are in, and how many independent tasks they are worth."""

    clusters: int
    n_eff: float

    @property
    def few(self) -> bool:
        """Whether there are too few clusters for the stated coverage, which a page must say."""
        return self.clusters <= FEW_CLUSTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One rate: ``k`` of ``n`` tasks and its 95 % interval. ``k <= n``, ``n > 0``.

    ``bootstrap`` is the sealed method's interval where Wilson's is shown instead; ``clustering`` is there where the
    protocol seals a cluster field.
    """

    k: int
    n: int
    interval: Interval
    bootstrap: tuple[float, float] | None = None
    clustering: Clustering | None = None

    @property
    def rate(self) -> float:
        """k/n, unrounded."""
        return self.k / self.n

    @property
    def text(self) -> str:
        """The rate to 3 decimals; never 0.000 or 1.000 unless it is exactly that."""
        return show_rate(self.k, self.n)

    @property
    def bounds(self) -> tuple[str, str]:
        """The interval to 3 decimals, rounded outward."""
        return show_bounds(self.interval.low, self.interval.high)

    @property
    def stated(self) -> tuple[float, float]:
        """The interval to 4 decimals, rounded outward: as a report states it."""
        return round_out(self.interval.low, self.interval.high, 4)

    @property
    def cluster_note(self) -> str | None:
        """What must stand beside an interval over clusters; ``None`` where the tasks are not clustered."""
        if self.clustering is None:
            return None
        few = f"; few clusters (G = {self.clustering.clusters})" if self.clustering.few else ""
        effect = self.n / self.clustering.n_eff
        worth = f"worth {self.clustering.n_eff:.1f} independent tasks (design effect {effect:.1f})"
        return f"{self.n} tasks in {self.clustering.clusters} clusters, {worth}{few}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """The inseparable block.

    Attributes:
        success: success of the ordinary tasks.
        abstention: abstention accuracy: abstain_ok of the negative controls.
        invalid: invalid completion rate of the negative controls.
        false_abstention: false abstention rate of the ordinary tasks.
        ordinary: buckets of the ordinary tasks, summing to ``success.n``.
        negative: buckets of the negative controls, summing to ``abstention.n``.
        null_rows: the instrument check, row by row.
        covariates: retries, tool calls, wall-clock.
    """

    success: Estimate
    abstention: Estimate
    invalid: Estimate
    false_abstention: Estimate
    ordinary: dict[str, int]
    negative: dict[str, int]
    null_rows: tuple[NullRowStated, ...]
    covariates: Covariates

    @property
    def null_passed(self) -> int:
        """How many null-pack rows did what their class asks."""
        return sum(satisfied(row.expected_class, row.observed) for row in self.null_rows)

    @property
    def below_founding_floor(self) -> bool:
        """Whether a slice is smaller than the founding documents' floor."""
        return self.success.n < FOUNDING_FLOOR[0] or self.abstention.n < FOUNDING_FLOOR[1]


@lru_cache(maxsize=65536, typed=True)  # typed: 1.0 and True equal 1 and are no counts
def estimate(k: int, n: int, method: str) -> Estimate:
    """Return k of n under the sealed interval method; at k = 0 or k = n the bootstrap's is replaced by Wilson's.

    Raises:
        ValueError: n < 1, k outside 0…n, or an unknown method.
    """
    interval = interval_of(method, k, n)
    return Estimate(k=k, n=n, interval=interval, bootstrap=None if interval.method == method else bootstrap_exact(k, n))


def clustered_estimate(flags: Sequence[bool], clusters: Sequence[str]) -> Estimate:
    """Return the rate of ``flags`` over tasks whose clusters are given beside them.

    Raises:
        ValueError: fewer than two clusters.
    """
    found = effective_wilson(flags, clusters)
    return Estimate(
        k=sum(flags),
        n=len(flags),
        interval=Interval(low=found.low, high=found.high, method=CLUSTERED),
        clustering=Clustering(clusters=found.clusters, n_eff=found.n_eff),
    )


def scorecard_of(
    rows: Sequence[TaskStated],
    null_rows: Sequence[NullRowStated],
    method: str,
    clusters: Mapping[str, str] | None = None,
) -> Scorecard:
    """Return the scorecard of one run.

    Args:
        rows: one row of each task.
        null_rows: one of each null-pack row.
        method: the sealed interval method.
        clusters: the cluster of each task by its id, where the protocol seals a cluster field.

    Raises:
        ValueError: a slice without a task, or with fewer than two clusters.
    """
    ordinary, negative = tally(rows)

    def rate(slice_: Mapping[str, int], outcome: str, kind: str) -> Estimate:
        if clusters is None:
            return estimate(slice_[outcome], sum(slice_.values()), method)
        members = [row for row in rows if row.kind == kind]
        return clustered_estimate([row.outcome == outcome for row in members], [clusters[row.id] for row in members])

    return Scorecard(
        success=rate(ordinary, "success", "ordinary"),
        abstention=rate(negative, "abstain_ok", "negative"),
        invalid=rate(negative, "invalid_completion", "negative"),
        false_abstention=rate(ordinary, "false_abstain", "ordinary"),
        ordinary=ordinary,
        negative=negative,
        null_rows=tuple(null_rows),
        covariates=covariates_of(rows),
    )


def claims_of(card: Scorecard) -> dict[str, Any]:
    """Return every rate, interval and size that a report states, by field name."""
    claims: dict[str, Any] = {"n": card.success.n, "n_negative": card.abstention.n}
    for rate_name, prefix, part in _STATED:
        estimated: Estimate = getattr(card, part)
        claims[rate_name] = rate4(estimated.k, estimated.n)
        claims[f"{prefix}ci95"] = estimated.stated
        if estimated.bootstrap is not None:
            claims[f"{prefix}ci95_method"] = estimated.interval.method
            claims[f"{prefix}bootstrap_ci95"] = estimated.bootstrap
        if estimated.clustering is not None:
            claims[f"{prefix}ci95_method"] = estimated.interval.method
            claims[f"{prefix}clusters"] = estimated.clustering.clusters
            claims[f"{prefix}n_eff"] = round(estimated.clustering.n_eff, 1)
    return claims


_STATED = (
    ("mean", "", "success"),
    ("false_abstention_rate", "false_abstention_", "false_abstention"),
    ("abstention_accuracy", "abstention_", "abstention"),
    ("invalid_completion_rate", "invalid_completion_", "invalid"),
)
