"""Put a finished folder in the place of another in one step of the system."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a build over an equal site exchanges nothing
    import ctypes

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2
_NOT_HAD = frozenset((errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP))


def exchange(first: Path, second: Path) -> bool:
    """Exchange two folders of one file system at once; ``False`` where the system cannot.

    Raises:
        OSError: the system can, but it failed; both are as they were.
    """
    call = _system_call()
    if call is None or call(os.fsencode(first), os.fsencode(second)) == 0:
        return call is not None
    error = _last_error(second)
    if error.errno in _NOT_HAD:
        return False
    raise error


def sync_file_system(folder: Path) -> None:
    """Make everything that was written to the folder's file system survive a crash."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        syncfs = getattr(_libc(), "syncfs", None)
        if syncfs is None:
            os.sync()
        elif syncfs(descriptor) != 0:
            raise _last_error(folder)
    finally:
        os.close(descriptor)


def sync_names(folder: Path) -> None:
    """Make the names in ``folder`` survive a crash."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _last_error(path: Path) -> OSError:
    import ctypes

    code = ctypes.get_errno()
    return OSError(code, os.strerror(code), str(path))


def _libc() -> ctypes.CDLL:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _system_call() -> Callable[[bytes, bytes], int] | None:
    libc = _libc()
    if sys.platform.startswith("linux") and hasattr(libc, "renameat2"):
        return lambda first, second: int(libc.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, _RENAME_EXCHANGE))
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        return lambda first, second: int(libc.renamex_np(first, second, _RENAME_SWAP))
    return None
