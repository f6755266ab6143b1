"""tau-bench results: a JSON list with one object a task and trial."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sitegen.harness.foreign.calls import Call, as_artifact
from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.sample import Importer, Reading, Sample
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.values import Fields

_KEYS = {"task_id", "reward", "info", "traj"}


def _part(file: ForeignFile) -> str | None:
    first = file.first
    return "results" if isinstance(first, dict) and first.keys() >= _KEYS else None


def _read(files: Sequence[tuple[str, ForeignFile]], choices: Choices) -> Reading:
    return Reading(samples=(_sample(row) for _, file in files for row in file.rows()))


def _sample(row: Fields) -> Sample:
    info = row.object("info")
    error = info.text("error")
    calls = _calls(row)
    return Sample(
        id=row.identifier("task_id"),
        place=row,
        status="error" if error else "ok",
        answer=as_artifact(calls),
        said=_last_words(row),
        tools=[name for name, _ in calls],
        scores={"reward": row.any("reward")},
        labels={"attempt": str(row.count("trial") or 0)},
        extra={"error": error} if error else {},
    )


def _calls(row: Fields) -> list[Call]:
    spoken = [message for message in row.objects("traj") if message.any("role") == "assistant"]
    functions = [call.object("function") for message in spoken for call in message.objects("tool_calls")]
    return [(function.text("name") or "?", _arguments(function)) for function in functions]


def _arguments(function: Fields) -> dict[str, Any]:
    """Return the arguments; a text that is no JSON object is kept under the name ``unparsed``."""
    text = function.text("arguments") or "{}"
    try:
        value = json.loads(text)
        as_artifact([("", value)])  # as it will be written
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"unparsed": text}


def _last_words(row: Fields) -> str | None:
    words = [message.text("content") for message in row.objects("traj") if message.any("role") == "assistant"]
    return next((text for text in reversed(words) if text), None)


IMPORTER = Importer(
    name="tau",
    title="tau-bench results",
    part=_part,
    read=_read,
    called=True,
    fields={
        "task_id": "task_id",
        "status": "info.error",
        "artifact": "every tool call of the agent, in order, as canonical JSON",
        "tool_calls": "tool calls of the assistant's messages",
        "tools_used": "functions of these calls",
    },
    limits=(
        "the artifact is what the agent called; what it said to the customer is not part of it",
        "tau-bench names no model in its results",
    ),
)
