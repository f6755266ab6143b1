"""Walk, link and remove the files of a published site: as few and as short calls as can be, for hundreds of thousands.

No symbolic link is followed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def states_below(folder: str, passed_by: frozenset[str] = frozenset()) -> Iterator[tuple[str, os.stat_result]]:
    """Yield path and status of everything below ``folder`` that is no folder itself; nothing where there is none.

    Args:
        folder: where to begin.
        passed_by: paths of folders and files below it that are left out, with all that is below them.
    """
    below = [""]
    while below:
        prefix = below.pop()
        try:
            entries = os.scandir(f"{folder}/{prefix}")
        except OSError:
            continue
        with entries:
            for entry in entries:
                path = f"{prefix}{entry.name}"
                if path in passed_by:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    below.append(f"{path}/")
                else:
                    yield path, entry.stat(follow_symlinks=False)


def link_file(source: str, target: str) -> None:
    """Link one file, or copy it where there are no links.

    Raises:
        OSError: it can be neither linked nor copied.
    """
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copyfile(source, target, follow_symlinks=False)


def link_below(source: str, target: str) -> int:
    """Link everything below the folder ``source`` into the new folder ``target``; return how many files that are.

    Raises:
        OSError: ``source`` is not there, ``target`` is, or a file can be neither linked nor copied.
    """
    os.mkdir(target)
    number = 0
    old = os.open(source, _FOLDER)
    try:
        new = os.open(target, _FOLDER)
        try:
            with os.scandir(old) as entries:
                for entry in entries:
                    name = entry.name
                    if entry.is_dir(follow_symlinks=False):
                        number += link_below(f"{source}/{name}", f"{target}/{name}")
                        continue
                    try:
                        os.link(name, name, src_dir_fd=old, dst_dir_fd=new, follow_symlinks=False)
                    except OSError:  # another file system, or one without links
                        shutil.copyfile(f"{source}/{name}", f"{target}/{name}", follow_symlinks=False)
                    number += 1
        finally:
            os.close(new)
    finally:
        os.close(old)
    return number


def remove(path: str) -> None:
    """Remove a file, a link, or a folder with all that is below it, as far as that is possible."""
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            _remove_all(path)
        else:
            os.unlink(path)
    except FileNotFoundError:
        return
    except OSError:
        shutil.rmtree(path, ignore_errors=True)  # it goes on where this stopped


def _remove_all(folder: str) -> None:
    descriptor = os.open(folder, _FOLDER)
    try:
        with os.scandir(descriptor) as entries:
            for entry in list(entries):
                if entry.is_dir(follow_symlinks=False):
                    _remove_all(f"{folder}/{entry.name}")
                else:
                    os.unlink(entry.name, dir_fd=descriptor)
    finally:
        os.close(descriptor)
    os.rmdir(folder)
