from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("name", "count"), [("tau2_gpt-4.1_airline_1trial.json", 20), ("tau2_e2e_airline_baseline.json", 1)]
)
def test_real_results(shared: Path, bring: Callable[..., Any], name: str, count: int) -> None:
    path = shared / "tau" / name
    source = json.loads(path.read_text())
    got, findings = bring(path)
    assert len(got) == findings.results == count
    for simulation in source["simulations"]:
        row = got[simulation["task_id"]]
        spoken = [message for message in simulation["messages"] if message["role"] == "assistant"]
        calls = [[c["name"], c["arguments"]] for message in spoken for c in message["tool_calls"] or ()]
        assert json.loads(row.artifact or "[]") == calls
        assert (row.wall_clock_sec, row.cost_usd) == (simulation["duration"], simulation["agent_cost"])
        assert row.tokens_out == sum(m["usage"]["completion_tokens"] for m in spoken if m["usage"])
        assert row.started is None  # the source writes times without their zone


def results(*simulations: dict[str, Any], tasks: tuple[str, ...] = ("a",)) -> dict[str, Any]:
    return {"info": {}, "tasks": [{"id": task} for task in tasks], "simulations": [*simulations]}


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("user_stop", "ok"),
        ("agent_stop", "ok"),
        ("max_steps", "ok"),
        ("timeout", "timeout"),
        ("too_many_errors", "error"),
        ("infrastructure_error", "error"),
        (None, "error"),
    ],
)
def test_how_a_simulation_ended(
    jsonl: Callable[..., Path], bring: Callable[..., Any], reason: str | None, status: str
) -> None:
    said = [{"role": "assistant", "content": "I cannot do that."}]
    simulation = {"task_id": "a", "termination_reason": reason, "messages": said}
    got, _ = bring(jsonl([results(simulation)]), signals=["no-call"])
    assert (got["a"].status, got["a"].abstained) == (status, status == "ok")
    assert (got["a"].tokens_in, got["a"].cost_usd) == (None, None)


def test_planned_tasks_and_trials(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    done = {"task_id": "a", "termination_reason": "user_stop", "messages": []}
    got, _ = bring(jsonl([results(done, tasks=("a", "b"))]))
    assert {name: row.status for name, row in got.items()} == {"a": "ok", "b": "not_run"}
    both = jsonl([results({**done, "trial": 0}, {**done, "trial": 1})])
    assert refused(bring, both)[0].expected == "one attempt"
