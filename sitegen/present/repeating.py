"""Contestants that were run more than once, as text: the scorecard over all runs, re-run noise, pass^k, pass@k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.compare.groups import Slice
from sitegen.compare.repeated import OfRuns, RepeatedRate, RepeatedRuns
from sitegen.measure.covariates import covariates_of
from sitegen.measure.rounding import round_out, show_bounds, show_rate
from sitegen.present.covariates import CovariateLines, covariate_lines

MOST_SHOWN = 8
"""Columns of pass^k and pass@k; of more runs, the first ones and the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateOverRuns:
    """One rate over all runs. ``worth`` is its effective size, ``noise`` how it would vary from run to run."""

    text: str
    passes: int
    low: str
    high: str
    worth: str
    noise: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRunsLine:
    """pass^k or pass@k of one rate: its name, and (mean, low, high) for each k that is shown."""

    name: str
    cells: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedView:
    """One contestant's repeated runs: how many over how many tasks of each slice, its runs, and what they say."""

    heading: str
    route: str
    runs: int
    run_ids: tuple[str, ...]
    tasks: int
    controls: int
    rates: tuple[tuple[str, RateOverRuns], ...]
    covariates: CovariateLines
    null_pack: str
    level: str
    ks: tuple[int, ...]
    of_runs: tuple[OfRunsLine, ...]


_CLASSES: tuple[tuple[str, Slice], ...] = (
    ("success", "success"),
    ("abstention", "abstention"),
    ("invalid", "invalid"),
    ("false", "false_abstention"),
)


def repeated_view(found: RepeatedRuns) -> RepeatedView:
    """Return what all runs of one contestant say together."""
    contestant, rates = found.contestant, found.rates
    runs = contestant.runs
    rows = [row for run in runs for row in run.rows]
    shown = _shown(len(runs))
    return RepeatedView(
        heading=contestant.heading,
        route=contestant.manifest.route,
        runs=len(runs),
        run_ids=tuple(run.run_id for run in runs),
        tasks=rates["success"].tasks,
        controls=rates["abstention"].tasks,
        rates=tuple((name, _rate(rates[slice_])) for name, slice_ in _CLASSES),
        covariates=covariate_lines(covariates_of(rows), rows),
        null_pack=", ".join(f"{run.card.null_passed}/{len(run.card.null_rows)}" for run in runs),
        level=", ".join(dict.fromkeys(run.level for run in runs)),
        ks=shown,
        of_runs=(
            _of_runs("task success, all of k runs (pass^k)", rates["success"].all_of, shown),
            _of_runs("task success, any of k runs (pass@k)", rates["success"].any_of, shown),
            _of_runs("abstention accuracy, all of k runs (pass^k)", rates["abstention"].all_of, shown),
            _of_runs("abstention accuracy, any of k runs (pass@k)", rates["abstention"].any_of, shown),
        ),
    )


def _rate(rate: RepeatedRate) -> RateOverRuns:
    low, high = show_bounds(rate.interval.low, rate.interval.high)
    few = f"; few clusters (G = {rate.interval.clusters})" if rate.interval.few_clusters else ""
    worth = f"worth {rate.interval.n_eff:.1f} independent tasks (design effect {rate.interval.design_effect:.1f})"
    return RateOverRuns(
        text=show_rate(rate.passes, rate.tasks * rate.runs),
        passes=rate.passes,
        low=low,
        high=high,
        worth=f"{worth}{few}",
        noise=_noise(rate),
    )


def _noise(rate: RepeatedRate) -> str:
    if rate.rerun_sd == 0.0:
        return "no task changed from run to run"
    return f"re-run noise: standard deviation {rate.rerun_sd:.3f} of one run, {rate.rerun_sd_of_mean:.3f} of their mean"


def _of_runs(name: str, found: Sequence[OfRuns], shown: Sequence[int]) -> OfRunsLine:
    cells = []
    for k in shown:
        interval = found[k - 1].interval
        low, high = round_out(interval.low, interval.high, 3)
        cells.append((_mean(interval.mean), f"{low:.3f}", f"{high:.3f}"))
    return OfRunsLine(name=name, cells=tuple(cells))


def _mean(value: float) -> str:
    """Three decimals, never 0.000 or 1.000 unless it is exactly that."""
    text = f"{value:.3f}"
    if text == "0.000" and value > 0.0:
        return "<0.001"
    return ">0.999" if text == "1.000" and value < 1.0 else text


def _shown(runs: int) -> tuple[int, ...]:
    """The k of the columns; k = 1 is the rate itself, which stands above."""
    return tuple(range(2, runs + 1)) if runs <= MOST_SHOWN else (*range(2, MOST_SHOWN), runs)
