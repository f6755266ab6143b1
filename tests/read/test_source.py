"""A file as it was read; a large one is read again a piece at a time, and is the same bytes or is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.digests import sha256
from sitegen.read import source
from sitegen.read.files import Tree
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
