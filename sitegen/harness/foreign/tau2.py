"""tau2-bench results: one JSON document with its tasks and its simulations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sitegen.harness.foreign.calls import Call, as_artifact
from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.sample import Importer, Reading, Sample
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.values import Fields, utc_time
from sitegen.read.transcript import Status

_STATUSES: dict[str, Status] = {"user_stop": "ok", "agent_stop": "ok", "max_steps": "ok", "timeout": "timeout"}


def _part(file: ForeignFile) -> str | None:
    first = file.first
    return "results" if isinstance(first, dict) and first.keys() >= {"info", "tasks", "simulations"} else None


def _read(files: Sequence[tuple[str, ForeignFile]], choices: Choices) -> Reading:
    documents = [Fields(file.document, file.shown, "") for _, file in files]
    planned = [task.identifier("id") for document in documents for task in document.objects("tasks")]
    return Reading(samples=_samples(documents), planned=dict.fromkeys(planned))


def _samples(documents: Sequence[Fields]) -> Iterator[Sample]:
    for document in documents:
        model = document.object("info").object("agent_info").text("llm")
        for simulation in document.objects("simulations"):
            yield _sample(simulation, model)


def _sample(row: Fields, model: str | None) -> Sample:
    spoken = [message for message in row.objects("messages") if message.any("role") == "assistant"]
    calls = [call for message in spoken for call in _calls(message)]
    ended = row.text("termination_reason")
    words = [message.text("content") for message in spoken if isinstance(message.any("content"), str)]
    return Sample(
        id=row.identifier("task_id"),
        place=row,
        status=_STATUSES.get(ended or "", "error"),
        answer=as_artifact(calls),
        said=words[-1] if words else None,
        route=model,
        tools=[name for name, _ in calls],
        wall_clock_sec=row.seconds("duration"),
        started=utc_time(row.text("start_time")),
        tokens_in=_sum(spoken, "prompt_tokens"),
        tokens_out=_sum(spoken, "completion_tokens"),
        cost_usd=row.number("agent_cost"),
        scores={"reward": row.object("reward_info").any("reward")},
        labels={"attempt": str(row.count("trial") or 0)},
        extra={"termination_reason": ended},
    )


def _calls(message: Fields) -> list[Call]:
    return [(call.text("name") or "?", call.object("arguments").value) for call in message.objects("tool_calls")]


def _sum(messages: Sequence[Fields], name: str) -> int | None:
    """Return the tokens over all messages that record any; ``None`` where none does."""
    counts = [message.object("usage").count(name) for message in messages]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


IMPORTER = Importer(
    name="tau2",
    title="tau2-bench results",
    part=_part,
    read=_read,
    called=True,
    fields={
        "task_id": "task_id of the simulation; planned: ids in tasks",
        "status": "termination_reason",
        "artifact": "every tool call of the agent, in order, as canonical JSON",
        "route": "info.agent_info.llm",
        "tool_calls": "tool calls of the assistant's messages",
        "tools_used": "names of these calls",
        "wall_clock_sec": "duration",
        "tokens_in": "prompt_tokens of the assistant's messages",
        "tokens_out": "completion_tokens of the assistant's messages",
        "cost_usd": "agent_cost",
    },
    limits=("the artifact is what the agent called; what it said to the customer is not part of it",),
)
