"""A record of one report in the aggregate format of Every Eval Ever, schema 0.3.0.

Each of the four rates is one result with its number of samples and its interval; the fields that say how far a number
can be trusted (who ran it, with what, under which limits, which bytes) are filled from the verified report.
"""

from __future__ import annotations

import calendar
from typing import Any

import sitegen
from sitegen.measure.rounding import rate4
from sitegen.measure.scorecard import Estimate
from sitegen.read.encoding import compact_json
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport

SCHEMA_VERSION = "0.3.0"

_RATES = (
    ("success", "task_success", "Ordinary tasks that the sealed metric passes", False),
    ("abstention", "abstention_accuracy", "Negative controls on which the contestant abstained", False),
    ("invalid", "invalid_completion", "Negative controls that the contestant claimed to have completed", True),
    ("false_abstention", "false_abstention", "Ordinary tasks on which the contestant abstained", True),
)


def every_eval_ever(report: VerifiedReport, protocol: VerifiedProtocol, organisation: str | None = None) -> bytes:
    """Return the record; the same report gives the same bytes.

    Args:
        report: verified.
        protocol: the exam it is of.
        organisation: who publishes it, as the site's settings say.
    """
    manifest, ended = report.manifest, _epoch(report.ended_at)
    generation = _generation(report, protocol)
    record = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{protocol.protocol_id}/{report.report.route}/{report.run_id}",
        "evaluation_timestamp": report.ended_at,
        "retrieved_timestamp": ended,
        "source_metadata": {
            "source_name": protocol.protocol.heading,
            "source_type": "evaluation_run",
            "source_organization_name": organisation or "not stated",
            "evaluator_relationship": "other",
            "additional_details": _trust(report, protocol),
        },
        "eval_library": {"name": "sitegen", "version": sitegen.__version__},
        "model_info": {
            "name": manifest.title or report.report.route,
            "id": manifest.model or report.report.route,
            "additional_details": {
                "deployment_type": "unknown",  # a manifest names the route, not who serves it
                "model_availability": "unknown",
                "route": report.report.route,
                "manifest_sha256": report.report.digests.manifest,
            },
        },
        "evaluation_results": [_result(report, protocol, generation, *rate) for rate in _RATES],
    }
    return compact_json(record) + b"\n"


def _trust(report: VerifiedReport, protocol: VerifiedProtocol) -> dict[str, str]:
    """Return what a reader needs to check the record; the format takes text only."""
    card, digests = report.card, report.report.digests
    return {
        "protocol_sha256": protocol.sha256,
        "report_sha256": report.sha256,
        "transcripts_sha256": digests.transcripts,
        "solver_sha256": digests.solver,
        "start_sha256": report.start,
        "channel": report.report.channel,
        "verification_level": report.level,
        "witness": report.witness,
        "null_pack": f"{card.null_passed} of {len(card.null_rows)} rows as asked",
        "run": f"{report.run_number} of {report.runs_started} started under this protocol",
        "scope": "conditional on this exam and these conditions; not for cross-vendor ranking",
    }


def _result(
    report: VerifiedReport,
    protocol: VerifiedProtocol,
    generation: dict[str, Any],
    part: str,
    name: str,
    meaning: str,
    lower: bool,
) -> dict[str, Any]:
    estimate: Estimate = getattr(report.card, part)
    low, high = estimate.stated
    return {
        "evaluation_result_id": f"{report.run_id}/{name}",
        "evaluation_name": f"{protocol.protocol_id} {name}",
        "evaluation_timestamp": report.ended_at,
        "source_data": {
            "dataset_name": protocol.protocol_id,
            "source_type": "other",
            "additional_details": {"dataset_sha256": protocol.protocol.dataset.sha256},
        },
        "metric_config": {
            "metric_id": f"sitegen.{name}",
            "metric_name": name.replace("_", " "),
            "metric_kind": "accuracy" if part in ("success", "abstention") else "error_rate",
            "metric_unit": "proportion",
            "evaluation_description": meaning,
            "lower_is_better": lower,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
            "additional_details": {"metric_sha256": protocol.protocol.metric.sha256},
        },
        "score_details": {
            "score": rate4(estimate.k, estimate.n),
            "details": {"k": str(estimate.k), "n": str(estimate.n)},
            "uncertainty": {
                "confidence_interval": {
                    "lower": low,
                    "upper": high,
                    "confidence_level": estimate.interval.level,
                    "method": estimate.interval.method,
                },
                "num_samples": estimate.n,
            },
        },
        "generation_config": generation,
    }


def _generation(report: VerifiedReport, protocol: VerifiedProtocol) -> dict[str, Any]:
    manifest, budget = report.manifest, protocol.protocol.budget
    arguments: dict[str, Any] = {
        "execution_command": " ".join(manifest.command),
        "agentic_eval_config": {"available_tools": [{"name": tool} for tool in manifest.tool_whitelist]},
    }
    if manifest.temperature is not None:
        arguments["temperature"] = manifest.temperature
    if report.report.made_by.isolation is not None:
        arguments["sandbox"] = {"type": report.report.made_by.isolation}
    return {
        "generation_args": arguments,
        "additional_details": {"timeout_sec": str(budget.timeout_sec), "retry_limit": str(manifest.retry_limit)},
    }


def _epoch(stated: str) -> str:
    """Return a time such as 2026-11-30T09:32:00Z as seconds since 1970."""
    day, clock = stated.removesuffix("Z").split("T")
    return str(calendar.timegm((*map(int, day.split("-")), *map(int, clock.split(":")))))
