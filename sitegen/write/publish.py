"""Build beside the output, then publish in one step.

A staging folder stands beside the output, so that both are on one file system. Files that did not change are hard
links to the published ones: their bytes were compared, or nobody touched them since they were published. Only when
the whole site stands on the disk are the two folders exchanged (:mod:`sitegen.write.switch`); whatever fails before
leaves the old site as it was. A lock keeps a second build out.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from sitegen.digests import Listed
from sitegen.refusals import Refusal, Refused
from sitegen.write.exchange import sync_file_system, sync_names
from sitegen.write.folders import remove
from sitegen.write.listing import MARKER, SUMS, Block, blocks_of, is_marker, site_json, sums
from sitegen.write.staging import Staging
from sitegen.write.switch import beside, put_in_place, remove_stale, resolved, staging_folder, stale, true_output

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
        self._blocks: dict[str, Block] = {}
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
    def blocks(self) -> list[Block]:
        """The entries of every file so far."""
        return list(self._blocks.values())

    def add(self, path: str, data: bytes) -> None:
        """Add one file at ``path`` below the site's root.

        Raises:
            Refused: it cannot be written.
            ValueError: two files of the site have one path.
        """
        self._take_one(path, lambda: self.staging.add(path, data))

    def add_parts(self, path: str, parts: Iterable[bytes]) -> None:
        """Add one file that is given in parts, since it may be large.

        Raises:
            Refused: it cannot be written.
            ValueError: two files of the site have one path.
        """
        self._take_one(path, lambda: self.staging.add_parts(path, parts))

    def _take_one(self, path: str, write: Callable[[], Listed]) -> None:
        if path in self._blocks:
            raise ValueError(f"two files of the site are called {path}")
        try:
            self.take(blocks_of([write()]))
        except OSError as error:
            raise self.refused(error) from None

    def take(self, blocks: Iterable[Block]) -> None:
        """Take files into the list that stand in the staging folder already, or will when the site is published.

        Raises:
            ValueError: two folders or files of the site have one path.
        """
        for block in blocks:
            if block.path in self._blocks:
                raise ValueError(f"two files of the site are called {block.path}")
            self._blocks[block.path] = block

    def publish(self, facts: Mapping[str, Any]) -> int:
        """Write ``site.json`` with ``facts`` and ``SHA256SUMS``, put the site in place; return how many files it has.

        Raises:
            Refused: ``output-no-space``, ``output-not-writable`` or ``publish-failed``; the old site stays.
        """
        self.add_parts(MARKER, site_json(self.blocks, facts))
        self.add_parts(SUMS, sums(self.blocks))
        try:
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
        return sum(block.count for block in self._blocks.values())

    def clear_below(self, paths: Iterable[str]) -> None:
        """Remove of what stands beside the output only what is at ``paths``: several processes may share the work."""
        for place in stale(self.output):
            for path in paths:
                remove(f"{place}/{path}")

    def clear(self) -> None:
        """Remove what stands beside the output: the staging folder and, after publishing, the site before."""
        with contextlib.suppress(OSError):
            remove_stale(self.output)

    def refused(self, error: OSError, otherwise: str = "output-not-writable") -> Refused:
        """Return what the system said as a refusal of the environment."""
        slug = _SLUGS.get(error.errno or 0, otherwise)
        return Refused([Refusal(slug=slug, file=str(self.output), found=error.strerror or str(error))])

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


def _check_overlap(output: Path, inputs: Iterable[Path]) -> None:
    place = resolved(output)
    for folder in inputs:
        inside = resolved(folder)
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
    ours = output.is_dir() and (not any(output.iterdir()) or is_marker(marker))
    if not ours:
        expected = "an empty folder, or one with a site.json of ours"
        raise Refused([Refusal(slug="output-not-ours", file=str(output), expected=expected)])
