from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REPLAY = "generated-replay/2026-11-30T10-07-58-00-00_bfcl-replay_6eoYBwTzGnnNxCt2om53je.eval"
REPLAY_JSON = "generated-replay/2026-11-30T10-08-02-00-00_bfcl-replay_aokza62aFZNDmoBUyXRAq4.json"

Log = Callable[..., Path]


def sample(task: Any = "a", **fields: Any) -> dict[str, Any]:
    output = {"model": "served", "completion": "42", "choices": [{"stop_reason": "stop"}]}
    return {"id": task, "epoch": 1, "output": output, "scores": {"match": {"value": "C"}}, **fields}


@pytest.fixture
def log(tmp_path: Path) -> Log:
    def write(
        *samples: dict[str, Any], planned: list[Any] | None = None, version: int = 2, status: str = "success"
    ) -> Path:
        evaluated = {"model": "asked", "dataset": {"sample_ids": planned}}
        path = tmp_path / "log.json"
        path.write_text(json.dumps({"version": version, "status": status, "eval": evaluated, "samples": [*samples]}))
        return path

    return write


def test_the_replay_has_the_outputs_that_were_replayed(shared: Path, bring: Callable[..., Any]) -> None:
    """PROVENANCE: 20 ordinary and 10 negative tasks, replayed from BFCL v4 results, which are here too."""
    got, findings = bring(shared / "inspect" / REPLAY, signals=["score=N"])
    assert findings.statuses == {"ok": 30}
    replayed: dict[str, str] = {}
    for path in (shared / "bfcl" / "v4" / "result" / "Qwen_Qwen3-4B-Instruct-2507").rglob("*.json"):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        replayed |= {row["id"]: row["result"] for row in rows}
    for name, transcript in got.items():
        assert (transcript.artifact or transcript.extra["answer"]) == replayed[name]
    negative = {name for name in got if name.startswith("irrelevance")}
    assert len(negative) == 10
    assert {name for name, transcript in got.items() if transcript.abstained} == negative
    assert sum(findings.verdicts.values()) == 30


def test_the_archive_and_the_json_of_one_run_agree(shared: Path, bring: Callable[..., Any]) -> None:
    """Two runs of one replay: Zstandard members and plain JSON give the same rows but for the clock."""
    one, _ = bring(shared / "inspect" / REPLAY)
    other, _ = bring(shared / "inspect" / REPLAY_JSON)
    assert {n: (t.artifact, t.route, t.tokens_in, t.tokens_out, t.tool_calls) for n, t in one.items()} == {
        n: (t.artifact, t.route, t.tokens_in, t.tokens_out, t.tool_calls) for n, t in other.items()
    }


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval", 10),
        ("mmlu-no-summary-choices.eval", 1),
        ("2025-05-12T20-28-26-04-00_security-guide.json", 3),
        ("2025-05-12T20-28-13-04-00_popularity.json", 3),
        ("data_pubmedqa_gpt4o_mini.json", 2),
        ("log_tool_call_error.json", 1),
    ],
)
def test_real_logs_give_every_sample(shared: Path, bring: Callable[..., Any], name: str, count: int) -> None:
    got, findings = bring(shared / "inspect" / name)
    assert len(got) == findings.rows == findings.results == count


def test_epochs_are_attempts_and_one_is_chosen(
    shared: Path, bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    path = shared / "inspect" / "log_streaming.eval"
    (fault,) = refused(bring, path)
    assert (fault.slug, fault.expected) == ("import-ambiguous", "one attempt")
    got, findings = bring(path, attempt="1")
    assert sorted(got) == ["1", "2"]
    assert got["2"].extra["source_score"] == {"scorer": "match", "value": "C"}
    assert "attempt 1 chosen of 2 in the source" in findings.limits()


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, "ok"),
        ({"error": {"message": "ConnectionError"}}, "error"),
        ({"output": {"error": "503", "choices": []}}, "error"),
        ({"limit": {"type": "time", "limit": 60}}, "timeout"),
        ({"limit": {"type": "working", "limit": 60}}, "timeout"),
        ({"limit": {"type": "message", "limit": 9}}, "ok"),
        ({"output": {"choices": [{"stop_reason": "content_filter"}]}}, "blocked"),
    ],
)
def test_how_a_sample_ended(log: Log, bring: Callable[..., Any], fields: dict[str, Any], status: str) -> None:
    got, _ = bring(log(sample(**fields)), signals=["score=C"])
    assert got["a"].status == status
    assert got["a"].abstained is (status == "ok")


