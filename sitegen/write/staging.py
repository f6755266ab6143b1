"""Write one site's files into a folder of their own; a file that did not change is linked to the published one."""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import os
from collections.abc import Iterable

from sitegen.digests import Listed, sha256
from sitegen.write.folders import link_below, link_file

_MOST_KNOWN = 4096
"""Folders that are remembered: those of a few protocols. A large site has more than should be held."""


class Staging:
    """A folder that a site is written into, beside the published site ``old`` (which need not exist).

    Several processes may write into one staging folder, each with a :class:`Staging` of its own.
    """

    def __init__(self, folder: str, old: str) -> None:
        self.folder = folder
        self.old = old
        self.written = 0
        self.kept = 0
        self._made: set[str] = set()
        self._published: dict[str, bool] = {}

    def add(self, path: str, data: bytes) -> Listed:
        """Write one file at ``path`` below the site's root and return its entry in the list.

        Raises:
            OSError: it cannot be written.
        """
        folder = path.rpartition("/")[0]
        self._make(folder)
        if self._was_published(folder) and self._link_unchanged(path, data):
            self.kept += 1
        else:
            self._write(path, data)
            self.written += 1
        return Listed(path=path, size=len(data), sha256=sha256(data))

    def add_parts(self, path: str, parts: Iterable[bytes]) -> Listed:
        """Write one file that is given in parts, since it may be large, and return its entry in the list.

        Raises:
            OSError: it cannot be written.
        """
        folder = path.rpartition("/")[0]
        self._make(folder)
        size, digest, target = 0, hashlib.sha256(), f"{self.folder}/{path}"
        descriptor = self._create(path)
        try:
            for part in parts:
                _write_all(descriptor, part)
                digest.update(part)
                size += len(part)
        finally:
            os.close(descriptor)
        published = f"{self.old}/{path}"
        if _is_plain(published) and filecmp.cmp(published, target, shallow=False):
            os.unlink(target)
            link_file(published, target)
            self.kept += 1
        else:
            self.written += 1
        return Listed(path=path, size=size, sha256=digest.hexdigest())

    def link(self, path: str) -> None:
        """Link what is published at ``path``, a file or a folder with all below it, whatever it holds.

        Nothing is done where nothing is published there.

        Raises:
            OSError: it can be neither linked nor copied.
        """
        published, target = f"{self.old}/{path}", f"{self.folder}/{path}"
        if os.path.isdir(published):
            self._make(path.rpartition("/")[0])
            self.kept += link_below(published, target)
        elif os.path.isfile(published):
            self._make(path.rpartition("/")[0])
            link_file(published, target)
            self.kept += 1

    def _make(self, folder: str) -> None:
        """Make a folder below the site's root, and those above it; another process may have made it."""
        if not folder or folder in self._made:
            return
        self._make(folder.rpartition("/")[0])
        with contextlib.suppress(FileExistsError):
            os.mkdir(f"{self.folder}/{folder}")
        if len(self._made) >= _MOST_KNOWN:
            self._made.clear()
        self._made.add(folder)

    def _was_published(self, folder: str) -> bool:
        """Tell whether the published site has this folder: without it, no file in it need be looked for."""
        found = self._published.get(folder)
        if found is None:
            above = self._was_published(folder.rpartition("/")[0]) if folder else True
            if len(self._published) >= _MOST_KNOWN:
                self._published.clear()
            found = self._published[folder] = above and os.path.isdir(f"{self.old}/{folder}")
        return found

    def _write(self, path: str, data: bytes) -> None:
        descriptor = self._create(path)
        try:
            _write_all(descriptor, data)
        finally:
            os.close(descriptor)

    def _create(self, path: str) -> int:
        return os.open(f"{self.folder}/{path}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)

    def _link_unchanged(self, path: str, data: bytes) -> bool:
        """Link the published file into the new site where it has exactly these bytes."""
        published = f"{self.old}/{path}"
        try:
            descriptor = os.open(published, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            if os.fstat(descriptor).st_size != len(data) or not _has_bytes(descriptor, data):
                return False
        finally:
            os.close(descriptor)
        try:
            os.link(published, f"{self.folder}/{path}", follow_symlinks=False)
        except OSError:
            return False  # another file system, or one without links: write it
        return True


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _is_plain(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)


def _has_bytes(descriptor: int, data: bytes) -> bool:
    at = 0
    while at < len(data):
        part = os.read(descriptor, min(len(data) - at, 1 << 20))
        if not part or data[at : at + len(part)] != part:
            return False
        at += len(part)
    return True
