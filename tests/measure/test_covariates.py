"""Covariates beside the rates: what was not recorded is said, never guessed and never 0."""

from __future__ import annotations

from typing import Any

from sitegen.measure.covariates import covariates_of
from sitegen.read.report import TaskStated


def rows(*values: dict[str, Any]) -> list[TaskStated]:
    blank = {"kind": "ordinary", "outcome": "miss", "retries": None, "tool_calls": None, "wall_clock_sec": None}
    return [TaskStated(id=str(number), **{**blank, **value}) for number, value in enumerate(values)]


def test_what_was_not_recorded_is_null() -> None:
    made = covariates_of(rows({}, {}))
    assert (made.retries.recorded, made.retries.total, made.retries.table) == (0, None, {})
    assert (made.tool_calls.median, made.tool_calls.max, made.tool_calls.total) == (None, None, None)
    clock = made.wall_clock_sec
    assert (clock.recorded, clock.median, clock.p95, clock.total, clock.timeouts) == (0, None, None, None, 0)


def test_a_recorded_zero_is_a_zero() -> None:
    made = covariates_of(rows({"retries": 0, "tool_calls": 0, "wall_clock_sec": 0.0}))
    assert (made.retries.total, made.retries.table) == (0, {"0": 1})
    assert (made.tool_calls.median, made.wall_clock_sec.total) == (0, 0)


def test_only_recorded_tasks_are_summed_up() -> None:
    made = covariates_of(rows({"retries": 2, "tool_calls": 10}, {"retries": 0}, {"retries": 10}, {}))
    assert (made.retries.recorded, made.retries.total) == (3, 12)
    assert list(made.retries.table.items()) == [("0", 1), ("2", 1), ("10", 1)]  # in the order of the numbers
    assert (made.tool_calls.recorded, made.tool_calls.total) == (1, 10)


def test_quantiles_are_averaged_inverted_cdf_and_rounded() -> None:
    seconds = [0.1, 0.2, 0.3, 0.40004]
    clock = covariates_of(rows(*({"wall_clock_sec": second} for second in seconds))).wall_clock_sec
    assert (clock.q1, clock.median, clock.q3) == (0.15, 0.25, 0.35)
    assert (clock.max, clock.total, clock.p95) == (0.4, 1.0, 0.4)


def test_a_sum_does_not_depend_on_the_order_of_its_parts() -> None:
    seconds = [0.1] * 10 + [1e9, 1e-3]
    there = covariates_of(rows(*({"wall_clock_sec": second} for second in seconds)))
    back = covariates_of(rows(*({"wall_clock_sec": second} for second in reversed(seconds))))
    assert there == back


def test_timeouts_are_counted_whatever_the_clock_recorded() -> None:
    assert covariates_of(rows({"outcome": "timeout"}, {"outcome": "timeout"}, {})).wall_clock_sec.timeouts == 2
