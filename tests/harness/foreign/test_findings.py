from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

ESCAPE = chr(27)
TASK = f"a{ESCAPE}[2J"


def rows() -> list[dict[str, Any]]:
    common = {"model": "m"}
    good = {"instanceId": TASK, "modelPatch": "+x", "durationMs": 1000, "costUsd": 0, "resolved": True}
    return [{**common, **good}, {**common, "instanceId": "b", "modelPatch": "", "resolved": False}]


def test_the_table_answers_every_question_of_the_report(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    plan = {TASK: "ordinary", "b": "negative", "c": "ordinary"}
    table = bring(jsonl(rows()), signals=["never"], plan=plan)[1].as_table()
    for words in ("2 rows", "not_run", "mapped", "missing (null, never 0)", "dropped", "flagged", "limits", "checking"):
        assert words in table
    assert ESCAPE not in table
    assert "ordinary, as a report would count them" in table


def test_the_object_is_json_and_counts_the_same(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    path = jsonl(rows())
    _, findings = bring(path, signals=["never"])
    report = json.loads(json.dumps(findings.as_object(), allow_nan=False))
    assert report["found"] == {"rows": 2, "results": 2, "statuses": {"ok": 2}}
    assert report["slices"] == {"all tasks": {"artifact": 1, "no artifact": 1}}
    assert report["mapped"]["wall_clock_sec"] == {"from": "durationMs", "recorded": 1, "of": 2}
    assert "retries" in report["missing"]
    assert "wall_clock_sec" not in report["missing"]
    assert report["flagged"]["cost of 0 beside tokens or text"]["rows"] == 1
    assert report["source_verdicts"] == {"swebench: True": 1, "swebench: False": 1}
    assert report["dropped"] == {}
    assert report["files"][0]["name"] == path.name


def test_a_zero_is_recorded_and_a_null_is_not(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    _, findings = bring(jsonl(rows()))
    assert (findings.recorded["cost_usd"], findings.recorded["retries"]) == (1, 0)
