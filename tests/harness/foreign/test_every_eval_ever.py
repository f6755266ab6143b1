from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def row(task: str = "a", **fields: Any) -> dict[str, Any]:
    base = {"schema_version": "0.2.0", "evaluation_id": "e", "model_id": "m", "evaluation_name": "n"}
    return {**base, "sample_id": task, "output": {"raw": "A"}, **fields}


def test_real_instances(shared: Path, bring: Callable[..., Any]) -> None:
    (path,) = (shared / "every_eval_ever").glob("*.jsonl")
    got, findings = bring(path)
    assert len(got) == findings.rows == 2
    first = got["12377809"]
    assert (first.artifact, first.route) == ("A", "openai/gpt-4o-mini-2024-07-18")
    assert (first.tokens_in, first.tokens_out) == (362, 4)
    assert first.wall_clock_sec is None  # the record's latency is shorter than its generation
    assert first.extra["performance"]["latency_ms"] == 174.0


def test_an_aggregate_holds_no_samples(shared: Path, bring: Callable[..., Any], refused: Callable[..., Any]) -> None:
    (path,) = (shared / "every_eval_ever").glob("*.json")
    assert "instance-level" in (refused(bring, path)[0].hint or "")


def test_errors_versions_and_epochs(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    got, _ = bring(jsonl([row(error="timeout from the provider")]), signals=["answer=A"])
    assert (got["a"].status, got["a"].abstained) == ("error", False)
    (fault,) = refused(bring, jsonl([row(), row("b", schema_version="1.0")]))
    assert (fault.slug, fault.path) == ("import-unsupported", "line 2")
    epochs = jsonl([row(metadata={"epoch": 1}), row(metadata={"epoch": 2})])
    assert refused(bring, epochs)[0].expected == "one attempt"


def test_a_latency_that_contains_the_generation_is_the_time(
    jsonl: Callable[..., Path], bring: Callable[..., Any]
) -> None:
    times = {"latency_ms": 1500, "generation_time_ms": 1000}
    assert bring(jsonl([row(performance=times)]))[0]["a"].wall_clock_sec == 1.5


def test_calls_in_a_conversation_are_counted(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    turns = [{"role": "user"}, {"role": "assistant", "tool_calls": [{"name": "search"}]}]
    got, _ = bring(jsonl([row(interactions=turns), row("b")]))
    assert (got["a"].tools_used, got["a"].tool_calls, got["b"].tool_calls) == (("search",), 1, None)
