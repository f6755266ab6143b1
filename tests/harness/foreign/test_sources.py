from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.foreign import sources
from sitegen.harness.foreign.sources import ForeignFile


def made(tmp_path: Path, data: bytes, name: str = "log.json") -> ForeignFile:
    path = tmp_path / name
    path.write_bytes(data)
    return ForeignFile(path)


def test_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    assert made(tmp_path, b"{}\n").sha256 == hashlib.sha256(b"{}\n").hexdigest()


@pytest.mark.parametrize(
    ("data", "name", "shape"),
    [
        (b'{"a": 1}', "x.json", "json"),
        (b'{"a": 1}\n', "x.jsonl", "json"),
        (b'{"a": 1}\n{"a": 2}\n', "x.json", "jsonl"),
        (b'{\n "a": 1\n}\n', "x.jsonl", "json"),
        (b"[]\n[1]\n", "x.jsonl", "jsonl"),
        (b"a,b\n1,2\n", "x.csv", "csv"),
        (b"PK\x03\x04", "x.eval", "zip"),
        (b"", "x.json", "other"),
        (b"\x00\x01", "x.bin", "other"),
    ],
)
def test_the_shape_is_told_by_content(tmp_path: Path, data: bytes, name: str, shape: str) -> None:
    assert made(tmp_path, data, name).shape == shape


def test_rows_come_from_lines_from_lists_and_from_single_objects(tmp_path: Path) -> None:
    for data in (b'{"n": 1}\n{"n": 2}\n', b'[{"n": 1}, {"n": 2}]'):
        assert [row.any("n") for row in made(tmp_path, data).rows()] == [1, 2]
    assert [row.any("n") for row in made(tmp_path, b'{"n": 1}\n').rows()] == [1]


def test_a_last_line_without_line_feed_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    assert [row.any("n") for row in made(tmp_path, b'{"n": 1}\r\n{"n": 2}').rows()] == [1, 2]


def test_lines_are_numbered_across_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., Any]
) -> None:
    monkeypatch.setattr(sources, "_BATCH", 64)
    data = b"".join(b'{"n": %d, "pad": "%s"}\n' % (n, b"x" * 50) for n in range(100))
    assert [row.any("n") for row in made(tmp_path, data).rows()] == list(range(100))
    cut = data.replace(b'{"n": 70,', b'{"n": NaN,')
    (fault,) = refused(list, made(tmp_path, cut).rows())
    assert (fault.slug, fault.path, fault.found) == ("json-malformed", "line 71", "NaN")


def test_a_cut_file_is_refused(tmp_path: Path, refused: Callable[..., Any]) -> None:
    (fault,) = refused(list, made(tmp_path, b'{"n": 1}\n{"n": 2}\n{"n": 3, "te').rows())
    assert (fault.slug, fault.path) == ("json-malformed", "line 3")


def test_sizes_are_capped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., Any]) -> None:
    monkeypatch.setattr(sources, "DOCUMENT_LIMIT", 100)
    (fault,) = refused(lambda: made(tmp_path, b"[" + b"1," * 100 + b"1]").document)
    assert fault.slug == "file-too-large"
    monkeypatch.setattr(sources, "LINE_LIMIT", 100)
    monkeypatch.setattr(sources, "_BATCH", 10)
    (fault,) = refused(list, made(tmp_path, b'{"n": 1}\n{"n": "' + b"x" * 300 + b'"}\n').rows())
    assert (fault.slug, fault.path) == ("file-too-large", "line 2")


def test_only_regular_files_are_opened_and_nobody_waits_for_a_pipe(tmp_path: Path, refused: Callable[..., Any]) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(ForeignFile, tmp_path / "pipe")[0].slug == "path-unsafe"
    assert refused(ForeignFile, tmp_path)[0].slug in ("path-unsafe", "file-missing")
    assert refused(ForeignFile, tmp_path / "absent")[0].slug == "file-missing"


def test_a_file_that_changes_after_its_digest_is_refused(tmp_path: Path, refused: Callable[..., Any]) -> None:
    file = made(tmp_path, b'{"n": 1}\n{"n": 2}\n')
    file.path.write_bytes(b'{"n": 1}\n{"n": 2}\n{"n": 3}\n')
    assert refused(list, file.rows())[0].slug == "file-changed"


def test_a_table_may_have_a_byte_order_mark_and_must_close_its_quotes(
    tmp_path: Path, refused: Callable[..., Any]
) -> None:
    assert list(made(tmp_path, '\ufeffa,b\n"1\n2",é\n'.encode(), "x.csv").table()) == [["a", "b"], ["1\n2", "é"]]
    assert refused(list, made(tmp_path, b'a,b\n"1,2\n', "x.csv").table())[0].slug == "import-unsupported"
    assert refused(list, made(tmp_path, b"a,\xff\n", "x.csv").table())[0].slug == "text-encoding"


def test_a_name_that_is_not_utf_8_is_told_with_its_escape(tmp_path: Path) -> None:
    """It becomes a task's id or a label, and what is imported is written in UTF-8."""
    assert made(tmp_path, b"{}", os.fsdecode(b"m\xff.traj")).name == r"m\udcff.traj"
