"""One task's folder: laid out fresh, and compared with what was laid out once every process is gone.

Nothing in it is trusted: links are not followed, special files are not opened, and sizes and depths are bounded.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sitegen.harness.limits import Caps

Kind = Literal["file", "link", "special"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file that was added (``old`` is ``None``), removed (``new`` is ``None``) or changed.

    A link's content is its target; ``new`` of anything that cannot be read as a whole is empty.
    """

    path: str
    kind: Kind = "file"
    old: bytes | None = field(repr=False)
    new: bytes | None = field(repr=False)


class WorkspaceFault(Exception):
    """The workspace cannot be compared: too many entries, too deep, or too large."""

    def __init__(self, reason: str, touched: int) -> None:
        super().__init__(reason)
        self.touched = touched


def lay_out(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a task's files into its empty folder. Paths were checked when the task was read.

    Raises:
        OSError: they cannot be written.
    """
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def changes(folder: Path, files: Mapping[str, bytes], caps: Caps) -> list[Change]:
    """Return what differs between the folder and the ``files`` laid out, sorted by the paths' bytes.

    Raises:
        WorkspaceFault: it cannot be compared; at least one file was touched.
    """
    if folder.is_symlink():
        raise WorkspaceFault("the folder was replaced by a link", touched=1)
    found: list[Change] = []
    seen: set[str] = set()
    room = caps.diff
    for path, status in _entries(folder, caps.entries):
        seen.add(path)
        change = _compare(folder / path, path, status, files.get(path), room)
        if change is not None:
            found.append(change)
            room -= len(change.new or b"")
    found += [Change(path=path, old=files[path], new=None) for path in files.keys() - seen]
    return sorted(found, key=lambda change: os.fsencode(change.path))


def remove(folder: Path) -> None:
    """Remove a folder that a solver wrote into, whatever it did to it.

    Raises:
        OSError: it cannot be removed.
    """
    if _is_removed_at_once(folder):
        return
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        _open_up(folder)
        subprocess.run(["rm", "-rf", "--", folder], check=False, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if folder.exists():
            raise OSError(f"cannot remove {folder}") from None


def _is_removed_at_once(folder: Path) -> bool:
    """Tell whether a folder could be removed, whose own folders hold nothing but files: as most tasks leave it.

    No link is followed, and nothing writes there any more: every process of the solver is gone.
    """
    try:
        with os.scandir(folder) as inner:
            for entry in inner:
                if not entry.is_dir(follow_symlinks=False):
                    return False
                with os.scandir(entry.path) as files:
                    for file in files:
                        os.unlink(file.path)
                os.rmdir(entry.path)
        os.rmdir(folder)
    except OSError:
        return False
    return True


def _compare(target: Path, path: str, status: os.stat_result, old: bytes | None, room: int) -> Change | None:
    if stat.S_ISLNK(status.st_mode):
        return Change(path=path, kind="link", old=old, new=os.fsencode(os.readlink(target)))
    if not stat.S_ISREG(status.st_mode):
        return Change(path=path, kind="special", old=old, new=b"")
    if status.st_size > max(room, len(old or b"")):
        return Change(path=path, kind="special", old=old, new=b"")  # touched, and too large to be shown
    try:
        new = _read(target)
    except OSError as error:
        raise WorkspaceFault(f"{path}: {error.strerror}", touched=1) from None
    return None if new == old else Change(path=path, old=old, new=new)


def _read(path: Path) -> bytes:
    with contextlib.suppress(PermissionError):
        return path.read_bytes()
    path.chmod(0o600)
    return path.read_bytes()


def _entries(folder: Path, most: int) -> Iterator[tuple[str, os.stat_result]]:
    """Yield every entry that is no folder, with its path below ``folder``; links are not followed."""
    waiting = [""]
    count = 0
    while waiting:
        below = waiting.pop()
        try:
            entries = _scan(folder / below)
        except OSError as error:
            raise WorkspaceFault(f"a folder cannot be read: {error.strerror}", touched=max(count, 1)) from None
        for entry in entries:
            count += 1
            if count > most:
                raise WorkspaceFault(f"more than {most} entries", touched=count)
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            else:
                yield path, entry.stat(follow_symlinks=False)


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    with contextlib.suppress(PermissionError), os.scandir(folder) as entries:
        return list(entries)
    folder.chmod(0o700)
    with os.scandir(folder) as entries:
        return list(entries)


def _open_up(folder: Path) -> None:
    """Give every folder back the permissions that its removal takes."""
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        with contextlib.suppress(OSError):
            waiting += [Path(entry.path) for entry in _scan(current) if entry.is_dir(follow_symlinks=False)]
