"""Build beside the output, then publish in one step.

A staging folder stands beside the output, so that both are on one file system. Files that did not change are hard
links to the published ones, after their bytes were compared. Only when the whole site stands on the disk are the two
folders exchanged (:mod:`sitegen.write.switch`); whatever fails before leaves the old site as it was. A lock keeps a
second build out.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from sitegen.digests import Listed
from sitegen.refusals import Refusal, Refused
from sitegen.write.exchange import sync_file_system, sync_names
from sitegen.write.listing import MARKER, SUMS, is_marker, site_json, sums
from sitegen.write.staging import Staging
from sitegen.write.switch import beside, put_in_place, remove_stale, staging_folder, true_output

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
        _check_overlap(output, inputs)
        _check_ours(output)
        self.output = true_output(output)
        self.staging = Staging(str(staging_folder(self.output)), str(self.output))
        self._files: dict[str, Listed] = {}
        self._lock: int | None = None

    def __enter__(self) -> Publication:
        try:
            self.output.parent.mkdir(parents=True, exist_ok=True)
            self._lock = self._take_lock()
            remove_stale(self.output)
            Path(self.staging.folder).mkdir()
        except OSError as error:
            self._release()
            raise self.refused(error) from None
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()
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
        self._check_free(path)
        try:
            self.take([self.staging.add(path, data)])
        except OSError as error:
            raise self.refused(error) from None

    def take(self, files: Iterable[Listed]) -> None:
        """Take files into the list that stand in the staging folder already.

        Raises:
            ValueError: two files of the site have one path.
        """
        for file in files:
            self._check_free(file.path)
            self._files[file.path] = file

    def keep(self, files: Iterable[Listed]) -> None:
        """Take files that the published site is known to hold, and link them.

        Raises:
            Refused: one cannot be linked; somebody changed the published site meanwhile.
        """
        try:
            for file in files:
                self.staging.link(file.path)
                self.take([file])
        except OSError as error:
            raise self.refused(error) from None

    def publish(self, facts: Mapping[str, Any]) -> list[Listed]:
        """Write ``site.json`` with ``facts`` and ``SHA256SUMS``, then put the site in place; return all its files.

        Raises:
            Refused: ``output-no-space``, ``output-not-writable`` or ``publish-failed``; the old site stays.
        """
        self.add(MARKER, site_json(self.listing, facts))
        try:
            self.take([self.staging.add(SUMS, sums(self.listing))])
            sync_file_system(Path(self.staging.folder))
            _check_ours(self.output)  # again: what was put there meanwhile is not ours to replace
            put_in_place(Path(self.staging.folder), self.output)
        except OSError as error:
            raise self.refused(error, "publish-failed") from None
        try:
            sync_names(self.output.parent)
        except OSError as error:
            found = f"the new site stands there, but may not survive a crash: {error.strerror or error}"
            raise Refused([Refusal(slug="publish-failed", file=str(self.output), found=found)]) from None
        return self.listing

    def clear(self) -> None:
        """Remove what stands beside the output: the staging folder and, after publishing, the site before."""
        with contextlib.suppress(OSError):
            remove_stale(self.output)

    def refused(self, error: OSError, otherwise: str = "output-not-writable") -> Refused:
        """Return what the system said as a refusal of the environment."""
        slug = _SLUGS.get(error.errno or 0, otherwise)
        return Refused([Refusal(slug=slug, file=str(self.output), found=error.strerror or str(error))])

    def _check_free(self, path: str) -> None:
        if path in self._files:
            raise ValueError(f"two files of the site are called {path}")

    def _take_lock(self) -> int:
        path = beside(self.output, "lock")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
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


def files_below(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield path and status of everything below ``folder`` that is no folder itself; nothing where there is none."""
    below = [""]
    while below:
        prefix = below.pop()
        try:
            entries = os.scandir(f"{folder}/{prefix}")
        except OSError:
            continue
        with entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    below.append(f"{prefix}{entry.name}/")
                else:
                    yield f"{prefix}{entry.name}", entry.stat(follow_symlinks=False)


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
