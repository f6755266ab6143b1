"""Rows of a large file are read from the disk when they are asked for, and are what a small file gives."""

from __future__ import annotations

import os
from operator import attrgetter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.digests import sha256
from sitegen.read import source
from sitegen.read.files import SourceFile
from sitegen.read.stored import read_rows
from sitegen.read.transcript import Transcript, write_transcript
from sitegen.refusals import Refusal, Refused
from tests.read.sources import faults, large


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGE", -1)
    monkeypatch.setattr(source, "MEBIBYTE", 64)


def row(task_id: str, pack: str = "dataset", artifact: str | None = "x", route: str | None = "r") -> bytes:
    given = {"status": "ok", "abstained": False, "route": route, "retries": 0, "tool_calls": 0, "wall_clock_sec": 1.5}
    return write_transcript(Transcript(task_id=task_id, pack=pack, artifact=artifact, **given))  # type: ignore[arg-type]


def test_a_large_file_that_changed_is_refused_whatever_is_read_of_it(tmp_path: Path) -> None:
    rows = row("A") + row("B")
    found = large(tmp_path, rows)
    read = read_rows(found)
    (tmp_path / "run" / "transcripts.jsonl").write_bytes(rows.replace(b'"x"', b'"y"'))
    assert faults(lambda: found.data) == [("file-changed", "")]
    assert faults(lambda: read_rows(found)) == [("file-changed", "")]
    assert faults(lambda: read.dataset["A"]) == [("file-changed", "")]
    (tmp_path / "run" / "transcripts.jsonl").unlink()
    assert faults(lambda: found.data) == [("file-missing", "")]


def test_a_row_of_a_large_file_may_name_no_route(tmp_path: Path) -> None:
    read = read_rows(large(tmp_path, row("A", route=None) + row("B")))
    assert [(head.task_id, head.route) for head in read.heads] == [("A", None), ("B", "r")]


def test_no_descriptor_is_left_open_but_that_of_the_last_file(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for number in range(5):
        read = read_rows(large(tmp_path, row(f"T-{number}")))
        assert read.dataset[f"T-{number}"].task_id == f"T-{number}"
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def first_fault(file: SourceFile) -> Refusal | None:
    try:
        read_rows(file)
    except Refused as refused:
        return refused.refusals[0]
    return None


ROWS = st.lists(
    st.builds(
        row,
        st.text("AB", min_size=1, max_size=2),
        st.sampled_from(("dataset", "null_pack")),
        st.one_of(st.none(), st.text(max_size=200)),
        st.sampled_from(("r", None)),
    ),
    max_size=6,
)
SPOILT = st.sampled_from((b"", b"\n", b"{}\n", b'{"task_id":1}\n', b"x", row("A").replace(b"0", b"-0"), b"\xff\n"))


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, SPOILT, ROWS)
def test_rows_of_a_large_file_are_those_of_a_small_one(
    tmp_path: Path, before: list[bytes], spoilt: bytes, after: list[bytes]
) -> None:
    data = b"".join([*before, spoilt, *after])
    stored = large(tmp_path, data)
    small = SourceFile(path=stored.path, data=data, sha256=sha256(data))
    expected = first_fault(small)
    if expected is not None:
        assert first_fault(stored) == expected
        return
    kept, read = read_rows(small), read_rows(stored)
    asked = attrgetter("task_id", "pack", "status", "abstained", "route", "started")
    assert [asked(head) for head in read.heads] == [asked(row) for row in kept.heads]
    for name in ("dataset", "null_pack"):
        assert dict(getattr(read, name)) == getattr(kept, name)
        assert list(getattr(read, name)) == list(getattr(kept, name))
