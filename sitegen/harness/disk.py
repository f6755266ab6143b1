"""The only place where the harness writes files of a site: whole, in place at once, and on the disk before it goes on.

A run's transcripts are appended instead (:mod:`sitegen.harness.rows`), and its logs are no evidence.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def write_file(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``: readers see the old file or the new one, and after return it is on the disk.

    Raises:
        OSError: it cannot be written.
    """
    write_parts(path, (data,))


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Write ``parts`` as they come into one file, as :func:`write_file` does; when they raise, nothing is written.

    Each process writes under a name of its own, so that of two that write one file the last to end has it whole.

    Raises:
        OSError: it cannot be written.
    """
    make_folder(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial~")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:  # an interrupt too may leave nothing behind
        partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Make ``folder`` and what is missing above it; the new names are on the disk after return.

    Raises:
        OSError: it cannot be made.
    """
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in ``folder`` survive a crash."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
