"""A file as it was read: its bytes, or for a large one how to read them again, and their digest."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial

from sitegen.digests import Digest
from sitegen.refusals import Refusal, Refused

MEBIBYTE = 1 << 20
LARGE = 16 * MEBIBYTE
"""A larger file of a folder is not kept in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file as it was read: its path below the tree's root, its bytes and their digest."""

    path: str
    data: bytes = field(repr=False)
    sha256: Digest

    @property
    def size(self) -> int:
        """Number of its bytes."""
        return len(self.data)

    def pieces(self) -> Iterator[bytes]:
        """Yield all bytes."""
        yield self.data


class LargeFile(SourceFile):
    """A large file: hashed when it was first read, and read again a piece at a time where it is needed.

    What is read again must have the same digest, or it is refused: so these are the bytes that were hashed. ``data``
    brings all of them into memory, and is for those who cannot do with less.
    """

    __slots__ = ("_open", "_size")

    _open: Callable[[], int]
    _size: int

    def __init__(self, *, path: str, sha256: Digest, size: int, open_: Callable[[], int]) -> None:
        values = {"path": path, "sha256": sha256, "_size": size, "_open": open_}
        for name, value in values.items():
            object.__setattr__(self, name, value)  # frozen, as every source is

    @property
    def size(self) -> int:
        """Number of its bytes."""
        return self._size

    @property
    def data(self) -> bytes:
        """All bytes.

        Raises:
            Refused: as :meth:`pieces`.
        """
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """Yield all bytes, a few at a time. What was made of them counts only when the last one was given.

        Raises:
            Refused: ``file-changed`` in the end, or ``file-missing``.
        """
        digest = hashlib.sha256()
        descriptor = _Descriptor(self._open())
        try:
            for piece in _pieces(descriptor.number):
                digest.update(piece)
                yield piece
        except OSError as error:
            raise _unreadable(self.path, error) from None
        if digest.hexdigest() != self.sha256:
            raise _changed(self.path)

    def part(self, offset: int, size: int, digest: bytes) -> bytes:
        """Return ``size`` bytes from ``offset`` on, whose sha256 is ``digest``.

        Raises:
            Refused: ``file-changed`` or ``file-missing``.
        """
        try:
            data = os.pread(_descriptor_of(self).number, size, offset)
        except OSError as error:
            raise _unreadable(self.path, error) from None
        if hashlib.sha256(data).digest() != digest:
            raise _changed(self.path)
        return data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LargeFile) and (self.path, self.sha256) == (other.path, other.sha256)

    def __hash__(self) -> int:
        return hash((self.path, self.sha256))


class _Descriptor:
    """An open file's descriptor, closed when nobody needs it any more."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.close(self.number)


@lru_cache(maxsize=1)  # many rows are read one after the other, but from one file
def _descriptor_of(source: LargeFile) -> _Descriptor:
    return _Descriptor(source._open())


def read_open(descriptor: int, path: str, limit: int, again: Callable[[str], int] | None = None) -> SourceFile:
    """Return an open file, and close it. A large one is not kept in memory where its path can be opened ``again``.

    Raises:
        Refused: ``path-unsafe``, ``file-missing``, ``file-too-large`` or ``file-changed``.
    """
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise _refused("path-unsafe", path, "a regular file", "something else")
        size = before.st_size
        if size > limit:
            raise _refused("file-too-large", path, f"at most {limit} bytes", f"{size} bytes")
        if again is not None and size > LARGE:
            source: SourceFile = _large(descriptor, path, partial(again, path))
            read = source.size
        else:
            data = _read_all(descriptor, size)
            source = SourceFile(path=path, data=data, sha256=hashlib.sha256(data).hexdigest())
            read = len(data)
        after = os.fstat(descriptor)
    except OSError as error:
        raise _unreadable(path, error) from None
    finally:
        os.close(descriptor)
    same = before.st_mtime_ns == after.st_mtime_ns and before.st_ctime_ns == after.st_ctime_ns
    if not same or not size == after.st_size == read:
        raise _changed(path)
    return source


def _large(descriptor: int, path: str, again: Callable[[], int]) -> LargeFile:
    digest, size = hashlib.sha256(), 0
    for piece in _pieces(descriptor):
        digest.update(piece)
        size += len(piece)
    return LargeFile(path=path, sha256=digest.hexdigest(), size=size, open_=again)


def _pieces(descriptor: int) -> Iterator[bytes]:
    while piece := os.read(descriptor, MEBIBYTE):
        yield piece


def _read_all(descriptor: int, size: int) -> bytes:
    first = os.read(descriptor, size + 1)
    return first if len(first) >= size else b"".join((first, *_pieces(descriptor)))


def _unreadable(path: str, error: OSError) -> Refused:
    return _refused("file-missing", path, "a readable file", error.strerror or "an error")


def _changed(path: str) -> Refused:
    return _refused("file-changed", path, "the same file before and after reading", "a change")


def _refused(slug: str, file: str, expected: str, found: str) -> Refused:
    return Refused([Refusal(slug=slug, file=file, expected=expected, found=found)])
