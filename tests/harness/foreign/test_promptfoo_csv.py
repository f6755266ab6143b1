from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HEAD = ["q", "task", "[gpt] {{q}}"]


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    def write(*rows: list[str]) -> Path:
        path = tmp_path / "out.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([HEAD, *rows])
        return path

    return write


def test_a_real_table_of_ten_columns(shared: Path, bring: Callable[..., Any], refused: Callable[..., Any]) -> None:
    path = shared / "promptfoo" / "text_to_sql_results.csv"
    assert {fault.expected for fault in refused(bring, path)} == {"one provider", "one prompt"}
    got, findings = bring(path, provider="3.5 Sonnet", prompt="prompts.py:generate_prompt_with_cot")
    assert (findings.rows, list(got)) == (30, ["0", "1", "2"])
    for transcript in got.values():
        assert "<sql>" in transcript.artifact
        assert "[PASS]" not in transcript.artifact
        assert " Reason:" not in transcript.artifact


@pytest.mark.parametrize(
    ("cell", "artifact", "status", "verdict"),
    [
        ("[PASS] (1.00)\n\n42\n\nPass Reason: All assertions passed", "42", "ok", True),
        ("[FAIL] (0.00)\n\n41\n\nFail Reason: Expected\n42", "41", "ok", False),
        ("[PASS] (1.00)\n\n42", "42", "ok", True),
        ("[FAIL] (0.00)\n\na\n\nFail Reason: b\n\nFail Reason: c", "a\n\nFail Reason: b", "ok", False),
        ("[ERROR] \n\nConnection refused", None, "error", False),
        ("[PASS]", None, "ok", True),
    ],
)
def test_cells(
    table: Callable[..., Path], bring: Callable[..., Any], cell: str, artifact: str | None, status: str, verdict: bool
) -> None:
    row = bring(table(["x", "t1", cell]), id_field="vars.task", signals=["answer=Connection refused"])[0]["t1"]
    assert (row.artifact, row.status, row.abstained) == (artifact, status, False)
    assert row.extra["source_score"]["value"] is verdict


def test_a_damaged_table_is_refused(
    table: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    good = ["x", "t1", "[PASS] ok"]
    assert refused(bring, table(good, ["x", "t2"]))[0].path == "record 3"
    assert refused(bring, table(good, ["x", "t2", "no verdict"]))[0].path == "record 3"
    assert refused(bring, table(good), id_field="absent")[0].slug == "field-missing"
