from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_four_trials_are_not_merged(shared: Path, bring: Callable[..., Any], refused: Callable[..., Any]) -> None:
    path = shared / "tau" / "tau-bench_gpt-4o-airline.json"
    source = json.loads(path.read_text())
    (fault,) = refused(bring, path)
    assert (fault.slug, fault.found) == ("import-ambiguous", "4: 0, 1, 2, 3")
    for trial in "0123":
        got, findings = bring(path, attempt=trial)
        rewards = {str(row["task_id"]): row["reward"] for row in source if row["trial"] == int(trial)}
        assert {name: t.extra["source_score"]["value"] for name, t in got.items()} == rewards
        assert findings.rows == 200


def test_the_artifact_is_what_the_agent_called(shared: Path, bring: Callable[..., Any]) -> None:
    path = shared / "tau" / "tau-bench_gpt-4o-airline.json"
    source = next(row for row in json.loads(path.read_text()) if (row["task_id"], row["trial"]) == (0, 0))
    row = bring(path, attempt="0", route="gpt-4o")[0]["0"]
    calls = [call["function"] for message in source["traj"] for call in message.get("tool_calls") or ()]
    assert json.loads(row.artifact) == [[call["name"], json.loads(call["arguments"])] for call in calls]
    assert row.tool_calls == len(calls)
    assert (row.route, row.cost_usd, row.wall_clock_sec) == ("gpt-4o", None, None)  # user_cost is not the agent's


def test_a_transfer_is_an_abstention_only_when_named(shared: Path, bring: Callable[..., Any]) -> None:
    path = shared / "tau" / "tau-bench_gpt-4o-airline.json"
    assert {t.abstained for t in bring(path, attempt="0")[0].values()} == {None}
    got, _ = bring(path, attempt="0", signals=["tool=transfer_to_human_agents"])
    transferred = {name for name, t in got.items() if "transfer_to_human_agents" in (t.tools_used or ())}
    assert transferred
    assert {name for name, t in got.items() if t.abstained} == transferred


def test_a_run_that_crashed_is_an_error(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    info = {"error": "litellm.APIConnectionError", "traceback": "a long one"}
    got, _ = bring(jsonl([{"task_id": 3, "reward": 0.0, "info": info, "traj": [], "trial": 0}]), signals=["no-call"])
    assert (got["3"].status, got["3"].abstained) == ("error", False)


def test_arguments_that_are_no_object_are_kept_as_text(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    texts = ('{"a": 1', "[1]", '{"a": NaN}', '{"a": "\\ud800"}', "[" * 100_000)
    calls = [{"function": {"name": "f", "arguments": text}} for text in (*texts, '{"a": 1}')]
    row = {"task_id": 1, "reward": 1.0, "info": {}, "traj": [{"role": "assistant", "tool_calls": calls}]}
    got, _ = bring(jsonl([row]))
    assert json.loads(got["1"].artifact) == [*(["f", {"unparsed": text}] for text in texts), ["f", {"a": 1}]]
