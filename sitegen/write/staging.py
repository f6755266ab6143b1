"""Write one site's files into a folder of their own; a file that did not change is linked to the published one."""

from __future__ import annotations

import os
import shutil

from sitegen.digests import Listed, sha256


class Staging:
    """A folder that a site is written into, beside the published site ``old`` (which need not exist).

    Several processes may write into one staging folder, each with a :class:`Staging` of its own.
    """

    def __init__(self, folder: str, old: str) -> None:
        self.folder = folder
        self.old = old
        self.written = 0
        self.kept = 0
        self._folders: set[str] = set()

    def add(self, path: str, data: bytes) -> Listed:
        """Write one file at ``path`` below the site's root and return its entry in the list.

        Raises:
            OSError: it cannot be written.
        """
        self._make_folder(path)
        if self._link_unchanged(path, data):
            self.kept += 1
        else:
            self._write(path, data)
            self.written += 1
        return Listed(path=path, size=len(data), sha256=sha256(data))

    def link(self, path: str) -> None:
        """Link the published file at ``path``, whatever it holds, or copy it where there are no links.

        Raises:
            OSError: it is not there, or can be neither linked nor copied.
        """
        self._make_folder(path)
        published, target = f"{self.old}/{path}", f"{self.folder}/{path}"
        try:
            os.link(published, target, follow_symlinks=False)
        except OSError:
            shutil.copyfile(published, target, follow_symlinks=False)
        self.kept += 1

    def _make_folder(self, path: str) -> None:
        folder = path.rpartition("/")[0]
        if folder and folder not in self._folders:
            os.makedirs(f"{self.folder}/{folder}", exist_ok=True)
            self._folders.add(folder)

    def _write(self, path: str, data: bytes) -> None:
        descriptor = os.open(f"{self.folder}/{path}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)

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


def _has_bytes(descriptor: int, data: bytes) -> bool:
    at = 0
    while at < len(data):
        part = os.read(descriptor, min(len(data) - at, 1 << 20))
        if not part or data[at : at + len(part)] != part:
            return False
        at += len(part)
    return True
