"""SWE-bench: predictions (JSON or JSON Lines), run reports old and new beside them, and agents' trajectories.

A prediction is a patch; a run report holds verdicts only, so it serves for checking and for what was planned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.patches import files_in
from sitegen.harness.foreign.sample import Importer, Reading, Sample
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.trajectory import is_trajectory, trajectory_sample
from sitegen.harness.foreign.values import Fields, utc_time

_PATCHES = ("model_patch", "prediction")
_NEW_REPORT = {"resolved_ids", "submitted_ids"}
_OLD_REPORT = {"resolved", "generated"}
_SCORER = "swebench"


def _part(file: ForeignFile) -> str | None:
    first = file.first
    if not isinstance(first, dict):
        return None
    if is_trajectory(first):
        return "trajectory"
    if {"instance_id", "model_patch"} <= first.keys() or {"instance_id", "prediction"} <= first.keys():
        return "predictions"
    if {"instanceId", "modelPatch"} <= first.keys():
        return "runs"
    return _report_part(first)


def _report_part(first: Mapping[str, Any]) -> str | None:
    if first.keys() >= _NEW_REPORT or (first.keys() >= _OLD_REPORT and isinstance(first["resolved"], list)):
        return "report"
    values = [*first.values()]
    if values and all(isinstance(value, dict) for value in values):
        if all("model_patch" in value for value in values):
            return "predictions by id"
        if all("resolved" in value and "patch_exists" in value for value in values):
            return "instance report"
    return None


def _read(files: Sequence[tuple[str, ForeignFile]], choices: Choices) -> Reading:
    verdicts, planned, notes = _verdicts([file for part, file in files if part.endswith("report")])
    given = [(part, file) for part, file in files if not part.endswith("report")]
    if not given:
        hint = "give the predictions file (instance_id, model_patch) with it; the report is then carried for checking"
        files[0][1].refuse("import-unsupported", "the patches", "a run report: verdicts without patches", hint=hint)
    return Reading(samples=_samples(given, verdicts), planned=planned or None, notes=tuple(notes))


def _verdicts(reports: Sequence[ForeignFile]) -> tuple[dict[str, bool], list[str], list[str]]:
    """Return (id → resolved, planned ids, notes) of run reports."""
    verdicts: dict[str, bool] = {}
    planned: list[str] = []
    notes: list[str] = []
    for file in reports:
        report = Fields(file.document, file.shown, "")
        if _report_part(report.value) == "instance report":
            verdicts |= {name: bool(report.object(name).truth("resolved")) for name in report.value}
            continue
        submitted = report.items("submitted_ids") or [*report.items("generated"), *report.items("no_generation")]
        resolved = {str(name) for name in report.items("resolved_ids") or report.items("resolved")}
        verdicts |= {str(name): str(name) in resolved for name in submitted}
        planned += map(str, [*submitted, *report.items("incomplete_ids")])
        total = report.count("total_instances")
        if total is not None and total > len(planned):
            notes.append(
                f"{total} instances in the dataset, {len(planned)} named by the report; give --plan for the rest"
            )
    return verdicts, planned, notes


def _samples(files: Sequence[tuple[str, ForeignFile]], verdicts: Mapping[str, bool]) -> Iterator[Sample]:
    for part, file in files:
        if part == "trajectory":
            yield trajectory_sample(file, verdicts)
        elif part == "predictions by id":
            table = Fields(file.document, file.shown, "")
            yield from (_prediction(table.object(name), name, verdicts) for name in table.value)
        elif part == "runs":
            yield from map(_run, file.rows())
        else:
            yield from (_prediction(row, row.identifier("instance_id"), verdicts) for row in file.rows())


def _prediction(row: Fields, instance: str, verdicts: Mapping[str, bool]) -> Sample:
    model = row.text("model_name_or_path") or row.text("model")
    patch = next((row.text(name) for name in _PATCHES if row.any(name) is not None), None)
    return Sample(
        id=instance,
        place=row,
        answer=patch,
        route=model,
        files_touched=files_in(patch),
        scores={_SCORER: verdicts[instance]} if instance in verdicts else {},
        labels={"provider": model} if model else {},
    )


def _run(row: Fields) -> Sample:
    """A row as agent runners write it: the patch with its duration, cost, tokens and tool calls."""
    model, patch, calls = row.text("model"), row.text("modelPatch"), row.object("toolCalls")
    read = [row.count(name) for name in ("inputTokens", "cacheReadTokens", "cacheCreationTokens")]
    error = row.text("error")
    return Sample(
        id=row.identifier("instanceId"),
        place=row,
        status="error" if error else "ok",
        answer=patch,
        route=model,
        tools=_called(calls) if row.any("toolCalls") is not None else None,
        wall_clock_sec=row.seconds("durationMs", 1000),
        files_touched=files_in(patch),
        started=utc_time(row.text("timestamp")),
        tokens_in=sum(count or 0 for count in read) if read[0] is not None else None,
        tokens_out=row.count("outputTokens"),
        cost_usd=row.number("costUsd"),
        scores={_SCORER: row.truth("resolved")} if row.any("resolved") is not None else {},
        labels={"provider": " ".join(filter(None, (row.text("agent"), model)))} if model else {},
        extra={"error": error} if error else {},
    )


def _called(calls: Fields) -> list[str]:
    return [name for name in calls.value for _ in range(min(calls.count(name) or 0, 100_000))]


IMPORTER = Importer(
    name="swebench",
    title="SWE-bench predictions",
    part=_part,
    read=_read,
    fields={
        "task_id": "instance_id",
        "status": "the runner's error; exit_status of a trajectory",
        "artifact": "model_patch, or the submission of a trajectory",
        "route": "model_name_or_path",
        "tool_calls": "toolCalls, or the calls in a trajectory",
        "wall_clock_sec": "durationMs",
        "files_touched": "files in the patch",
        "tokens_in": "inputTokens with those read from and written to the cache",
        "tokens_out": "outputTokens",
        "cost_usd": "costUsd, or instance_cost of a trajectory",
    },
    limits=("files touched are those in the patch; what the agent changed and put back does not show",),
)
