"""Two contestants on the same tasks, one slice at a time: the table of agreement, the exact test, the interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import sub

from sitegen.measure.clusters import cluster_sums
from sitegen.measure.intervals import Interval
from sitegen.measure.paired import bonett_price, mcnemar_exact, paired_diff, sign_flip_exact
from sitegen.measure.power import ALPHA, min_sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedSlice:
    """Two contestants on the tasks of one slice.

    With several runs a task counts for whoever passed it more often, and ``n11`` and ``n00`` hold the rest: the tasks
    that both passed equally often, at least once or never.

    Attributes:
        name: the rate, ``success`` or ``abstention``.
        n11: tasks that both pass; n00: that neither passes.
        only_first: ids of the ``b`` tasks that went better for the first; only_second: of the ``c`` for the second.
        n: all tasks; runs: passes that each task could have.
        difference: of the two rates, first less second.
        interval: of that difference, at 95 %.
        p: exact, two-sided.
        test: ``mcnemar-exact``, or ``sign-flip-exact`` over clusters or runs.
        informative: clusters (tasks, where there are none) that speak for either.
    """

    name: str
    n11: int
    n00: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    n: int
    runs: int
    difference: float
    interval: Interval = field(repr=False)
    p: float
    test: str
    informative: int

    @property
    def b(self) -> int:
        """Tasks that went better for the first."""
        return len(self.only_first)

    @property
    def c(self) -> int:
        """Tasks that went better for the second."""
        return len(self.only_second)

    @property
    def ahead(self) -> str | None:
        """``A`` (the first) or ``B`` (the second) where the test tells them apart, else ``None``."""
        if self.p > ALPHA:
            return None
        return "A" if self.difference > 0 else "B"

    @property
    def verdict(self) -> str:
        """What may be said, in words; never that the two are equal."""
        if self.ahead is not None:
            return f"distinguishable: {self.ahead} ahead"
        needed = min_sweep(ALPHA)
        few = f"; fewer than {needed} disagreements cannot tell any two apart" if self.informative < needed else ""
        return f"not distinguishable at n = {self.n}{few}"


def pair(
    name: str,
    tasks: Sequence[str],
    first: Sequence[int],
    second: Sequence[int],
    runs: int = 1,
    clusters: Sequence[str] | None = None,
) -> PairedSlice:
    """Compare two contestants task by task.

    Args:
        name: the rate.
        tasks: the tasks' ids.
        first: passes of each task by the first, out of ``runs``.
        second: by the second.
        runs: runs of each.
        clusters: the tasks' clusters, where the protocol seals a cluster field.

    Raises:
        ValueError: no task, a count above ``runs``, or a single cluster.
    """
    leads = list(map(sub, first, second))
    better = tuple(task for task, lead in zip(tasks, leads, strict=True) if lead > 0)
    worse = tuple(task for task, lead in zip(tasks, leads, strict=True) if lead < 0)
    never = sum(not x and not y for x, y in zip(first, second, strict=True))
    n = len(tasks)
    if runs == 1 and clusters is None:
        test, method = "mcnemar-exact", "bonett-price"
        low, high = bonett_price(len(better), len(worse), n)
        p, informative = mcnemar_exact(len(better), len(worse)), len(better) + len(worse)
    else:
        test, method = "sign-flip-exact", "paired-diff"
        low, high = paired_diff([x / runs for x in first], [x / runs for x in second], clusters, runs)
        totals = [int(total) for total in cluster_sums(leads, clusters).sums]
        p, informative = sign_flip_exact(totals).p_two_sided, sum(total != 0 for total in totals)
    return PairedSlice(
        name=name,
        n11=n - len(better) - len(worse) - never,
        n00=never,
        only_first=better,
        only_second=worse,
        n=n,
        runs=runs,
        difference=sum(leads) / (n * runs),
        interval=Interval(low=low, high=high, method=method),
        p=p,
        test=test,
        informative=informative,
    )
