from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.unsupported import explain


@pytest.mark.parametrize(
    ("first", "says"),
    [
        ({"schema_version": "ATIF-v1.5", "steps": []}, "without a task id"),
        ({"adapter_spec": {}, "request_states": []}, "HELM"),
        ({"adapter_spec": {}, "scenario_spec": {}}, "settings without answers"),
        ({"instance_id": "id1", "stats": []}, "scores without answers"),
        (["Unauthorized"], "no row names its task"),
        ({"role": "user", "content": "x"}, "no submission"),
        ({"uuid": "x", "question": "y"}, "without any answer"),
        ({"task_id": "a", "pack": "dataset", "status": "ok"}, "sitegen's own form"),
        ({"whatever": 1}, "no format that is known"),
    ],
)
def test_the_reason_says_what_is_missing(jsonl: Callable[..., Path], first: Any, says: str) -> None:
    found, hint = explain(ForeignFile(jsonl([first, first])))
    assert says in found
    assert hint


@pytest.mark.parametrize(
    ("head", "says"),
    [("trial_id,reward", "without artifacts"), ("test_id,success", "metric table"), ("Rank,Model", "leaderboard")],
)
def test_metric_tables_hold_no_answers(tmp_path: Path, head: str, says: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{head}\n1,2\n")
    assert says in explain(ForeignFile(path))[0]


@pytest.mark.parametrize("data", [b"", b"\x00\x01\x02", b"hello", b"3", json.dumps("text").encode()])
def test_what_is_no_log_at_all_is_explained_too(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(data)
    assert explain(ForeignFile(path))[0]
