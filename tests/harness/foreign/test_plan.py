from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.foreign.plan import read_ids, read_plan


def test_a_plan_knows_every_task_and_its_slice(jsonl: Callable[..., Path]) -> None:
    null = jsonl([{"id": "NP-1", "expected_class": "must_pass"}], "null.jsonl")
    tasks = jsonl([{"id": "a"}, {"id": "b", "kind": "negative"}, {"id": "c", "kind": "ordinary"}], "tasks.jsonl")
    assert read_plan([null, tasks]) == {"NP-1": "null_pack", "a": "ordinary", "b": "negative", "c": "ordinary"}


def test_a_task_that_stands_twice_is_refused(jsonl: Callable[..., Path], refused: Callable[..., Any]) -> None:
    (fault,) = refused(read_plan, [jsonl([{"id": "a"}, {"id": "a"}])])
    assert (fault.slug, fault.path) == ("outcome-duplicate", "line 2")


@pytest.mark.parametrize("table", [{"a": "x", "b": "x"}, {"a": ""}, {"a": 1}, ["a"]])
def test_ids_are_renamed_one_to_one(tmp_path: Path, refused: Callable[..., Any], table: Any) -> None:
    path = tmp_path / "ids.json"
    path.write_text(json.dumps({"a": "x", "b": "y"}))
    assert read_ids(path) == {"a": "x", "b": "y"}
    path.write_text(json.dumps(table))
    assert refused(read_ids, path)
