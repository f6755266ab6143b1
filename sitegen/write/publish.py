"""Build beside the output, then publish in one step.

A staging folder stands beside the output, so that both are on one file system. Files that did not change are hard
links to the published ones, after their bytes were compared. Only when the whole site stands on the disk are the two
folders exchanged; whatever fails before leaves the old site as it was. A lock keeps a second build out.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from sitegen.digests import Listed, sha256
from sitegen.refusals import Refusal, Refused
from sitegen.write.exchange import exchange, sync_file_system, sync_names
from sitegen.write.listing import MARKER, SUMS, is_marker, site_json, sums

_SLUGS = {
    errno.ENOSPC: "output-no-space",
    errno.EDQUOT: "output-no-space",
    errno.EACCES: "output-not-writable",
    errno.EPERM: "output-not-writable",
    errno.EROFS: "output-not-writable",
}


class Publication:
    """One site being written. Use as a context manager; without :meth:`publish` nothing is left behind."""

    def __init__(self, output: Path, inputs: Iterable[Path] = ()) -> None:
        self.output = output.absolute()
        self.written = 0
        self.kept = 0
        self._files: dict[str, Listed] = {}
        self._folders: set[str] = set()
        self._staging = self.output.with_name(f".{self.output.name}.staging-{os.getpid()}")
        self._lock: int | None = None
        _check_overlap(self.output, inputs)
        _check_ours(self.output)

    def __enter__(self) -> Publication:
        try:
            self.output.parent.mkdir(parents=True, exist_ok=True)
            self._lock = self._take_lock()
            self._clean_up()
            self._staging.mkdir()
        except OSError as error:
            self._release()
            raise self._refused(error) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._staging, ignore_errors=True)
        self._release()

    @property
    def listing(self) -> list[Listed]:
        """Every file so far."""
        return list(self._files.values())

    def add(self, path: str, data: bytes) -> None:
        """Add one file at ``path`` below the site's root.

        Raises:
            Refused: it cannot be written.
            ValueError: two files of the site have one path.
        """
        if path in self._files:
            raise ValueError(f"two files of the site are called {path}")
        self._files[path] = Listed(path=path, size=len(data), sha256=sha256(data))
        self._write(path, data)

    def publish(self, facts: Mapping[str, Any]) -> None:
        """Write ``site.json`` with ``facts`` and ``SHA256SUMS``, then put the site in place.

        Raises:
            Refused: ``output-no-space``, ``output-not-writable`` or ``publish-failed``; the old site stays.
        """
        self.add(MARKER, site_json(self.listing, facts))
        self._write(SUMS, sums(self.listing))
        try:
            sync_file_system(self._staging)
            self._switch()
            sync_names(self.output.parent)
        except OSError as error:
            raise self._refused(error, "publish-failed") from None

    def _switch(self) -> None:
        if not self.output.exists():
            self._staging.rename(self.output)
        elif not exchange(self._staging, self.output):
            aside = self.output.with_name(f".{self.output.name}.staging-{os.getpid()}-old")
            self.output.rename(aside)
            try:
                self._staging.rename(self.output)
            except OSError:
                aside.rename(self.output)
                raise
            shutil.rmtree(aside, ignore_errors=True)

    def _write(self, path: str, data: bytes) -> None:
        target = f"{self._staging}/{path}"
        try:
            self._make_folder(path.rpartition("/")[0])
            if self._link_unchanged(path, target, data):
                self.kept += 1
                return
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
            finally:
                os.close(descriptor)
            self.written += 1
        except OSError as error:
            raise self._refused(error) from None

    def _make_folder(self, folder: str) -> None:
        if folder and folder not in self._folders:
            os.makedirs(f"{self._staging}/{folder}", exist_ok=True)
            self._folders.add(folder)

    def _link_unchanged(self, path: str, target: str, data: bytes) -> bool:
        """Link the published file into the new site where it has exactly these bytes."""
        try:
            descriptor = os.open(f"{self.output}/{path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            same = os.fstat(descriptor).st_size == len(data) and _has_bytes(descriptor, data)
        finally:
            os.close(descriptor)
        if same:
            try:
                os.link(f"{self.output}/{path}", target, follow_symlinks=False)
            except OSError:
                return False
        return same

    def _take_lock(self) -> int:
        path = self.output.with_name(f".{self.output.name}.lock")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            expected = "no other build into this folder"
            raise Refused([Refusal(slug="output-busy", file=str(self.output), expected=expected)]) from None
        return descriptor

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _clean_up(self) -> None:
        """Remove what an interrupted build left; the lock is held, so nobody else is at work there."""
        for left in self.output.parent.glob(f".{self.output.name}.staging-*"):
            shutil.rmtree(left, ignore_errors=True)

    def _refused(self, error: OSError, otherwise: str = "output-not-writable") -> Refused:
        slug = _SLUGS.get(error.errno or 0, otherwise)
        return Refused([Refusal(slug=slug, file=str(self.output), found=error.strerror or str(error))])


def _has_bytes(descriptor: int, data: bytes) -> bool:
    at = 0
    while at < len(data):
        part = os.read(descriptor, min(len(data) - at, 1 << 20))
        if not part or data[at : at + len(part)] != part:
            return False
        at += len(part)
    return True


def _check_overlap(output: Path, inputs: Iterable[Path]) -> None:
    place = output.resolve()
    for folder in inputs:
        inside = folder.resolve()
        if place == inside or inside in place.parents or place in inside.parents:
            found = str(folder)
            raise Refused(
                [Refusal(slug="output-overlap", file=str(output), expected="a folder of its own", found=found)]
            )


def _check_ours(output: Path) -> None:
    """Refuse a folder that holds something and was not made by sitegen."""
    if not output.exists() and not output.is_symlink():
        return
    marker = output / MARKER
    ours = output.is_dir() and (not any(output.iterdir()) or (marker.is_file() and is_marker(marker.read_bytes())))
    if not ours:
        expected = "an empty folder, or one with a site.json of ours"
        raise Refused([Refusal(slug="output-not-ours", file=str(output), expected=expected)])
