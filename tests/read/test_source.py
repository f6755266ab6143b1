"""A file as it was read; a large one is read again a piece at a time, and is the same bytes or is refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from sitegen.digests import sha256
from sitegen.read import source
from sitegen.read.files import Tree
from sitegen.read.source import LargeFile, SourceFile, read_open
from sitegen.refusals import Refused
from tests.read.sources import faults, large


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGE", -1)
    monkeypatch.setattr(source, "MEBIBYTE", 64)


def test_a_large_file_is_what_a_small_one_is(everything_is_large: None, tmp_path: Path) -> None:
    data = b"abc" * 100
    found = large(tmp_path, data)
    assert (found.data, found.size, found.sha256) == (data, 300, sha256(data))
    assert [len(piece) for piece in found.pieces()] == [64, 64, 64, 64, 44]
    assert found == large(tmp_path, data)
    assert found != large(tmp_path, data + b"d")
    assert found != data


def test_no_link_is_followed_when_a_large_file_is_opened_again(everything_is_large: None, tmp_path: Path) -> None:
    found = large(tmp_path, b"abc")
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    (tmp_path / "run").symlink_to("elsewhere")
    assert faults(lambda: found.data) == [("path-unsafe", "")]


def test_a_file_that_grows_past_its_size_is_read_to_its_end(tmp_path: Path) -> None:
    """A short read of the system does not cut a file off."""
    path = tmp_path / "x"
    path.write_bytes(b"a" * 100)
    with path.open("rb") as file:
        assert source._read_all(file.fileno(), 40) == b"a" * 41
    with path.open("rb") as file:
        assert source._read_all(file.fileno(), 200) == b"a" * 100


def test_a_file_knows_its_size(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    with Tree(tmp_path) as tree:
        assert tree.read("x").size == 3


def test_only_a_folder_s_file_that_is_larger_than_large_is_left_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A single file cannot be opened again, and is kept in memory whatever its size."""
    monkeypatch.setattr(source, "LARGE", 3)
    (tmp_path / "run").mkdir()
    for size in (2, 3, 4):
        (tmp_path / "run" / str(size)).write_bytes(b"a" * size)
    with Tree(tmp_path) as tree:
        found, _ = tree.read_folder("run", lambda name: 100)
        assert {name: type(file) for name, file in found.items()} == {"2": SourceFile, "3": SourceFile, "4": LargeFile}
        assert type(tree.read("run/4")) is SourceFile


def test_a_file_may_have_as_many_bytes_as_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    assert read_open(os.open(path, os.O_RDONLY), "x", 3).data == b"abc"
    assert faults(read_open, os.open(path, os.O_RDONLY), "x", 2) == [("file-too-large", "")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"st_mtime_ns": 2}),
        ({}, {"st_ctime_ns": 2}),
        ({}, {"st_size": 2}),
        ({"st_size": 2}, {"st_size": 2}),
        ({"st_size": 4}, {"st_size": 4}),
    ],
)
def test_every_trace_of_a_change_while_a_file_is_read_counts(
    before: dict[str, int], after: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each by itself: not every disk keeps all of them. Three bytes are read."""
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    usual = {"st_mode": stat.S_IFREG, "st_size": 3, "st_mtime_ns": 1, "st_ctime_ns": 1}

    def reading(*changes: dict[str, int]) -> SourceFile:
        states = iter([SimpleNamespace(**{**usual, **change}) for change in changes])
        with monkeypatch.context() as patch:
            patch.setattr(source.os, "fstat", lambda _: next(states))
            return read_open(os.open(path, os.O_RDONLY), "x", 100)

    assert reading({}, {}).data == b"abc"
    assert faults(reading, before, after) == [("file-changed", "")]


def test_what_the_system_does_not_let_be_read_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")

    def opened() -> int:
        """Open the file so that it cannot be read."""
        return os.open(path, os.O_WRONLY)

    found = LargeFile(path=str(path), sha256=sha256(b"abc"), size=3, open_=opened)
    for read in (lambda: read_open(opened(), "x", 100), lambda: found.data, lambda: found.part(0, 3, b"")):
        with pytest.raises(Refused) as caught:
            read()
        (fault,) = caught.value.refusals
        assert (fault.slug, fault.expected, fault.found) == ("file-missing", "a readable file", "Bad file descriptor")


def test_what_is_read_again_has_the_digest_it_had(everything_is_large: None, tmp_path: Path) -> None:
    found = large(tmp_path, b"abcdef")
    assert found.part(1, 2, bytes.fromhex(sha256(b"bc"))) == b"bc"
    (tmp_path / "run" / "transcripts.jsonl").write_bytes(b"abXdef")
    assert faults(lambda: found.data) == [("file-changed", "")]
    assert faults(found.part, 1, 2, bytes.fromhex(sha256(b"bc"))) == [("file-changed", "")]
