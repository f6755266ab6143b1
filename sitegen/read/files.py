"""The only reader of input files: each is opened once, and the same bytes are hashed, parsed and published.

No symbolic link is followed in any component, only regular files are read, sizes are capped, and a file's state is
compared before and after reading. Paths are relative to the tree's root and written with ``/``.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from sitegen.digests import Digest, sha256
from sitegen.refusals import Refusal, Refused

MEBIBYTE = 1 << 20
DOCUMENT_LIMIT = 64 * MEBIBYTE
"""Most bytes of a file that is parsed whole (protocol, manifest, report, event, settings)."""
EVIDENCE_LIMIT = 4096 * MEBIBYTE
"""Most bytes of a dataset, transcripts file or other evidence."""
PATH_LIMIT = 512
"""Most bytes of a path below its protocol's or run's folder; it bounds how deep folders may lie too."""

_COMPONENT = re.compile(r"(?!-)[A-Za-z0-9_.+@=-]{1,128}")
_IGNORED = re.compile(r"__pycache__|\.DS_Store|.*~|\.#.*|#.*#|\..*\.sw[a-p]")
_NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file as it was read: its path below the tree's root, its bytes and their digest."""

    path: str
    data: bytes = field(repr=False)
    sha256: Digest


def is_ignored(name: str) -> bool:
    """Tell whether a file or folder of this name is a tool's leaving (caches, editors' backups) and no input."""
    return _IGNORED.fullmatch(name) is not None


def check_path(path: str, file: str, where: str = "") -> str:
    """Return ``path`` without a leading ``./``, or refuse one that is not a plain relative path (``path-unsafe``).

    ``file`` and ``where`` name the place that states the path.
    """
    plain = path.removeprefix("./")
    components = plain.split("/")
    if all(part not in (".", "..") and _COMPONENT.fullmatch(part) for part in components):
        return plain
    found = Refusal(slug="path-unsafe", file=file, path=where, expected="a plain relative path", found=path)
    raise Refused([found])


