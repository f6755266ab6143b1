"""Where the harness writes: whole files, in place at once, durable."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from sitegen.harness import disk
from sitegen.harness.disk import make_folder, write_file


def test_a_file_and_the_folders_above_it_are_written(tmp_path: Path) -> None:
    write_file(tmp_path / "a" / "b" / "x", b"abc")
    assert (tmp_path / "a" / "b" / "x").read_bytes() == b"abc"
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == ["x"]


def test_everything_new_is_on_the_disk_before_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes, the file's name, and the name of every folder that was made for it."""
    synced: list[str] = []
    fsync = os.fsync

    def watch(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("this system does not say which file a descriptor is of")
    monkeypatch.setattr(disk.os, "fsync", watch)
    write_file(tmp_path / "a" / "b" / "x", b"abc")
    top = str(tmp_path)
    assert synced == [top, f"{top}/a", f"{top}/a/b/.x.partial~", f"{top}/a/b"]


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(disk.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x"]


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    make_folder(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match=r"exists|directory"):
        make_folder(tmp_path / "file" / "below")
