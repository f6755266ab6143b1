"""Every Eval Ever: instance-level records (JSON Lines), schema 0.2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.sample import Importer, Label, Reading, Sample
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.values import Fields

VERSION = "0.2."


def _part(file: ForeignFile) -> str | None:
    first = file.first
    if not isinstance(first, dict) or not isinstance(first.get("schema_version"), str):
        return None
    if {"sample_id", "evaluation_id", "output"} <= first.keys():
        return "instances"
    return "aggregate" if "evaluation_results" in first else None


def _read(files: Sequence[tuple[str, ForeignFile]], choices: Choices) -> Reading:
    instances = [file for part, file in files if part == "instances"]
    if not instances:
        found = "an aggregate record: scores without samples"
        hint = "give the instance-level file (.jsonl) that belongs to it"
        files[0][1].refuse("import-unsupported", "instance-level records", found, hint=hint)
    return Reading(samples=(_sample(row, file) for file in instances for row in file.rows()))


def _sample(row: Fields, file: ForeignFile) -> Sample:
    version = row.text("schema_version") or ""
    if not version.startswith(VERSION):
        file.refuse("import-unsupported", f"schema version {VERSION}x", version, where=row.where)
    model, usage, seconds = row.text("model_id"), row.object("token_usage"), _seconds(row.object("performance"))
    error = row.any("error")
    return Sample(
        id=row.identifier("sample_id"),
        place=row,
        status="error" if error else "ok",
        answer=_answer(row.object("output")),
        route=model,
        tools=_tools(row),
        wall_clock_sec=seconds,
        tokens_in=usage.count("input_tokens"),
        tokens_out=usage.count("output_tokens"),
        scores={"score": row.object("evaluation").any("score")},
        labels=_labels(row, model),
        metadata=row.object("metadata").value,
        extra=_extra(row, error),
    )


def _labels(row: Fields, model: str | None) -> dict[Label, str]:
    labels: dict[Label, str | None] = {"task": row.text("evaluation_name"), "provider": model}
    epoch = row.object("metadata").any("epoch")
    labels["attempt"] = str(epoch or 1)
    return {name: value for name, value in labels.items() if value}


def _answer(output: Fields) -> str | None:
    raw = output.any("raw")
    return "\n".join(map(str, raw)) if isinstance(raw, list) else output.text("raw")


def _tools(row: Fields) -> list[str] | None:
    turns = [turn for turn in row.objects("interactions") if turn.any("role") == "assistant"]
    if row.any("interactions") is None:
        return None
    return [call.text("name") or "?" for turn in turns for call in turn.objects("tool_calls")]


def _seconds(performance: Fields) -> float | None:
    """Return the latency, unless it is shorter than the generation that it should contain."""
    whole, part = performance.seconds("latency_ms", 1000), performance.seconds("generation_time_ms", 1000)
    return None if whole is not None and part is not None and whole < part else whole


def _extra(row: Fields, error: Any) -> dict[str, Any]:
    kept = {"error": error or None, "performance": row.any("performance")}
    return {name: value for name, value in kept.items() if value is not None}


IMPORTER = Importer(
    name="every-eval-ever",
    title="Every Eval Ever instances",
    part=_part,
    read=_read,
    fields={
        "task_id": "sample_id",
        "status": "error",
        "artifact": "output.raw",
        "route": "model_id",
        "tool_calls": "tool_calls of the assistant's interactions",
        "wall_clock_sec": "performance.latency_ms, where it is not shorter than generation_time_ms",
        "tokens_in": "token_usage.input_tokens",
        "tokens_out": "token_usage.output_tokens",
    },
    limits=("converted records: converters do not agree on what latency_ms is, so a doubtful one is not recorded",),
)
