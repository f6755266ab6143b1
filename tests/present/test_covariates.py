"""Covariates in words: what was not recorded says so, and a timeout is a lower bound."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.measure.covariates import covariates_of
from sitegen.present.covariates import CovariateLines, covariate_lines
from sitegen.read.report import TaskStated


def row(wall: float | None, outcome: str = "success", retries: int | None = 0, calls: int | None = 1) -> TaskStated:
    return TaskStated(id="t", kind="ordinary", outcome=outcome, retries=retries, tool_calls=calls, wall_clock_sec=wall)


def lines(rows: Sequence[TaskStated]) -> CovariateLines:
    return covariate_lines(covariates_of(rows), rows)


def test_what_was_not_recorded_is_not_zero() -> None:
    found = lines([row(None, retries=None, calls=None)] * 3)
    assert [line.value for line in found.lines] == ["not recorded"] * 3
    assert "timed out" in found.wall_clock.rest


def test_a_median_that_rests_on_a_timeout_is_a_lower_bound() -> None:
    found = lines([row(1.0), row(60.0, "timeout"), row(60.0, "timeout")])
    assert found.wall_clock.value == "≥ 60.0 s median"
    assert "2 timed out" in found.wall_clock.rest


def test_a_value_that_is_known_for_some_tasks_says_for_how_many() -> None:
    found = lines([row(1.0, retries=2), row(1.0, retries=None), row(1.0)])
    assert found.retries.value == "2 total"
    assert found.retries.rest.endswith("recorded for 2 of 3")
    assert "none in 1, 2 in 1" in found.retries.rest


def test_a_high_quantile_is_shown_from_twenty_tasks_on() -> None:
    assert "p95" not in lines([row(1.0)] * 19).wall_clock.rest
    assert "p95" in lines([row(1.0)] * 20).wall_clock.rest
