"""The only reader of input files: each is opened once, and the same bytes are hashed, parsed and published.

No symbolic link is followed in any component, only regular files are read, sizes are capped, and a file's state is
compared before and after reading. Paths are relative to the tree's root and written with ``/``.
"""

from __future__ import annotations

import errno
import os
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from operator import attrgetter, itemgetter
from pathlib import Path
from types import TracebackType

from sitegen.digests import Digest, sha256
from sitegen.read.names import PATH_LIMIT, cannot_open, case_faults, is_component, is_ignored, unsafe
from sitegen.read.source import LARGE, MEBIBYTE, LargeFile, SourceFile, read_open
from sitegen.refusals import Refusal, Refused

__all__ = [
    "DOCUMENT_LIMIT",
    "EVIDENCE_LIMIT",
    "LARGE",
    "MEBIBYTE",
    "LargeFile",
    "SourceFile",
    "Tree",
    "check_path",
    "likely_cause",
]

DOCUMENT_LIMIT = 64 * MEBIBYTE
"""Most bytes of a file that is parsed whole (protocol, manifest, report, event, settings)."""
EVIDENCE_LIMIT = 4096 * MEBIBYTE
"""Most bytes of a dataset, transcripts file or other evidence."""

_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Never through a link, and never waiting for a pipe's other end."""
_by_name = attrgetter("name")
_Files = tuple[int, str, list[str]]
"""Files of one folder: the descriptor of the folder, its path below where a walk began, and their names."""
_NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def check_path(path: str, file: str, where: str = "") -> str:
    """Return ``path`` without a leading ``./``, or refuse one that is not a plain relative path (``path-unsafe``).

    ``file`` and ``where`` name the place that states the path.
    """
    plain = path.removeprefix("./")
    components = plain.split("/")
    if all(part not in (".", "..") and is_component(part) for part in components):
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
            raise _no_folder(root, error.strerror or "it cannot be opened") from None
        except ValueError:
            raise _no_folder(root, "a null byte in its name") from None
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
        return read_open(self._open(path), path, limit)

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
        if "\0" in path:
            return False  # no name holds one, and the system is not even asked
        try:
            os.stat(path, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return False
            raise cannot_open(path, error) from None
        return True

    def folders(self, path: str) -> list[str]:
        """Return the sorted names of the folders in ``path`` (none where it does not exist).

        Raises:
            Refused: ``path-unsafe`` where ``path`` itself is a link or no folder.
        """
        return self.contents(path)[0]

    def contents(self, path: str) -> tuple[list[str], list[str]]:
        """Return :meth:`folders` and, sorted too, the names of what else lies directly in ``path``, links included."""
        folders: list[str] = []
        others: list[str] = []
        for name, is_folder in self._entries(path):
            (folders if is_folder else others).append(name)
        return folders, others

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
        found = sorted(
            f"{below}{last}" for _, below, names in self._files_below(path, without, faults) for last in names
        )
        return found, list(dict.fromkeys([*faults, *case_faults(path, found)]))

    def read_folder(
        self, path: str, limit_of: Callable[[str], int], without: tuple[str, ...] = ()
    ) -> tuple[dict[str, SourceFile], list[Refusal]]:
        """Return every file below ``path`` by its path relative to it, and every fault of listing and of reading.

        Each is opened from its own folder while that is listed. ``limit_of`` gives the most bytes of a file.

        Raises:
            Refused: a folder cannot be listed.
        """
        faults: list[Refusal] = []
        unread: list[tuple[str, tuple[Refusal, ...]]] = []
        found: dict[str, SourceFile] = {}
        again = partial(_open_again, self.root)
        plain = all(map(is_component, path.split("/")))
        for folder, below, names in self._files_below(path, without, faults):
            for last in names:
                name = below + last
                whole = f"{path}/{name}"
                try:
                    if not plain:
                        check_path(whole, whole)
                    found[name] = read_open(_open_in(folder, last, whole), whole, limit_of(name), again)
                except Refused as refused:
                    unread.append((name, refused.refusals))
        ordered = sorted([*found, *(name for name, _ in unread)])
        faults = list(dict.fromkeys([*faults, *case_faults(path, ordered)]))
        faults += [fault for _, reasons in sorted(unread, key=itemgetter(0)) for fault in reasons]
        return {name: found[name] for name in ordered if name in found}, faults

    def everything(self) -> list[str]:
        """Return the path of all that is no folder: links, tools' leavings and names outside the grammar included."""
        found: list[str] = []
        below = [""]
        while below:
            folder = below.pop()
            for name, is_folder in self._entries(folder.rstrip("/"), ignored=True):
                if is_folder:
                    below.append(f"{folder}{name}/")
                else:
                    found.append(f"{folder}{name}")
        return sorted(found, key=os.fsencode)

    def _open(self, path: str) -> int:
        try:
            return self._descend(check_path(path, path))
        except OSError as error:
            raise cannot_open(path, error) from None

    def _files_below(self, top: str, without: tuple[str, ...], faults: list[Refusal]) -> Iterator[_Files]:
        """Yield all files below ``top`` that may be read."""
        descriptor = self._open_folder(top)
        return iter(()) if descriptor is None else _walk(descriptor, top, "", without, faults)

    def _entries(self, path: str, ignored: bool = False) -> list[tuple[str, bool]]:
        """Return (name, whether it is a folder) of all that lies in a folder, sorted; nothing where it does not exist.

        One that cannot be read is refused.
        """
        descriptor = self._open_folder(path)
        if descriptor is None:
            return []
        try:  # an entry may have to ask the system what it is, and does so by the open folder
            return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in _scan(descriptor, path, ignored)]
        except OSError as error:
            raise cannot_open(path, error) from None
        finally:
            os.close(descriptor)

    def _open_folder(self, path: str) -> int | None:
        """Open a folder; ``None`` where it does not exist. One that cannot be opened is refused."""
        try:
            return self._descend(path, os.O_DIRECTORY) if path else os.dup(self._descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise cannot_open(path, error) from None

    def _descend(self, path: str, extra: int = 0) -> int:
        """Open ``path`` component by component, so that no link is followed anywhere."""
        held, start = self._held
        start, below = (start, path[len(held) :]) if path.startswith(held) else (self._descriptor, path)
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


_CHANGES: Mapping[str, Callable[[bytes], bytes]] = {
    "line endings (the LF form of this file": lambda data: data.replace(b"\r\n", b"\n"),
    "line endings (the CRLF form of this file": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "a byte-order mark was added (without it the file": lambda data: data.removeprefix(BOM_UTF8),
    "a byte-order mark was removed (with it the file": lambda data: BOM_UTF8 + data,
    "the last line feed is gone (with it the file": lambda data: data + b"\n",
    "a line feed was added at the end (without it the file": lambda data: data.removesuffix(b"\n"),
}
"""Common changes of a file's bytes, in words that a bracket ends, each with what undoes it."""


def likely_cause(source: SourceFile, expected: Digest) -> str | None:
    """Return what probably happened to a file where a common change of bytes would give the ``expected`` digest.

    Of a large file nothing is guessed: it would have to be brought into memory.
    """
    if isinstance(source, LargeFile):
        return None
    for change, undo in _CHANGES.items():  # one after the other: each makes a copy of the file
        before = undo(source.data)
        if before != source.data and sha256(before) == expected:
            return f"{change} has the expected digest)"
    return None


def _walk(descriptor: int, top: str, below: str, without: tuple[str, ...], faults: list[Refusal]) -> Iterator[_Files]:
    """Yield every regular file, those before a folder before what is in it, and add to ``faults``.

    Args:
        descriptor: of the open folder; it is closed in the end.
        top: path of the folder where the walk began, for messages.
        below: path of this folder below it, empty or ending in ``/``.
        without: folders below ``top`` that are not entered, each ending in ``/``.
        faults: gets ``path-unsafe`` for a link, a special file, or a name outside the grammar.

    Raises:
        Refused: a folder cannot be opened or listed.
    """
    files: list[str] = []
    try:
        for entry in _scan(descriptor, f"{top}/{below}".strip("/")):
            last = entry.name
            if not is_component(last):
                faults.append(unsafe(f"{top}/{below}{last}", "a plain name", last))
            elif len(below) + len(last) > PATH_LIMIT:
                name = f"{below}{last}"
                expected = f"a path of at most {PATH_LIMIT} bytes"
                faults.append(unsafe(f"{top}/{name[:PATH_LIMIT]}…", expected, f"{len(name)} bytes"))
            elif entry.is_file(follow_symlinks=False):
                files.append(last)
            elif entry.is_dir(follow_symlinks=False):
                name = f"{below}{last}/"
                if name not in without:
                    yield descriptor, below, files
                    files = []
                    deeper = _open_in(descriptor, last, f"{top}/{name}".strip("/"), os.O_DIRECTORY)
                    yield from _walk(deeper, top, name, without, faults)
            else:
                faults.append(unsafe(f"{top}/{below}{last}", "a regular file", "a link or special file"))
        yield descriptor, below, files
    finally:
        os.close(descriptor)


def _scan(descriptor: int, path: str, ignored: bool = False) -> list[os.DirEntry[str]]:
    """Return what lies in an open folder, sorted; tools' leavings too where ``ignored`` are asked for."""
    try:
        with os.scandir(descriptor) as entries:
            return sorted([entry for entry in entries if ignored or not is_ignored(entry.name)], key=_by_name)
    except OSError as error:
        raise cannot_open(path, error) from None


def _open_in(folder: int, name: str, path: str, extra: int = 0) -> int:
    """Open what lies in an open folder; a refusal names it by ``path``."""
    try:
        return os.open(name, _OPEN_FLAGS | extra, dir_fd=folder)
    except OSError as error:
        raise cannot_open(path, error) from None


def _open_again(root: Path, path: str) -> int:
    with Tree(root) as tree:
        return tree._open(path)


def _no_folder(root: Path, found: str) -> Refused:
    return Refused([Refusal(slug="file-missing", file=str(root), expected="a folder", found=found)])
