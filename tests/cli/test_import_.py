from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import import_, main
from sitegen.harness.foreign import read_source

ROWS = [
    {"instance_id": "a/b", "model_name_or_path": "m", "model_patch": "+x"},
    {"instance_id": "c", "model_name_or_path": "m", "model_patch": ""},
]


@pytest.fixture
def log(tmp_path: Path) -> Callable[..., Path]:
    def write(rows: list[dict[str, Any]]) -> Path:
        path = tmp_path / "predictions.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


def test_transcripts_and_their_source_are_written(log: Callable[..., Path], tmp_path: Path) -> None:
    out = tmp_path / "t.jsonl"
    assert main(["import", "swebench", str(log(ROWS)), "--abstain-when", "never", "-o", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["task_id"], row["abstained"], row["artifact"]) for row in rows] == [
        ("a/b", False, "+x"),
        ("c", False, None),
    ]
    source = read_source(out)
    assert source is not None
    assert source.format == "swebench"


def test_the_report_is_a_table_or_json(log: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    path = str(log(ROWS))
    assert main(["import", "auto", path, "--report"]) == 0
    captured = capsys.readouterr()
    assert "limits that pages will show" in captured.out
    assert "--abstain-when" in captured.err
    assert main(["import", "auto", path, "--report", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["found"]["rows"] == 2


def test_plan_and_ids_are_read_from_files(log: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text('{"id": "A"}\n{"id": "lost", "kind": "negative"}\n')
    (tmp_path / "ids.json").write_text('{"a/b": "A"}')
    out = tmp_path / "t.jsonl"
    options = ["--plan", str(tmp_path / "tasks.jsonl"), "--ids", str(tmp_path / "ids.json"), "-o", str(out)]
    assert main(["import", "swebench", str(log(ROWS)), *options]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["task_id"], row["status"]) for row in rows] == [("A", "ok"), ("lost", "not_run")]


def test_a_refusal_leaves_nothing_behind(
    log: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log([*ROWS, {**ROWS[0], "model_name_or_path": "other"}])
    assert main(["import", "swebench", str(path), "-o", str(tmp_path / "t.jsonl")]) == 1
    assert "--provider" in capsys.readouterr().err
    assert [found.name for found in tmp_path.iterdir()] == ["predictions.jsonl"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["swebench", "LOG"], "--report"),
        (["helm", "LOG", "--report"], "no format is called 'helm'"),
        (["swebench", "LOG", "--report", "--abstain-when", "silence"], "no-call"),
        (["swebench", "LOG", "--report", "--provider", "other"], "which has: m"),
    ],
)
def test_misuse_is_exit_2_and_says_what_there_is(
    log: Callable[..., Path], capsys: pytest.CaptureFixture[str], options: list[str], says: str
) -> None:
    path = str(log(ROWS))
    assert main(["import", *(path if option == "LOG" else option for option in options)]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("option", [*(f"--{name}" for name in import_._CHOICES), "--abstain-when"])
def test_an_option_that_is_not_utf_8_is_misuse(
    option: str, log: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its text would get into the transcripts, or into what the sidecar says of them."""
    path = log(ROWS)
    given = "answer=\udcff" if option == "--abstain-when" else "\udcff"
    assert main(["import", "swebench", str(path), option, given, "-o", str(tmp_path / "t.jsonl")]) == 2
    assert "UTF-8" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [path]