class Tree:
    """One folder of inputs. Use as a context manager; all reading is relative to the root's open descriptor."""

    def __init__(self, root: Path) -> None:
        self.root = root
        try:
            self._descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            found = error.strerror or "it cannot be opened"
            raise Refused([Refusal(slug="file-missing", file=str(root), expected="a folder", found=found)]) from None
        self._held = ("", self._descriptor)

    def __enter__(self) -> Tree:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def read(self, path: str, limit: int = EVIDENCE_LIMIT) -> SourceFile:
        """Return the file at ``path``.

        Raises:
            Refused: ``path-unsafe``, ``file-missing``, ``file-too-large`` or ``file-changed``.
        """
        descriptor = self._open(check_path(path, path))
        try:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise _refused("path-unsafe", path, "a regular file", "something else")
            if before.st_size > limit:
                raise _refused("file-too-large", path, f"at most {limit} bytes", f"{before.st_size} bytes")
            data = _read_all(descriptor, before.st_size)
            after = os.fstat(descriptor)
        except OSError as error:
            raise _refused("file-missing", path, "a readable file", error.strerror or "an error") from None
        finally:
            os.close(descriptor)
        if _state(before) != _state(after) or len(data) != before.st_size:
            raise _refused("file-changed", path, "the same file before and after reading", "a change")
        return SourceFile(path=path, data=data, sha256=sha256(data))

    @contextmanager
    def holding(self, folder: str) -> Iterator[None]:
        """Keep ``folder`` open for a while: what is read below it is opened from there and not from the root again."""
        try:
            descriptor = self._descend(folder, os.O_DIRECTORY)
        except OSError:
            yield  # whoever reads there is told why
            return
        before, self._held = self._held, (f"{folder}/", descriptor)
        try:
            yield
        finally:
            self._held = before
            os.close(descriptor)

    def exists(self, path: str) -> bool:
        """Tell whether something stands at ``path``, a link included.

        Raises:
            Refused: ``file-missing`` where the system will not say.
        """
        try:
            os.stat(path, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return False
            raise _cannot_open(path, error) from None
        return True

    def folders(self, path: str) -> list[str]:
        """Return the sorted names of the folders in ``path`` (none where it does not exist).

        Raises:
            Refused: ``path-unsafe`` where ``path`` itself is a link or no folder.
        """
        return [entry.name for entry in self._entries(path) if entry.is_dir(follow_symlinks=False)]

    def plain_files(self, path: str) -> list[str]:
        """Return the sorted names of what lies directly in ``path`` and is no folder, links included."""
        return [entry.name for entry in self._entries(path) if not entry.is_dir(follow_symlinks=False)]

    def files(self, path: str, without: tuple[str, ...] = ()) -> list[str]:
        """Return every file below ``path``, as :meth:`listing`.

        Raises:
            Refused: every fault of the listing.
        """
        found, faults = self.listing(path, without)
        if faults:
            raise Refused(faults)
        return found

    def listing(self, path: str, without: tuple[str, ...] = ()) -> tuple[list[str], list[Refusal]]:
        """Return every file below ``path``, relative to it, sorted by UTF-8 bytes, and what may not be read there.

        Ignored names are left out, and folders that ``without`` names (``logs/``) are not entered. A fault is
        ``path-unsafe``: a link, a special file, a name outside the grammar, or two names that differ in case only.
        """
        faults: list[Refusal] = []
        found = sorted(self._walk(path, "", without, faults), key=str.encode)
        folded: dict[str, str] = {}
        for name in found:
            parts = name.split("/")
            for size in range(1, len(parts) + 1):
                plain = "/".join(parts[:size])
                other = folded.setdefault(plain.casefold(), plain)
                if other != plain:
                    faults.append(_refusal("path-unsafe", f"{path}/{plain}", "another name than", other))
        return found, list(dict.fromkeys(faults))

    def everything(self) -> list[str]:
        """Return the path of all that is no folder: links, tools' leavings and names outside the grammar included."""
        found: list[str] = []
        below = [""]
        while below:
            folder = below.pop()
            for entry in self._entries(folder.rstrip("/"), ignored=True):
                if entry.is_dir(follow_symlinks=False):
                    below.append(f"{folder}{entry.name}/")
                else:
                    found.append(f"{folder}{entry.name}")
        return sorted(found, key=os.fsencode)

    def _walk(self, top: str, below: str, without: tuple[str, ...], faults: list[Refusal]) -> Iterator[str]:
        for entry in self._entries(f"{top}/{below}".strip("/")):
            name = f"{below}{entry.name}"
            if not _COMPONENT.fullmatch(entry.name):
                faults.append(_refusal("path-unsafe", f"{top}/{name}", "a plain name", entry.name))
            elif len(name) > PATH_LIMIT:
                expected = f"a path of at most {PATH_LIMIT} bytes"
                faults.append(_refusal("path-unsafe", f"{top}/{name[:PATH_LIMIT]}…", expected, f"{len(name)} bytes"))
            elif entry.is_dir(follow_symlinks=False):
                if f"{name}/" not in without:
                    yield from self._walk(top, f"{name}/", without, faults)
            elif entry.is_file(follow_symlinks=False):
                yield name
            else:
                faults.append(_refusal("path-unsafe", f"{top}/{name}", "a regular file", "a link or special file"))

    def _entries(self, path: str, ignored: bool = False) -> list[os.DirEntry[str]]:
        """Return what lies in a folder, sorted; nothing where it does not exist. One that cannot be read is refused."""
        try:
            descriptor = self._descend(path, os.O_DIRECTORY) if path else os.dup(self._descriptor)
            try:
                with os.scandir(descriptor) as entries:
                    found = [entry for entry in entries if ignored or not is_ignored(entry.name)]
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _cannot_open(path, error) from None
        return sorted(found, key=lambda entry: os.fsencode(entry.name))

    def _open(self, path: str) -> int:
        try:
            return self._descend(path)
        except OSError as error:
            raise _cannot_open(path, error) from None

    def _descend(self, path: str, extra: int = 0) -> int:
        """Open ``path`` component by component, so that no link is followed anywhere."""
        held, start = self._held
        inside = held != "" and path.startswith(held)
        start, below = (start, path[len(held) :]) if inside else (self._descriptor, path)
        *parents, last = below.split("/")
        descriptor = start
        try:
            for part in parents:
                deeper = os.open(part, _OPEN_FLAGS | os.O_DIRECTORY, dir_fd=descriptor)
                if descriptor != start:
                    os.close(descriptor)
                descriptor = deeper
            return os.open(last, _OPEN_FLAGS | extra, dir_fd=descriptor)
        finally:
            if descriptor != start:
                os.close(descriptor)


def likely_cause(data: bytes, expected: Digest) -> str | None:
    """Return what probably happened to ``data`` where a common change of bytes would give the ``expected`` digest."""
    plain = data.replace(b"\r\n", b"\n")
    variants = {
        "line endings (the LF form of this file has the expected digest)": plain,
        "line endings (the CRLF form of this file has the expected digest)": plain.replace(b"\n", b"\r\n"),
        "a byte-order mark was added (without it the file has the expected digest)": data.removeprefix(b"\xef\xbb\xbf"),
        "a byte-order mark was removed (with it the file has the expected digest)": b"\xef\xbb\xbf" + data,
        "the last line feed is gone (with it the file has the expected digest)": data + b"\n",
        "a line feed was added at the end (without it the file has the expected digest)": data.removesuffix(b"\n"),
    }
    return next((cause for cause, bytes_ in variants.items() if bytes_ != data and sha256(bytes_) == expected), None)


def _cannot_open(path: str, error: OSError) -> Refused:
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
        return _refused("path-unsafe", path, "no symbolic link and no special file", error.strerror or "")
    return _refused("file-missing", path, "a file that can be read", error.strerror or "")


def _read_all(descriptor: int, size: int) -> bytes:
    first = os.read(descriptor, size + 1)
    if len(first) >= size:
        return first
    parts = [first]
    while part := os.read(descriptor, MEBIBYTE):
        parts.append(part)
    return b"".join(parts)


def _state(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _refusal(slug: str, file: str, expected: str, found: str) -> Refusal:
    return Refusal(slug=slug, file=file, expected=expected, found=found)


def _refused(slug: str, file: str, expected: str, found: str) -> Refused:
    return Refused([_refusal(slug, file, expected, found)])
