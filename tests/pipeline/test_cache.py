"""What a build remembers is found for the same bytes only, and is never believed when it was altered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sitegen.digests import Listed, sha256
from sitegen.pipeline.cache import Memory, cache_folder, note_output, old_site, tool_digest

KEY = sha256(b"key")


def listed(path: str, data: bytes) -> Listed:
    return Listed(path=path, size=len(data), sha256=sha256(data))


def test_an_entry_is_found_again(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.put("units", KEY, ("a", 1))
    assert memory.get("units", KEY) == ("a", 1)
    assert memory.get("sites", KEY) is None
    assert memory.get("units", sha256(b"other")) is None


def test_without_a_folder_nothing_is_remembered() -> None:
    memory = Memory(None)
    memory.put("units", KEY, 1)
    assert memory.get("units", KEY) is None


@pytest.mark.parametrize("damage", [b"", b"short", None])
def test_a_damaged_entry_is_none(tmp_path: Path, damage: bytes | None) -> None:
    memory = Memory(tmp_path)
    memory.put("units", KEY, "x" * 100)
    path = tmp_path / "units" / KEY[:2] / KEY
    data = path.read_bytes()
    path.write_bytes(data[:-1] + b"?" if damage is None else damage)
    assert memory.get("units", KEY) is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    memory = Memory(tmp_path / "file")
    memory.put("units", KEY, 1)
    assert memory.get("units", KEY) is None


def test_a_published_file_is_known_until_it_is_touched(tmp_path: Path) -> None:
    site, memory = tmp_path / "site", Memory(tmp_path / "cache")
    site.mkdir()
    (site / "a").write_bytes(b"one")
    (site / "b").write_bytes(b"two")
    note_output(site, [listed("a", b"one"), listed("b", b"two")], memory)
    assert set(old_site(site, memory).known) == {"a", "b"}
    status = (site / "a").stat()
    (site / "a").write_bytes(b"ONE")
    os.utime(site / "a", ns=(status.st_atime_ns, status.st_mtime_ns))  # the same size and time: ctime still tells
    old = old_site(site, memory)
    assert set(old.known) == {"b"}
    assert not old.has(listed("a", b"one"))
    assert old.has(listed("a", b"ONE"))
    assert not old.has(listed("c", b""))


def test_there_is_no_old_site_where_there_is_no_folder(tmp_path: Path) -> None:
    assert not old_site(tmp_path / "nowhere", Memory(None)).paths


def test_the_cache_is_the_users_and_not_the_sites(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "sitegen"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "sitegen"


def test_the_tools_digest_is_one_for_one_tool() -> None:
    assert tool_digest() == tool_digest()
    assert len(tool_digest()) == 64
