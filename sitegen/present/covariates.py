"""Covariates as lines of text: what was recorded, over how many tasks, with timeouts as the lower bounds they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.measure.covariates import P95_NEEDS
from sitegen.measure.order import censored_quantiles
from sitegen.present.wording import NOT_RECORDED, amount, seconds
from sitegen.read.report import Covariates, TaskStated


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One covariate: its name, its main value, and the rest in words."""

    name: str
    value: str
    rest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CovariateLines:
    """The three covariates of a scorecard."""

    retries: Line
    tool_calls: Line
    wall_clock: Line

    @property
    def lines(self) -> tuple[Line, Line, Line]:
        """All three, in the order in which they are printed."""
        return self.retries, self.tool_calls, self.wall_clock


def covariate_lines(covariates: Covariates, rows: Sequence[TaskStated]) -> CovariateLines:
    """Return the covariates of a run as text.

    Args:
        covariates: as recomputed.
        rows: the dataset's rows, of which timeouts censor the wall-clock.
    """
    tasks = len(rows)
    retries, calls = covariates.retries, covariates.tool_calls
    return CovariateLines(
        retries=Line(
            name="retries",
            value=_total(retries.total),
            rest=_rest(retries.recorded, tasks, _retry_table(retries.table)),
        ),
        tool_calls=Line(
            name="tool calls",
            value=NOT_RECORDED if calls.median is None else f"{amount(calls.median)} median",
            rest=_rest(
                calls.recorded,
                tasks,
                f"Q1–Q3 {amount(calls.q1)}–{amount(calls.q3)}, max {amount(calls.max)}, total {amount(calls.total)}",
            ),
        ),
        wall_clock=_wall_clock(covariates, rows),
    )


def _wall_clock(covariates: Covariates, rows: Sequence[TaskStated]) -> Line:
    wall = covariates.wall_clock_sec
    timed = [row for row in rows if row.wall_clock_sec is not None]
    values = [row.wall_clock_sec or 0.0 for row in timed]
    censored = [row.outcome == "timeout" for row in timed]
    timeouts = f"{wall.timeouts:,} timed out"
    if not values:
        return Line(name="wall-clock", value=NOT_RECORDED, rest=timeouts)

    found = censored_quantiles(values, censored, ("0.25", "0.5", "0.75", "0.95"))
    first, median, third, high = [f"{'≥ ' if part.at_least else ''}{seconds(part.value)}" for part in found]
    parts = [f"Q1–Q3 {first}–{third}"]
    if len(values) >= P95_NEEDS:
        parts.append(f"p95 {high}")
    parts += [f"max {seconds(wall.max)}", f"total {seconds(wall.total)}", timeouts]
    return Line(
        name="wall-clock",
        value=f"{median} median",
        rest=_rest(wall.recorded, len(rows), ", ".join(parts)),
    )


def _total(total: int | None) -> str:
    return NOT_RECORDED if total is None else f"{total:,} total"


def _retry_table(table: dict[str, int]) -> str:
    return ", ".join(
        f"{'none' if number == '0' else number} in {count:,}"
        for number, count in sorted(table.items(), key=lambda item: int(item[0]))
    )


def _rest(recorded: int, tasks: int, text: str) -> str:
    """The rest of a line; says of how many tasks the value is known where it is not all of them."""
    if not recorded:
        return ""
    return text if recorded == tasks else f"{text}; recorded for {recorded:,} of {tasks:,}"
