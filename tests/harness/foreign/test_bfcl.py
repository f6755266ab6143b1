from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.foreign.plan import read_plan
from sitegen.read.transcript import write_transcript

# The pack's null rows are these tasks; its tasks keep their own ids.
NULL_ROWS = {
    "live_simple_2-2-0": "NP-STUB-01",
    "live_simple_3-2-1": "NP-STUB-02",
    "live_simple_0-0-0": "NP-LEAK-01",
    "live_simple_1-1-0": "NP-LEAK-02",
    "live_irrelevance_7-0-7": "NP-SECRET-01",
    "live_irrelevance_16-2-4": "NP-SECRET-02",
}
MODELS = [
    "BitAgent_BitAgent-8B",
    "Qwen_Qwen3-8B-FC",
    "Salesforce_Llama-xLAM-2-8b-fc-r",
    "Team-ACE_ToolACE-2-8B",
    "meta-llama_Llama-3.1-8B-Instruct",
    "meta-llama_Llama-3.1-8B-Instruct-FC",
    "mistralai_Ministral-8B-Instruct-2410",
]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@pytest.mark.parametrize("model", MODELS)
def test_the_raw_files_give_the_packs_transcripts(shared: Path, bring: Callable[..., Any], model: str) -> None:
    """Every field that the pack's transcripts have, byte for byte; its counts and the leaderboard's failures too."""
    raw, pack = shared / "bfcl" / "v3", shared / "bfcl-pack"
    given = [raw / "result" / model, raw / "possible_answer", raw / "upstream_score" / model]
    files = [path for folder in given for path in sorted(folder.iterdir())]
    plan = read_plan([pack / "null_pack.jsonl", pack / "tasks.jsonl"])
    got, findings = bring(*files, plan=plan, ids=NULL_ROWS, signals=["no-call"])
    wanted = {row["task_id"]: row for row in rows(pack / "transcripts" / f"{model}.jsonl")}
    written = {name: json.loads(write_transcript(transcript)) for name, transcript in got.items()}
    assert {name: {key: row.get(key) for key in wanted[name]} for name, row in written.items()} == wanted
    expected = json.loads((pack / "expected.json").read_text())[model]
    assert findings.slices["negative"]["abstained"] == expected["counts"]["negative"]["abstain_ok"]
    assert findings.slices["negative"]["artifact"] == expected["counts"]["negative"]["invalid_completion"]
    assert findings.slices["ordinary"]["abstained"] == expected["counts"]["ordinary"].get("false_abstain", 0)
    dataset = [transcript for transcript in got.values() if transcript.pack == "dataset"]
    assert sum(transcript.tool_calls or 0 for transcript in dataset) == expected["tool_calls_total"]
    oracles = {row["id"]: row.get("oracle") for row in rows(pack / "tasks.jsonl")}
    matches = sum(oracles[t.task_id] is not None and t.artifact == oracles[t.task_id] for t in dataset)
    assert matches == expected["counts"]["ordinary"]["success"]


def test_inference_errors_do_not_become_abstentions(bring: Callable[..., Any], jsonl: Callable[..., Path]) -> None:
    """A log in which most of what looks like "no call" is a broken connection."""
    texts = [
        "Error during inference: Connection error.",
        "Error code: 429 - rate limit",
        "Unauthorized",
        "Connection error.",
    ]
    rows = [{"id": f"irrelevance_{n}", "result": text} for n, text in enumerate(texts * 5)]
    rows += [{"id": "irrelevance_98", "result": "", "traceback": "Traceback …"}, {"id": "irrelevance_99", "result": ""}]
    rows += [{"id": "irrelevance_100", "result": "None of the tools applies."}]
    got, findings = bring(jsonl(rows, "x_result.json"), signals=["no-call"])
    assert findings.statuses == {"error": 21, "ok": 2}
    assert [name for name, transcript in got.items() if transcript.abstained] == ["irrelevance_100"]
    assert findings.slices["all tasks"] == {"error": 21, "no artifact": 1, "abstained": 1}


