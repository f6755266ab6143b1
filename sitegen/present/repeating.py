"""Contestants that were run more than once, as text: the scorecard over all runs, re-run noise, pass^k, pass@k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from sitegen.compare.groups import Contestant, RateName
from sitegen.compare.paired_wording import NAMES
from sitegen.compare.repeated import OfRuns, RepeatedRate, RepeatedRuns
from sitegen.compare.reports import PAIRED
from sitegen.measure.clusters import EffectiveInterval
from sitegen.measure.covariates import covariates_of
from sitegen.measure.rounding import show_bounds, show_rate
from sitegen.present.covariates import CovariateLines, covariate_lines
from sitegen.present.wording import counted

MOST_SHOWN = 8
"""Columns of pass^k and pass@k; of more runs, the first ones and the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateOverRuns:
    """One rate over all runs: ``passes`` of ``outcomes``, which are those of every task in every run (``over``).

    ``worth`` is its effective size, ``noise`` how it would vary from run to run. ``rate`` and ``interval`` are what its
    bar is drawn of.
    """

    text: str
    passes: int
    outcomes: int
    over: str
    rate: float
    interval: EffectiveInterval
    low: str
    high: str
    worth: str
    noise: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRunsCell:
    """pass^k or pass@k for one k: ``passes`` tasks of ``tasks``, in part where only some choices of k runs pass.

    ``rate`` and ``interval`` are what its bar is drawn of.
    """

    text: str
    passes: str
    tasks: int
    rate: float
    interval: EffectiveInterval
    low: str
    high: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRunsLine:
    """pass^k or pass@k of one rate: which rate it is of, its name, and a cell for each k that is shown."""

    rate: RateName
    name: str
    cells: tuple[OfRunsCell, ...]


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


_CLASSES: tuple[tuple[str, RateName], ...] = (
    ("success", "success"),
    ("abstention", "abstention"),
    ("invalid", "invalid"),
    ("false", "false_abstention"),
)
_OVER: Mapping[RateName, str] = {
    "success": "task",
    "abstention": "control",
    "invalid": "control",
    "false_abstention": "task",
}
"""What each rate is over, one of them."""


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
        rates=tuple((name, _rate(rate, rates[rate])) for name, rate in _CLASSES),
        covariates=covariate_lines(covariates_of(rows), rows),
        null_pack=", ".join(f"{run.card.null_passed}/{len(run.card.null_rows)}" for run in runs),
        level=", ".join(dict.fromkeys(run.level for run in runs)),
        ks=shown,
        of_runs=tuple(
            OfRunsLine(
                rate=rate,
                name=f"{NAMES[rate]}, {name}",
                cells=tuple(_cell(contestant, rate, of[k - 1], every=every) for k in shown),
            )
            for rate in PAIRED
            for name, of, every in (
                ("all of k runs (pass^k)", rates[rate].all_of, True),
                ("any of k runs (pass@k)", rates[rate].any_of, False),
            )
        ),
    )


def _rate(name: RateName, rate: RepeatedRate) -> RateOverRuns:
    low, high = show_bounds(rate.interval.low, rate.interval.high)
    few = f"; few clusters (G = {rate.interval.clusters})" if rate.interval.few_clusters else ""
    worth = f"worth {rate.interval.n_eff:.1f} independent tasks (design effect {rate.interval.design_effect:.1f})"
    return RateOverRuns(
        text=show_rate(rate.passes, rate.tasks * rate.runs),
        passes=rate.passes,
        outcomes=rate.tasks * rate.runs,
        over=f"{counted(rate.tasks, _OVER[name])} × {counted(rate.runs, 'run')}",
        rate=rate.passes / (rate.tasks * rate.runs),
        interval=rate.interval,
        low=low,
        high=high,
        worth=f"{worth}{few}",
        noise=_noise(rate),
    )


def _noise(rate: RepeatedRate) -> str:
    if rate.rerun_sd == 0.0:
        return "no task changed from run to run"
    return f"re-run noise: standard deviation {rate.rerun_sd:.3f} of one run, {rate.rerun_sd_of_mean:.3f} of their mean"


def _cell(contestant: Contestant, rate: RateName, found: OfRuns, *, every: bool) -> OfRunsCell:
    interval, passes = found.interval, contestant.passes(rate)
    low, high = show_bounds(interval.low, interval.high)
    return OfRunsCell(
        text=_mean(interval.mean),
        passes=_tasks(_solved(passes, len(contestant.runs), found.k, every=every), len(passes)),
        tasks=len(passes),
        rate=interval.mean,
        interval=interval,
        low=low,
        high=high,
    )


def _solved(passes: Sequence[int], runs: int, k: int, *, every: bool) -> Fraction:
    """Return of how many tasks ``every`` one of k runs passes, or else any: each task by its share of choices of k."""
    choices = comb(runs, k)
    found = sum(comb(count, k) if every else choices - comb(runs - count, k) for count in passes)
    return Fraction(found, choices)


def _tasks(solved: Fraction, tasks: int) -> str:
    """Return a number of tasks: whole where it is, else with one decimal that reaches neither none nor all of them."""
    if solved.denominator == 1:
        return str(solved.numerator)
    return f"{min(max(float(solved), 0.1), tasks - 0.1):.1f}"


def _mean(value: float) -> str:
    """Three decimals, never 0.000 or 1.000 unless it is exactly that."""
    text = f"{value:.3f}"
    if text == "0.000" and value > 0.0:
        return "<0.001"
    return ">0.999" if text == "1.000" and value < 1.0 else text


def _shown(runs: int) -> tuple[int, ...]:
    """The k of the columns; k = 1 is the rate itself, which stands above."""
    return tuple(range(2, runs + 1)) if runs <= MOST_SHOWN else (*range(2, MOST_SHOWN), runs)
