from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BASE = "python:provider_retrieval.py:retrieve_"


def row(index: int = 0, output: Any = "42", **fields: Any) -> dict[str, Any]:
    prompt = {"raw": "q", "label": "q"}
    made = {"testIdx": index, "provider": {"id": "p"}, "prompt": prompt, "vars": {"id": f"t/{index}"}}
    return {**made, "success": True, "response": {"output": output}, **fields}


def test_version_2_gives_the_counts_that_are_stated(
    shared: Path, bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    """PROVENANCE: 35 of 300 rows failed, one of them for a provider error with no response."""
    path = shared / "promptfoo" / "retrieval_results_v2.json"
    assert refused(bring, path)[0].expected == "one provider"
    statuses: list[str] = []
    failed, ids = 0, []
    for provider in ("base", "level_two", "level_three"):
        got, findings = bring(path, provider=BASE + provider, signals=["never"])
        assert (findings.rows, len(got)) == (300, 100)
        statuses += [transcript.status for transcript in got.values()]
        failed += findings.verdicts["success: False"]
        ids.append(set(got))
    assert (failed, statuses.count("error"), statuses.count("ok")) == (35, 1, 299)
    assert ids[0] == ids[1] == ids[2] == {str(n) for n in range(100)}


def test_one_test_has_one_id_under_every_provider(shared: Path, bring: Callable[..., Any]) -> None:
    """Version 2 does not number its rows, and writes them as they finish; the table has the order."""
    path = shared / "promptfoo" / "retrieval_results_v2.json"
    results = json.loads(path.read_text())["results"]
    query = results["table"]["body"][17]["vars"][results["table"]["head"]["vars"].index("query")]
    rows = {r["provider"]["id"]: r for r in results["results"] if r["vars"]["query"] == query}
    assert len(rows) == 3
    for provider, source in rows.items():
        artifact = bring(path, provider=provider)[0]["17"].artifact
        assert json.loads(artifact) == source["response"]["output"]


def test_version_3_and_its_table_agree(shared: Path, bring: Callable[..., Any]) -> None:
    folder = shared / "promptfoo" / "generated-replay"
    one, findings = bring(folder / "out-qwen3-4b.json", id_field="vars.task_id", signals=["answer=[]"])
    other, _ = bring(folder / "out-qwen3-4b.csv", id_field="task_id", signals=["answer=[]"])
    assert {name: (t.artifact, t.abstained) for name, t in one.items()} == {
        name: (t.artifact, t.abstained) for name, t in other.items()
    }
    assert findings.verdicts == {"success: True": 18, "success: False": 12}
    assert len(one) == 30
    assert findings.flagged["cost of 0 beside tokens or text"].count == 30


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"success": False, "error": "Expected output to equal 43", "failureReason": 1}, "ok"),
        ({"error": "ECONNREFUSED", "failureReason": 2}, "error"),
        ({"error": "ECONNREFUSED", "response": None}, "error"),
        ({"response": {"error": "429"}}, "error"),
        ({"response": {"output": "I will not.", "isRefusal": True}}, "blocked"),
        ({"response": {"output": "", "guardrails": {"flagged": True}}}, "blocked"),
        ({"response": {"output": "x", "finishReason": "content_filter"}}, "blocked"),
    ],
)
def test_how_a_row_ended(
    jsonl: Callable[..., Path], bring: Callable[..., Any], fields: dict[str, Any], status: str
) -> None:
    got, _ = bring(jsonl([row(**fields)]), signals=["answer=42", "answer=I will not."])
    assert (got["0"].status, got["0"].abstained) == (status, status == "ok")


def test_rows_of_json_lines_carry_their_covariates(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    response = {"output": {"b": 1, "a": "é"}, "tokenUsage": {"prompt": 9, "completion": 3}}
    got, _ = bring(jsonl([row(response=response, latencyMs=250, cost=0.5), row(1)]), id_field="vars.id")
    full, bare = got["t/0"], got["t/1"]
    assert full.artifact == '{"a": "é", "b": 1}'
    assert (full.tokens_in, full.tokens_out, full.cost_usd, full.wall_clock_sec) == (9, 3, 0.5, 0.25)
    assert (bare.tokens_in, bare.tokens_out, bare.cost_usd, bare.wall_clock_sec) == (None,) * 4


def export(version: int, rows: list[Any], tests: list[Any]) -> dict[str, Any]:
    return {"results": {"version": version, "results": rows, "stats": {}}, "config": {"tests": tests}}


def test_tests_without_a_result_are_not_run(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    tests = [{"vars": {"id": "t/0"}}, {"vars": {"id": "t/1"}}]
    path = jsonl([export(3, [row()], tests)])
    assert [t.status for t in bring(path)[0].values()] == ["ok", "not_run"]
    assert list(bring(path, id_field="vars.id")[0]) == ["t/0", "t/1"]


def test_other_versions_are_refused(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    assert refused(bring, jsonl([export(4, [row()], [])]))[0].found == "4"


def test_two_prompts_are_not_merged(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    path = jsonl([row(), row(prompt={"raw": "other", "label": "other"})])
    assert refused(bring, path)[0].expected == "one prompt"
