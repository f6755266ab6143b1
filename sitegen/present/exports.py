"""Exports: ``data/reports.json`` of the whole site and one CSV a protocol. Every record is a whole scorecard."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from sitegen.measure.rounding import rate4
from sitegen.measure.scorecard import Estimate
from sitegen.present.cards import estimates
from sitegen.present.page import Page
from sitegen.present.summary import ReportSummary, UnitSummary
from sitegen.read.encoding import compact_json

SCHEMA = "agent-bench-published/v1"
_RATES = ("task_success", "abstention_accuracy", "invalid_completion", "false_abstention")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


REPORTS = "data/reports.json"


def reports_json(records: Iterable[bytes]) -> Iterator[bytes]:
    """Yield every published report with its whole scorecard; refused and exploratory runs are not in it.

    Args:
        records: :func:`records_of` each protocol, in the order of their ids.
    """
    yield b'{"schema":"%s","reports":[\n' % SCHEMA.encode()
    for number, of_protocol in enumerate(filter(None, records)):
        yield b",\n" + of_protocol if number else of_protocol
    yield b"\n]}\n"


def records_of(summary: UnitSummary) -> bytes:
    """Return the records of a protocol's reports, a line each: a reader may take the file apart without a parser."""
    return b",\n".join(compact_json(_record(report)) for report in summary.reports)


def protocol_csv(summary: UnitSummary) -> Page:
    """Return the published reports of one protocol as a table; text that a spreadsheet might run is quoted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_columns())
    for report in summary.reports:
        writer.writerow(map(_cell, _values(report)))
    return Page(path=f"data/{summary.protocol_id}.csv", data=text.getvalue().encode("utf-8", "backslashreplace"))


def _record(report: ReportSummary) -> dict[str, Any]:
    card = report.card
    return {
        "protocol_id": report.protocol_id,
        "protocol_sha256": report.protocol_sha256,
        "run_id": report.run_id,
        "route": report.route,
        "title": report.title,
        "report_sha256": report.sha256,
        "page": report.page,
        "ended_at": report.ended_at,
        "ci_method": report.ci_method,
        **{name: _rate(estimate) for name, estimate in zip(_RATES, estimates(card), strict=True)},
        "counts": {"ordinary": card.ordinary, "negative": card.negative},
        "null_pack": {"as_asked": card.null_passed, "rows": len(card.null_rows)},
        "below_founding_floor": card.below_founding_floor,
        "covariates": {
            name: {part: getattr(made, part) for part in made.__struct_fields__}
            for name in ("retries", "tool_calls", "wall_clock_sec")
            for made in (getattr(card.covariates, name),)
        },
        "level": report.level,
        "witness": report.witness,
        "started": {"this": report.run_number, "of": report.runs_started, "by_this_route": report.runs_of_route},
        "rescored_from": None if report.rescored_from is None else report.rescored_from.run_id,
    }


def _rate(estimate: Estimate) -> dict[str, Any]:
    low, high = estimate.stated
    return {
        "k": estimate.k,
        "n": estimate.n,
        "rate": rate4(estimate.k, estimate.n),
        "low": low,
        "high": high,
        "level": estimate.interval.level,
        "method": estimate.interval.method,
    }


def _columns() -> list[str]:
    rates = [f"{name}_{part}" for name in _RATES for part in ("k", "n", "rate", "ci95_low", "ci95_high", "ci95_method")]
    return [*_IDENTITY, *rates, *_REST]


_IDENTITY = ("protocol_id", "protocol_sha256", "run_id", "route", "report_sha256", "ended_at")
_REST = (
    "null_pack_as_asked",
    "null_pack_rows",
    "below_founding_floor",
    "retries_recorded",
    "retries_total",
    "tool_calls_recorded",
    "tool_calls_median",
    "wall_clock_sec_recorded",
    "wall_clock_sec_median",
    "wall_clock_sec_timeouts",
    "level",
    "witness",
)


def _values(report: ReportSummary) -> Iterator[Any]:
    """Yield the values of one row, in the order of the columns."""
    card, covariates = report.card, report.card.covariates
    yield from (report.protocol_id, report.protocol_sha256, report.run_id, report.route, report.sha256, report.ended_at)
    for estimate in estimates(card):
        low, high = estimate.stated
        yield from (estimate.k, estimate.n, rate4(estimate.k, estimate.n), low, high, estimate.interval.method)
    yield from (
        card.null_passed,
        len(card.null_rows),
        card.below_founding_floor,
        covariates.retries.recorded,
        covariates.retries.total,
        covariates.tool_calls.recorded,
        covariates.tool_calls.median,
        covariates.wall_clock_sec.recorded,
        covariates.wall_clock_sec.median,
        covariates.wall_clock_sec.timeouts,
        report.level,
        report.witness,
    )


def _cell(value: Any) -> Any:
    if value is None:
        return "not recorded"
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
