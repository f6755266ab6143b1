"""Where the harness writes: whole files, in place at once, durable."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.harness import disk
from sitegen.harness.disk import make_folder, write_file, write_parts


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
    assert synced == [top, f"{top}/a", f"{top}/a/b/.x.{os.getpid()}.partial~", f"{top}/a/b"]


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


@pytest.mark.parametrize("error", [ValueError("a fault on the way"), KeyboardInterrupt()])
def test_parts_become_a_whole_file_or_none(error: BaseException, tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"half"
        raise error

    path = tmp_path / "x"
    with pytest.raises(type(error)):
        write_parts(path, broken())
    assert os.listdir(tmp_path) == []
    write_parts(path, iter((b"wh", b"ole")))
    with pytest.raises(type(error)):
        write_parts(path, broken())
    assert path.read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["x"]


def test_an_interrupt_leaves_the_old_file_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(disk.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x"]


def test_another_process_that_writes_the_same_file_does_not_cut_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One writes its file whole while another is in the middle of its own."""
    path = tmp_path / "x"

    def parts() -> Iterator[bytes]:
        yield b"o" * 100_000  # more than is held back before it is written
        with monkeypatch.context() as other:
            other.setattr(disk.os, "getpid", lambda: -1)
            write_file(path, b"theirs")
        assert path.read_bytes() == b"theirs"
        yield b"urs"

    write_parts(path, parts())
    assert path.read_bytes() == b"o" * 100_000 + b"urs"
    assert os.listdir(tmp_path) == ["x"]
