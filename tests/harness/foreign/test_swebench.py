from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_predictions_with_their_report(shared: Path, bring: Callable[..., Any]) -> None:
    """The report says 100 submitted, 73 resolved, one patch empty, of 500."""
    folder = shared / "swebench"
    got, findings = bring(folder / "vexp_predictions.jsonl", folder / "vexp_harness_report.json", signals=["never"])
    report = json.loads((folder / "vexp_harness_report.json").read_text())
    assert len(got) == report["submitted_instances"] == 100
    resolved = {name for name, t in got.items() if t.extra["source_score"]["value"]}
    assert resolved == set(report["resolved_ids"])
    assert [name for name, t in got.items() if not t.artifact] == report["empty_patch_ids"]
    assert got[report["empty_patch_ids"][0]].abstained is False
    assert any("500 instances" in note for note in findings.notes)


def test_rows_of_a_runner_carry_their_covariates(shared: Path, bring: Callable[..., Any]) -> None:
    got, findings = bring(shared / "swebench" / "vexp_swebench-2026-03-22.jsonl")
    assert findings.verdicts == {"swebench: True": 73, "swebench: False": 27}
    row = got["astropy__astropy-14365"]
    assert (row.tool_calls, row.tools_used) == (16, ("Bash", "Read", "Edit"))
    assert (row.wall_clock_sec, row.tokens_out, row.files_touched) == (103.366, 155, 1)
    assert row.tokens_in == 2 + 865618 + 33105
    assert row.started == "2026-03-22T08:00:00Z"
    assert row.retries is None


def test_reports_of_single_instances_serve_for_checking(shared: Path, bring: Callable[..., Any]) -> None:
    folder = shared / "swebench"
    reports = sorted((folder / "per_instance").rglob("report.json"))
    got, _ = bring(folder / "vexp_predictions.jsonl", *reports)
    for path in reports:
        ((name, entry),) = json.loads(path.read_text()).items()
        assert got[name].extra["source_score"]["value"] is entry["resolved"]
    assert sum(bool(t.extra) for t in got.values()) == len(reports)


@pytest.mark.parametrize(
    "report",
    [
        {"resolved": ["a"], "generated": ["a", "b"], "no_generation": ["c"], "applied": [], "with_logs": []},
        {"resolved_ids": ["a"], "submitted_ids": ["a", "b"], "incomplete_ids": ["c"], "total_instances": 3},
    ],
    ids=["old", "new"],
)
def test_reports_old_and_new_say_what_was_planned(
    jsonl: Callable[..., Path], bring: Callable[..., Any], report: dict[str, Any]
) -> None:
    predictions = jsonl([{"instance_id": name, "model_patch": "+x"} for name in "ab"], "predictions.jsonl")
    got, _ = bring(predictions, jsonl([report], "report.json"))
    assert {name: t.status for name, t in got.items()} == {"a": "ok", "b": "ok", "c": "not_run"}
    assert [t.extra["source_score"]["value"] for t in got.values() if t.extra] == [True, False]


def test_predictions_come_as_lines_as_a_list_and_by_id(tmp_path: Path, bring: Callable[..., Any]) -> None:
    rows = [{"instance_id": name, "model_name_or_path": "m", "model_patch": "+x"} for name in ("a", "b")]
    path = tmp_path / "preds.json"
    seen = []
    for data in (rows, {row["instance_id"]: row for row in rows}):
        path.write_text(json.dumps(data))
        seen.append({name: (t.artifact, t.route) for name, t in bring(path)[0].items()})
    assert seen == [{"a": ("+x", "m"), "b": ("+x", "m")}] * 2


def test_a_report_alone_holds_no_patches(shared: Path, bring: Callable[..., Any], refused: Callable[..., Any]) -> None:
    (fault,) = refused(bring, shared / "swebench" / "vexp_harness_report.json")
    assert "predictions" in (fault.hint or "")


def test_two_models_are_two_providers(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    rows = [{"instance_id": "a", "model_name_or_path": name, "model_patch": "+x"} for name in ("m", "n")]
    assert refused(bring, jsonl(rows))[0].expected == "one provider"
    assert bring(jsonl(rows), provider="n")[0]["a"].route == "n"


def test_a_runners_error_is_an_error(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    got, _ = bring(jsonl([{"instanceId": "a", "modelPatch": None, "error": "API down"}]), signals=["never"])
    assert (got["a"].status, got["a"].abstained, got["a"].extra) == ("error", False, {"error": "API down"})
