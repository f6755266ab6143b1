"""What repeated runs of one contestant say: the rate over all of them, re-run noise, pass@k and pass^k.

Two numbers answer two questions: the interval says how the rate would vary over other tasks of this kind, the re-run
noise how it would vary if the same exam were run again (statistics.md section 7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

from sitegen.compare.groups import COUNTED, Contestant, RateName, has_interval
from sitegen.measure.clusters import EffectiveInterval, effective_wilson
from sitegen.measure.repeated import over_tasks, pass_at_k, pass_hat_k, rerun_noise


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRuns:
    """pass@k or pass^k for one k: the mean over tasks with its interval. ``k <= runs``; never extrapolated."""

    k: int
    interval: EffectiveInterval


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedRate:
    """One rate over all runs of a contestant.

    Attributes:
        tasks: number of tasks, at least 2, which is what the interval is over.
        runs: number of runs, at least 2.
        passes: outcomes that the rate counts, of ``tasks`` times ``runs``.
        interval: of the mean of the tasks' rates, at the effective number of tasks.
        rerun_sd: standard deviation of one run's rate if the exam were run again.
        any_of: pass@k for k = 1 … runs.
        all_of: pass^k for k = 1 … runs.
    """

    tasks: int
    runs: int
    passes: int
    interval: EffectiveInterval
    rerun_sd: float
    any_of: tuple[OfRuns, ...]
    all_of: tuple[OfRuns, ...]

    @property
    def rerun_sd_of_mean(self) -> float:
        """The same of the mean of all the runs."""
        return self.rerun_sd / sqrt(self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedRuns:
    """A contestant that was run more than once: all four rates over all its runs."""

    contestant: Contestant
    rates: Mapping[RateName, RepeatedRate]


def repeated_runs(contestant: Contestant, clusters: Mapping[str, str] | None = None) -> RepeatedRuns | None:
    """Return what all runs together say; ``None`` for a single run, whose re-run noise is not measured.

    ``None`` too where one of the rates has no interval over several runs (:func:`sitegen.compare.groups.has_interval`):
    a rate is not told without its interval, and none of the four without the others.

    ``clusters`` are the tasks' clusters by id, where the protocol seals a cluster field.
    """
    if len(contestant.runs) < 2 or not all(has_interval(contestant, rate, clusters) for rate in COUNTED):
        return None
    return RepeatedRuns(contestant=contestant, rates={rate: _rate(contestant, rate, clusters) for rate in COUNTED})


def _rate(contestant: Contestant, rate: RateName, clusters: Mapping[str, str] | None) -> RepeatedRate:
    runs, passes = len(contestant.runs), contestant.passes(rate)
    labels = None if clusters is None else [clusters[task_id] for task_id in contestant.tasks(rate)]
    of_runs = [
        tuple(OfRuns(k=k, interval=over_tasks(of, passes, runs=runs, k=k, clusters=labels)) for k in range(1, runs + 1))
        for of in (pass_at_k, pass_hat_k)
    ]
    return RepeatedRate(
        tasks=len(passes),
        runs=runs,
        passes=sum(passes),
        interval=effective_wilson([count / runs for count in passes], labels, runs),
        rerun_sd=rerun_noise(passes, runs) or 0.0,
        any_of=of_runs[0],
        all_of=of_runs[1],
    )
