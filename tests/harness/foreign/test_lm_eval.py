from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SAMPLES = "samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl"
RESULTS = "results_2026-01-21T03-44-18.458309.json"


def row(doc: int = 0, filtered: Any = ("A",), **fields: Any) -> dict[str, Any]:
    return {"doc_id": doc, "doc": {"name": f"doc {doc}"}, "resps": [["A"]], "filtered_resps": filtered, **fields}


def test_real_samples(shared: Path, bring: Callable[..., Any]) -> None:
    got, _ = bring(shared / "lm_eval" / SAMPLES)
    rows = [json.loads(line) for line in (shared / "lm_eval" / SAMPLES).read_text().split("\n") if line]
    assert {name: t.artifact for name, t in got.items()} == {str(r["doc_id"]): r["filtered_resps"][0] for r in rows}
    assert {(t.route, t.retries, t.wall_clock_sec, t.tokens_out, t.tool_calls) for t in got.values()} == {(None,) * 5}


def test_the_results_file_gives_the_model_and_the_plan(shared: Path, bring: Callable[..., Any]) -> None:
    """n-samples says 5,000 documents; the samples file has ten of them, so 4,990 are not run."""
    got, findings = bring(shared / "lm_eval" / SAMPLES, shared / "lm_eval" / RESULTS)
    assert findings.statuses == {"ok": 10, "not_run": 4990}
    assert got["0"].route == "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1"


def test_results_alone_are_refused(shared: Path, bring: Callable[..., Any], refused: Callable[..., Any]) -> None:
    assert "--log_samples" in (refused(bring, shared / "lm_eval" / RESULTS)[0].hint or "")


def test_filters_repeats_and_tasks_must_be_chosen(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    filters = jsonl([row(filter="strict-match"), row(filter="flexible-extract")])
    assert refused(bring, filters)[0].found == "2: strict-match, flexible-extract"
    assert len(bring(filters, filter="strict-match")[0]) == 1
    repeats = jsonl([row(filtered=[["A", "B"]])])
    assert refused(bring, repeats)[0].expected == "one attempt"
    assert bring(repeats, attempt="2")[0]["0"].artifact == "B"
    one = jsonl([row()], "samples_gsm8k_2026-01-21T03-44-18.458309.jsonl")
    other = jsonl([row()], "samples_arc_2026-01-21T03-44-18.458309.jsonl")
    assert refused(bring, one, other)[0].found == "2: gsm8k, arc"
    assert bring(one, other, task="arc")[1].dropped["another task was chosen"].count == 1


def test_what_a_filter_could_not_read_is_unparseable_and_no_abstention(
    jsonl: Callable[..., Path], bring: Callable[..., Any]
) -> None:
    got, _ = bring(jsonl([row(filtered=["[invalid]"])]), signals=["answer=[invalid]"])
    assert (got["0"].status, got["0"].artifact, got["0"].abstained) == ("unparseable", None, False)


def test_the_likeliest_choice_is_the_answer(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    choices = [["-2.5", "False"], ["-1.5", "False"], [-1.5, True]]
    assert bring(jsonl([row(filtered=choices)]))[0]["0"].artifact == "1"
    broken = jsonl([row(filtered=[["nan", "False"], ["-1.5", "False"]])])
    assert refused(bring, broken)[0].found == "NaN"
    alone = jsonl([row(filtered=[["-2.5", "False"]])])
    assert "log-likelihoods" in (refused(bring, alone)[0].found or "")


@pytest.mark.parametrize(("field", "ids"), [(None, ["0", "7"]), ("doc.name", ["doc 0", "doc 7"])])
def test_ids_are_those_of_the_documents(
    jsonl: Callable[..., Path], bring: Callable[..., Any], field: str | None, ids: list[str]
) -> None:
    assert list(bring(jsonl([row(0), row(7)]), id_field=field)[0]) == ids


def test_a_score_that_is_not_a_number_is_refused(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    (fault,) = refused(bring, jsonl([row(), row(1, metrics=["f1"], f1=float("nan"))]))
    assert (fault.slug, fault.path, fault.found) == ("json-malformed", "line 2", "NaN")
