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
        ("path-unsafe", "line 3/files/0"),
        ("field-range", "line 5/id"),
        ("field-type", "line 6"),
        ("jsonl-torn", "line 1"),
    ]


@pytest.mark.parametrize(
    ("files", "places"),
    [
        ({"a": "1", "b": "2", "c/a": "3", "c/d/a": "4"}, []),
        ({"a": "1", "A": "2"}, ["A"]),
        ({"a": "1", "./a": "2"}, [".~1a"]),
        ({"a": "1", "a/b": "2"}, ["a~1b"]),
        ({"a/b": "1", "a": "2", "c": "3"}, ["a"]),
        ({"a/b": "1", "A/c": "2"}, ["A~1c"]),
        ({"a/b": "1", "A": "2", "../c": "3", "": "4"}, ["A", "..~1c", ""]),
        ({f"{'a/' * 255}bc": "1", f"{'a/' * 256}b": "2"}, [f"{'a~1' * 256}b"]),
        (["a", "b/c"], []),
        (["a", "/b", "c/"], ["1", "2"]),
    ],
)
def test_files_of_a_task_can_be_laid_out_beside_each_other(files: Any, places: list[str]) -> None:
    row = jsonl({"id": "T-1", "files": files})
    if not places:
        assert read_tasks([row])[0].shown == {"files": files}
        return
    assert faults(read_tasks, [row]) == [("path-unsafe", f"line 1/files/{place}") for place in places]


def test_only_files_that_are_named_are_those_of_the_folder() -> None:
    tasks = read_tasks([jsonl({"id": "a", "files": ["./x", "y/z"]}, {"id": "b", "files": {"x": "1"}}, {"id": "c"})])
    assert [task.sealed_files for task in tasks] == [("x", "y/z"), (), ()]


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