def test_texts_in_a_list_and_native_calls_are_read(shared: Path, bring: Callable[..., Any]) -> None:
    folder = shared / "bfcl" / "v4-small"
    for path in sorted(folder.rglob("*.json")):
        got, _ = bring(path, signals=["no-call"])
        assert [t.abstained for t in got.values()] == ["irrelevance" in path.name] * 2
        assert {t.route for t in got.values()} == {None}  # not below result/, so the folder is no claim


def test_prose_is_no_artifact_and_is_kept(bring: Callable[..., Any], jsonl: Callable[..., Path]) -> None:
    got, _ = bring(jsonl([{"id": "a", "result": "I cannot."}, {"id": "b", "result": "[]"}]))
    assert [(t.artifact, t.abstained, t.extra) for t in got.values()] == [
        (None, None, {"answer": "I cannot."}),
        (None, None, {"answer": "[]"}),
    ]


def test_two_models_in_one_import_must_be_chosen(
    shared: Path, bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    results = shared / "bfcl" / "v3" / "result"
    files = [results / model / "BFCL_v3_simple_result.json" for model in MODELS[:2]]
    (fault,) = refused(bring, *files)
    assert (fault.slug, fault.expected) == ("import-ambiguous", "one provider")
    got, findings = bring(*files, provider=MODELS[1])
    assert {t.route for t in got.values()} == {MODELS[1]}
    assert findings.rows == 800


def test_planned_tasks_come_from_the_task_file(
    shared: Path, bring: Callable[..., Any], jsonl: Callable[..., Path]
) -> None:
    tasks = shared / "bfcl" / "v3" / "tasks" / "BFCL_v3_simple.json"
    _, findings = bring(jsonl([{"id": "simple_3", "result": "[f(x=1)]"}]), tasks)
    assert findings.statuses == {"ok": 1, "not_run": 399}


@pytest.mark.parametrize("part", ["possible_answer", "tasks", "upstream_score"])
def test_files_without_results_say_what_to_add(
    shared: Path, bring: Callable[..., Any], refused: Callable[..., Any], part: str
) -> None:
    for path in (shared / "bfcl" / "v3" / part).rglob("*.json"):
        (fault,) = refused(bring, path)
        assert (fault.slug, "result.json" in (fault.hint or "")) == ("import-unsupported", True)


def test_multi_turn_results_are_refused(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    (fault,) = refused(bring, jsonl([{"id": "multi_turn_base_0", "result": [[["f(x=1)"]]], "latency": [[1.0]]}]))
    assert (fault.slug, fault.path) == ("import-unsupported", "/result")


@pytest.mark.parametrize(
    "result",
    [
        "f(a='\\ud800')",
        '{"name": "f", "parameters": {"a": "\\ud800"}}',
        '<tool_call>{"name": "\\udfff", "arguments": {}}</tool_call>',
        [{"f": '{"a": "\\ud800"}'}],
    ],
)
def test_a_call_with_half_of_a_surrogate_pair_has_no_canonical_form(
    result: Any, bring: Callable[..., Any], jsonl: Callable[..., Path]
) -> None:
    """The answer stays the text that it is, as with any other value that JSON in UTF-8 cannot say."""
    got, _ = bring(jsonl([{"id": "simple_0", "result": result}]), source="bfcl", signals=["no-call"])
    row = got["simple_0"]
    assert (row.status, row.abstained, row.tool_calls) == ("ok", False, 0)
    assert row.artifact == (result if isinstance(result, str) else str(result))
    assert json.loads(write_transcript(row))["artifact"] == row.artifact


def test_a_models_folder_may_have_any_name(bring: Callable[..., Any], jsonl: Callable[..., Path]) -> None:
    path = jsonl([{"id": "simple_0", "result": "f(a=1)"}], name=os.fsdecode(b"result/m\xff/BFCL_v3_simple_result.json"))
    got, findings = bring(path, source="bfcl")
    assert got["simple_0"].route == r"m\udcff"
    assert findings.chosen["provider"] == (r"m\udcff", [r"m\udcff"])