def test_planned_samples_without_a_result_are_not_run(log: Log, bring: Callable[..., Any]) -> None:
    got, findings = bring(log(sample(1), planned=[1, 2, 3], status="error"))
    assert {name: transcript.status for name, transcript in got.items()} == {"1": "ok", "2": "not_run", "3": "not_run"}
    assert "the source's run ended with the status error" in findings.limits()


def test_covariates_are_read_or_null(log: Log, bring: Callable[..., Any]) -> None:
    assistant = {"role": "assistant", "tool_calls": [{"function": "bash"}, {"function": "bash"}]}
    usage = {"asked": {"input_tokens": 30, "output_tokens": 4}, "grader": {"input_tokens": 900, "output_tokens": 90}}
    full = sample(
        messages=[{"role": "user", "content": "x"}, assistant, {"role": "tool"}],
        model_usage=usage,
        total_time=1.5,
        error_retries=[{}, {}],
        started_at="2025-12-19T12:36:46+00:00",
    )
    a, b = bring(log(full, sample("b")))[0].values()
    assert (a.tool_calls, a.tools_used, a.retries, a.wall_clock_sec) == (2, ("bash",), 2, 1.5)
    assert (a.tokens_in, a.tokens_out, a.started, a.route) == (30, 4, "2025-12-19T12:36:46Z", "served")
    assert (b.tool_calls, b.tools_used, b.retries, b.wall_clock_sec, b.tokens_in, b.started) == (None,) * 6


def test_the_answer_may_be_in_parts_and_reasoning_is_not_part_of_it(log: Log, bring: Callable[..., Any]) -> None:
    parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "4"}, {"type": "text", "text": "2"}]
    got, _ = bring(log(sample(output={"choices": [{"message": {"content": parts}}]})))
    assert got["a"].artifact == "4\n2"
    assert got["a"].route == "asked"


def test_scorers_must_be_chosen(log: Log, bring: Callable[..., Any], refused: Callable[..., Any]) -> None:
    path = log(sample(scores={"match": {"value": "C"}, "judge": {"value": 0.5}}))
    assert refused(bring, path)[0].expected == "one scorer"
    got, _ = bring(path, scorer="judge")
    assert got["a"].extra["source_score"] == {"scorer": "judge", "value": 0.5}


def test_other_versions_and_logs_without_samples_are_refused(
    log: Log, bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    assert refused(bring, log(sample(), version=3))[0].found == "version 3"
    assert refused(bring, log())[0].hint == "run Inspect with log_samples=True"


def test_not_a_number_is_refused(log: Log, bring: Callable[..., Any], refused: Callable[..., Any]) -> None:
    (fault,) = refused(bring, log(sample(scores={"match": {"value": float("nan")}})), source="inspect")
    assert (fault.slug, fault.found) == ("json-malformed", "NaN")


def test_a_crashed_run_leaves_its_start_and_what_was_done(tmp_path: Path, bring: Callable[..., Any]) -> None:
    path = tmp_path / "crashed.eval"
    start = {"version": 2, "eval": {"model": "m", "dataset": {"sample_ids": ["a/b", "c"]}}}
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("_journal/start.json", json.dumps(start))
        out.writestr("samples/a/b_epoch_1.json", json.dumps(sample("a/b")))
    got, findings = bring(path)
    assert {name: transcript.status for name, transcript in got.items()} == {"a/b": "ok", "c": "not_run"}
    assert "the source's run ended with the status started" in findings.limits()


@pytest.mark.parametrize(
    ("samples", "slug"),
    [
        ([sample("a"), sample("a"), "{"], "import-ambiguous"),
        ([sample("a"), "{", sample("a")], "json-malformed"),
        ([sample("a"), sample("a"), sample(1.5)], "import-ambiguous"),
        ([sample("a"), sample(1.5), "{"], "field-type"),
    ],
)
def test_the_first_fault_is_told_though_samples_are_read_together(
    tmp_path: Path, bring: Callable[..., Any], refused: Callable[..., Any], samples: list[Any], slug: str
) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {"model": "m"}}))
        for index, one in enumerate(samples):
            out.writestr(f"samples/{index}_epoch_1.json", one if isinstance(one, str) else json.dumps(one))
    assert [fault.slug for fault in refused(bring, path)] == [slug]


def test_every_cut_of_a_real_archive_is_refused_without_a_traceback(
    shared: Path, tmp_path: Path, bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    data = (shared / "inspect" / REPLAY).read_bytes()
    for size in range(0, len(data), len(data) // 40):
        path = tmp_path / "cut.eval"
        path.write_bytes(data[:size])
        assert refused(bring, path)[0].slug in ("archive-unsafe", "import-unsupported")
