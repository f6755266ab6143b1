"""Tasks and null-pack rows: what sitegen reads of them, and what the solver may see."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.read.tasks import HIDDEN, read_null_pack, read_tasks
from sitegen.refusals import MOST_LOOKED_FOR
from tests.read.sources import faults, source

TASK = {"id": "T-1", "prompt": "Say 1.", "oracle": "1", "files": {"a.py": "x"}, "hint": [1, None]}


def jsonl(*rows: Any) -> Any:
    return source("".join(json.dumps(row) + "\n" for row in rows), "tasks.jsonl")


def test_a_task_is_ordinary_unless_it_says_negative() -> None:
    tasks = read_tasks([jsonl(TASK, {"id": "T-2", "kind": "negative"})])
    assert [(task.id, task.kind, task.path) for task in tasks] == [
        ("T-1", "ordinary", "line 1"),
        ("T-2", "negative", "line 2"),
    ]


def test_the_solver_sees_neither_id_nor_kind_nor_class_nor_oracle() -> None:
    (task,) = read_tasks([jsonl({**TASK, "kind": "ordinary", "expected_class": "must_pass"})])
    assert not HIDDEN & task.shown.keys()
    assert task.shown == {"prompt": "Say 1.", "files": {"a.py": "x"}, "hint": [1, None]}


def test_a_folder_of_files_is_read_file_by_file() -> None:
    tasks = read_tasks([source(json.dumps({"id": name}), f"tasks/{name}.json") for name in ("b", "a")])
    assert [(task.id, task.file) for task in tasks] == [("b", "tasks/b.json"), ("a", "tasks/a.json")]


def test_ids_are_any_text() -> None:
    (task,) = read_tasks([jsonl({"id": "../ä b\n"})])
    assert task.id == "../ä b\n"


def test_the_content_is_all_but_the_id_and_the_question_all_that_is_shown() -> None:
    first, same, other_oracle, other = read_tasks(
        [jsonl(TASK, {**TASK, "id": "T-2"}, {**TASK, "id": "T-3", "oracle": "2"}, {**TASK, "prompt": "Say 2."})]
    )
    assert first.content == same.content != other_oracle.content
    assert first.question == other_oracle.question != other.question


def test_all_faults_of_all_rows_are_named() -> None:
    rows = jsonl({"id": 1}, {"kind": "odd", "id": "a"}, {"id": "b", "files": ["../x"]}, {"id": "c"}, {"id": ""}, [])
    assert faults(read_tasks, [rows, source("{", "tasks.jsonl")]) == [
        ("field-type", "line 1/id"),
        ("task-kind-unknown", "line 2/kind"),
        ("path-unsafe", "line 3/files/..~1x"),
        ("field-range", "line 5/id"),
        ("field-type", "line 6"),
        ("jsonl-torn", "line 1"),
    ]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"id": "a"}, ("field-missing", "line 1/expected_class")),
        ({"id": "a", "expected_class": "must_lose"}, ("null-pack-class", "line 1/expected_class")),
        ({"id": "a", "expected_class": "must_pass", "oracle": 1}, ("field-type", "line 1/oracle")),
    ],
)
def test_a_null_pack_row_has_one_of_three_classes(row: dict[str, Any], fault: tuple[str, str]) -> None:
    assert faults(read_null_pack, [jsonl(row)]) == [fault]
    (read,) = read_null_pack([jsonl({"id": "a", "expected_class": "must_fail"})])
    assert (read.kind, read.expected_class) == (None, "must_fail")


def test_a_thousand_faults_are_enough() -> None:
    rows = jsonl(*({"prompt": "no id"} for _ in range(MOST_LOOKED_FOR)))
    one_more = [rows, jsonl({"prompt": "no id"})]
    assert len(faults(read_tasks, [rows])) == len(faults(read_tasks, one_more)) == MOST_LOOKED_FOR
