"""Covariates beside the rates: retries, tool calls and wall-clock, never averaged into a rate.

Quantiles are averaged inverted cdf (statistics.md section 9), over the tasks that recorded a value; what was not
recorded is counted, not guessed. Values that a report states are rounded half-even to 4 decimals.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from sitegen.measure.order import quantiles_aic
from sitegen.read.report import Covariates, RetriesStated, TaskStated, ToolCallsStated, WallClockStated

DECIMALS = 4
P95_NEEDS = 20
"""Fewest recorded tasks for which a page prints the 95th percentile."""


def covariates_of(rows: Sequence[TaskStated]) -> Covariates:
    """Return the covariates over all dataset tasks, as a report states them."""
    return Covariates(
        retries=_retries([row.retries for row in rows if row.retries is not None]),
        tool_calls=_tool_calls([row.tool_calls for row in rows if row.tool_calls is not None]),
        wall_clock_sec=_wall_clock(rows),
    )


def _retries(recorded: Sequence[int]) -> RetriesStated:
    table = Counter(recorded)
    return RetriesStated(
        recorded=len(recorded),
        total=sum(recorded) if recorded else None,
        table={str(count): table[count] for count in sorted(table)},
    )


def _tool_calls(recorded: Sequence[int]) -> ToolCallsStated:
    median, q1, q3 = _quantiles(recorded, ("0.5", "0.25", "0.75"))
    return ToolCallsStated(
        recorded=len(recorded),
        median=median,
        q1=q1,
        q3=q3,
        max=max(recorded, default=None),
        total=sum(recorded) if recorded else None,
    )


def _wall_clock(rows: Sequence[TaskStated]) -> WallClockStated:
    recorded = [row.wall_clock_sec for row in rows if row.wall_clock_sec is not None]
    median, q1, q3, p95 = _quantiles(recorded, ("0.5", "0.25", "0.75", "0.95"))
    return WallClockStated(
        recorded=len(recorded),
        median=median,
        q1=q1,
        q3=q3,
        p95=p95,
        max=round(max(recorded), DECIMALS) if recorded else None,
        total=round(math.fsum(recorded), DECIMALS) if recorded else None,
        timeouts=[row.outcome for row in rows].count("timeout"),
    )


def _quantiles(values: Sequence[float], wanted: Sequence[str]) -> list[float | None]:
    if not values:
        return [None] * len(wanted)
    return [round(quantile, DECIMALS) for quantile in quantiles_aic(values, wanted)]
