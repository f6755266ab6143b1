"""Repeated runs of one manifest on one protocol: pass@k, pass^k, and re-run noise.

All runs count, none is dropped and the best is never chosen. Per task, `passes` of `runs` runs passed.
Sources: Chen et al. 2021 (pass@k); Yao et al. 2024 (pass^k); Miller 2024.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import comb, fsum, sqrt

from sitegen.measure.clusters import EffectiveInterval, effective_wilson
from sitegen.measure.inputs import Exact, count_of, k_of_n
from sitegen.measure.intervals import LEVEL


def pass_at_k(runs: int, passes: int, k: int) -> float:
    """The chance that at least one of k runs, drawn from all without replacement, passed.

    Raises ValueError unless 0 <= passes <= runs and 1 <= k <= runs: it is never extrapolated.
    """
    passes, runs, k = _drawn(runs, passes, k)
    chosen = comb(runs, k)
    return (chosen - comb(runs - passes, k)) / chosen


def pass_hat_k(runs: int, passes: int, k: int) -> float:
    """The chance that all of k runs, drawn from all without replacement, passed. Raises as `pass_at_k`."""
    passes, runs, k = _drawn(runs, passes, k)
    return comb(passes, k) / comb(runs, k)


def over_tasks(
    estimate: Callable[[int, int, int], float],
    passes: Sequence[int],
    *,
    runs: int,
    k: int,
    clusters: Sequence[Hashable] | None = None,
    level: Exact = LEVEL,
) -> EffectiveInterval:
    """The mean over tasks of `pass_at_k` or `pass_hat_k`, with its interval.

    At k = runs each task's value is a flag, below it a graded score; the interval is of that kind.
    """
    values = [estimate(runs, count, k) for count in passes]
    return effective_wilson(values, clusters, 1 if k == runs else None, level)


def rerun_noise(passes: Sequence[int], runs: int) -> float | None:
    """The standard deviation of the rate of one run if the same exam were run again; None with a single run.

    Of the mean of R runs it is this over the square root of R.
    """
    variances = _run_variances(passes, runs)
    return None if variances is None else sqrt(fsum(variances)) / len(variances)


def _run_variances(passes: Sequence[int], runs: int) -> list[float] | None:
    """Each task's unbiased variance from run to run; None where one run leaves it unknown."""
    counts = [k_of_n(count, runs)[0] for count in passes]
    if not counts:
        raise ValueError("passes must not be empty")
    if runs == 1:
        return None
    return [count * (runs - count) / (runs * (runs - 1)) for count in counts]


def _drawn(runs: int, passes: int, k: int) -> tuple[int, int, int]:
    passes, runs = k_of_n(passes, runs)
    k = count_of(k, "k", at_least=1)
    if k > runs:
        raise ValueError(f"k must be at most runs, not {k} of {runs}")
    return passes, runs, k
