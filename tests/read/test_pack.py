"""An exam's tasks, rows and oracles, gathered from the protocol's folder."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.digests import folder_digest, sha256
from sitegen.read.files import SourceFile
from sitegen.read.pack import part_digest, part_files, read_pack
from sitegen.read.protocol import DraftProtocol, read_draft
from sitegen.refusals import Refused
from tests.read.sources import faults, source
from tests.read.test_protocol import file

ROW = {"id": "NP", "expected_class": "must_pass", "oracle": "oracles/n.txt"}


def folder(**files: bytes | str) -> dict[str, SourceFile]:
    given = {"tasks.jsonl": task_line("T-1", "oracles/1.txt"), "null.jsonl": json.dumps(ROW) + "\n", **files}
    given.setdefault("oracles/1.txt", b"1\n")
    given.setdefault("oracles/n.txt", b"\xff\x00\r\n")
    return {name: source(data, f"protocols/demo.v1/{name}") for name, data in given.items()}


def task_line(task_id: str, oracle: str) -> str:
    return json.dumps({"id": task_id, "oracle": oracle}) + "\n"


def read(files: dict[str, SourceFile], **changes: Any) -> Any:
    draft: DraftProtocol = read_draft(file(**changes))
    return read_pack(draft, "protocols/demo.v1", files, "protocols/demo.v1/protocol.yaml")


def test_oracles_are_opaque_bytes() -> None:
    pack = read(folder())
    assert pack.oracles == {"T-1": b"1\n"}
    assert pack.null_oracles == {"NP": b"\xff\x00\r\n"}
    assert pack.dataset_sha256 == sha256(folder()["tasks.jsonl"].data)


def test_an_inline_oracle_is_its_exact_text() -> None:
    files = folder(**{"tasks.jsonl": task_line("T-1", "é\r\n ")})
    pack = read(files, dataset={"path": "./tasks.jsonl", "sha256": "PENDING_SEAL", "oracle": "inline"})
    assert pack.oracles == {"T-1": "é\r\n ".encode()}


def test_a_folder_of_tasks_is_digested_whole_and_read_in_order() -> None:
    files = folder(**{"tasks/b.json": '{"id": "b", "oracle": "x"}', "tasks/a.json": '{"id": "a", "oracle": "y"}'})
    files["tasks/notes.txt"] = source("not a task", "protocols/demo.v1/tasks/notes.txt")
    dataset = {"path": "./tasks", "sha256": "PENDING_SEAL"}
    null_pack = {**PENDING_NULL_PACK, "oracle": "path"}
    pack = read(dict(sorted(files.items())), dataset=dataset, null_pack=null_pack)
    assert [task.id for task in pack.dataset] == ["a", "b"]
    names = ("a.json", "b.json", "notes.txt")
    assert pack.dataset_sha256 == folder_digest({name: files[f"tasks/{name}"].sha256 for name in names})


PENDING_NULL_PACK = {
    "path": "./null.jsonl",
    "sha256": "PENDING_SEAL",
    "rules": {"must_pass": ["a"], "must_fail": ["b"], "must_refuse": ["c"]},
}


def test_the_parts_must_be_there() -> None:
    files = folder()
    del files["tasks.jsonl"]
    files["null.jsonl"] = source("{}\n", "protocols/demo.v1/null.jsonl")
    assert faults(read, files) == [
        ("file-missing", "/dataset/path"),
        ("field-missing", "line 1/id"),
        ("field-missing", "line 1/expected_class"),
    ]


@pytest.mark.parametrize(
    ("oracle", "slug"),
    [
        ("oracles/2.txt", "oracle-missing"),
        ("../x", "path-unsafe"),
        ("notes.md", "oracle-missing"),
        ("protocol.sums", "oracle-missing"),
    ],
)
def test_an_oracle_is_a_sealed_file_of_the_folder(oracle: str, slug: str) -> None:
    files = folder(**{"tasks.jsonl": task_line("T-1", oracle), "notes.md": b"1", "protocol.sums": b"1"})
    assert faults(read, files) == [(slug, "line 1/oracle")]


@pytest.mark.parametrize(
    ("named", "places"),
    [
        (["./data/a.txt", "data", "more.txt"], []),
        (["nope.txt"], [0]),
        (["more.txt", "notes.md", "protocol.sums", "protocol.sealed.yaml", "dat"], [1, 2, 3, 4]),
    ],
)
def test_a_file_of_a_task_is_a_sealed_file_of_the_folder(named: list[str], places: list[int]) -> None:
    unsealed = dict.fromkeys(("notes.md", "protocol.sums", "protocol.sealed.yaml"), b"1")
    task = json.dumps({"id": "T-1", "oracle": "oracles/1.txt", "files": named}) + "\n"
    row = json.dumps({**ROW, "files": named}) + "\n"
    files = folder(**{"tasks.jsonl": task, "null.jsonl": row, "data/a.txt": b"", "more.txt": b"", **unsealed})
    if places:
        assert faults(read, files) == [("file-missing", f"line 1/files/{place}") for place in places] * 2
    else:
        assert read(files).dataset[0].sealed_files == ("data/a.txt", "data", "more.txt")


def test_what_is_not_sealed_is_no_part() -> None:
    files = folder(**{"notes.md": json.dumps({"id": "T-1", "oracle": "oracles/1.txt"})})
    dataset = {"path": "./notes.md", "sha256": "PENDING_SEAL", "oracle": "path"}
    assert faults(lambda: read(files, dataset=dataset)) == [("file-missing", "/dataset/path")]


def test_a_part_is_a_file_or_a_folder() -> None:
    files = folder(**{"t/a.json": "{}", "t/b.txt": "", "tt/c.json": "{}"})
    assert list(part_files(files, "./t")) == ["t/a.json"]
    assert list(part_files(files, "tasks.jsonl")) == ["tasks.jsonl"]
    assert part_files(files, "nowhere") == {}
    digests = {"t/a.json": "1" * 64, "tt/c.json": "2" * 64, "x": "3" * 64}
    assert part_digest(digests, "./x") == "3" * 64
    assert part_digest(digests, "t") == folder_digest({"a.json": "1" * 64})


def test_the_cluster_of_a_task_is_what_it_has_in_the_field() -> None:
    files = folder(**{"tasks.jsonl": '{"id": "a", "oracle": "oracles/1.txt", "topic": "x"}\n'})
    assert read(files).clusters("topic") == {"a": "x"}
    assert read(files).clusters(None) is None


@pytest.mark.parametrize(("named", "found"), [("notes.md", "notes.md, which is not sealed"), ("gone.txt", "gone.txt")])
def test_a_file_of_a_task_that_is_there_and_not_sealed_is_called_so(named: str, found: str) -> None:
    task = json.dumps({"id": "T-1", "oracle": "oracles/1.txt", "files": [named]}) + "\n"
    with pytest.raises(Refused) as caught:
        read(folder(**{"tasks.jsonl": task, "notes.md": b"1"}))
    assert [(fault.slug, fault.found) for fault in caught.value.refusals] == [("file-missing", found)]
