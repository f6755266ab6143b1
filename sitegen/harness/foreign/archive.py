"""Members of a zip archive, read one at a time within bounds: stored, deflated or Zstandard.

Python's own reader gives the directory only. Nothing is ever unpacked to disk; unsafe names are refused all the same,
because an archive that holds one was not written by the harness that it claims.
"""

from __future__ import annotations

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import BinaryIO, NoReturn

from sitegen.harness.foreign.sources import ForeignFile
from sitegen.read.files import MEBIBYTE
from sitegen.read.schema import Format

MEMBER_LIMIT = 64 * MEBIBYTE
"""Most bytes of one unpacked member."""
MOST_MEMBERS = 250_000
TOTAL_LIMIT = 8192 * MEBIBYTE
"""Most bytes of all members together, unpacked."""
MOST_RATIO = 200
"""Largest unpacked : packed, for members above one mebibyte; logs of long runs stay far below it."""
_DIRECTORY_LIMIT = 24 * MEBIBYTE
_BATCH = MEBIBYTE // 128

_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_USUAL_NAME_AND_EXTRA = 256
_END, _END64_LOCATOR, _END64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
_ENTRY = struct.Struct("<4s2xBxHH4xLLLHHH4xLL")
"""Of a directory's entry: mark, version, flags, method, crc, packed, size, three lengths, attributes, offset."""
_NEWEST_VERSION = 63
_NAMED_IN_UTF8, _SIZES_FOLLOW = 0x800, 0x8
_PLAIN_NAME = re.compile(rb"[^/.\\:\0][^.\\:\0]*(?:\.[^.\\:\0]+)*\.?")


class _Member(Format, frozen=True, kw_only=True, gc=False):
    """What the directory states of a member that was found in order; no work for the garbage collector."""

    method: int
    offset: int
    packed: int
    size: int
    crc: int


class Archive:
    """An open archive. Every refusal names the member as its path."""

    def __init__(self, file: ForeignFile, handle: BinaryIO) -> None:
        self._file, self._handle = file, handle
        self._members = _members(file)

    @property
    def names(self) -> list[str]:
        """The members' names, in the archive's order."""
        return list(self._members)

    def batches(self, names: Iterable[str]) -> Iterator[list[str]]:
        """Yield ``names`` in order, those of small members together: a few tens of samples, or one that is large."""
        batch: list[str] = []
        size = 0
        for name in names:
            batch.append(name)
            size += self._members[name].size
            if size >= _BATCH:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def read(self, name: str) -> bytes:
        """Return the unpacked bytes of a member.

        Raises:
            Refused: ``archive-unsafe`` for what does not unpack to the size and checksum that the directory states;
                ``import-unsupported`` for a compression that cannot be read here.
        """
        member = self._members[name]
        packed = self._packed(name, member)
        data = self._unpacked(name, member, packed)
        if len(packed) != member.packed or len(data) != member.size or zlib.crc32(data) != member.crc:
            _unsafe(self._file, name, "the size and checksum of the directory", "others: the file is cut or damaged")
        return data

    def _packed(self, name: str, member: _Member) -> bytes:
        """Return the member's bytes, in one read where its local header is of the usual size."""
        self._handle.seek(member.offset)
        read = self._handle.read(_LOCAL_HEADER.size + _USUAL_NAME_AND_EXTRA + member.packed)
        if len(read) < _LOCAL_HEADER.size or read[:4] != b"PK\x03\x04":
            _unsafe(self._file, name, "a member where the directory says", "none: the file is cut or damaged")
        _, name_length, extra_length = _LOCAL_HEADER.unpack_from(read)
        start = _LOCAL_HEADER.size + name_length + extra_length
        if name_length + extra_length > _USUAL_NAME_AND_EXTRA:
            self._handle.seek(member.offset + start)
            return self._handle.read(member.packed)
        return read[start : start + member.packed]

    def _unpacked(self, name: str, member: _Member, packed: bytes) -> bytes:
        try:
            if member.method == _STORED:
                return packed
            if member.method == _DEFLATED:
                return zlib.decompressobj(-15).decompress(packed, member.size + 1)
            return self._zstandard(name, member, packed)
        except zlib.error as error:
            _unsafe(self._file, name, "a whole member", str(error))

    def _zstandard(self, name: str, member: _Member, packed: bytes) -> bytes:
        try:
            import zstandard
        except ImportError:
            self._file.refuse(
                "import-unsupported",
                "the package zstandard, for members packed with Zstandard",
                "it is not installed",
                where=name,
                hint="python -m pip install 'sitegen[import]'",
            )
        try:
            reader = zstandard.ZstdDecompressor(max_window_size=128 * MEBIBYTE).stream_reader(packed)
            return bytes(reader.read(member.size + 1))
        except zstandard.ZstdError as error:
            _unsafe(self._file, name, "a whole member", str(error))


@contextmanager
def opened_archive(file: ForeignFile) -> Iterator[Archive]:
    """Open ``file`` as an archive."""
    with file.opened() as handle:
        yield Archive(file, handle)


@lru_cache(maxsize=1)
def _members(file: ForeignFile) -> dict[str, _Member]:
    """Return the members of an archive by name; kept, since a log's directory is asked for its kind, header and rows.

    It can be kept because a file that is opened again is the same or is refused.
    """
    with file.opened() as handle:
        members = _plain_members(handle)
        if members is not None:
            return members
        members = {}
        for member in _directory(file, handle):
            if member.filename in members:
                _unsafe(file, member.filename, "each name once", "the same name twice")
            _check(file, member)
            members[member.filename] = _Member(
                method=member.compress_type,
                offset=member.header_offset,
                packed=member.compress_size,
                size=member.file_size,
                crc=member.CRC,
            )
    return members


def _plain_members(handle: BinaryIO) -> dict[str, _Member] | None:
    """Return the members of an archive as logs are written, in a third of the time that Python's own reader takes.

    Returns ``None`` for every other archive, sound or not: where a name, a flag, a size or a place is not plain,
    Python's reader and :func:`_check` decide (a property test holds both together).
    """
    directory = _plain_directory(handle)
    members: dict[str, _Member] = {}
    at = total = count = 0
    while at + _ENTRY.size <= len(directory):
        mark, version, flags, method, crc, packed, size, length, extra, comment, mode, offset = _ENTRY.unpack_from(
            directory, at
        )
        end = at + _ENTRY.size + length
        name = directory[at + _ENTRY.size : end]
        plain = mark == b"PK\x01\x02" and version <= _NEWEST_VERSION and not extra and not comment
        sound = max(size, packed) <= MEMBER_LIMIT and (size <= MEBIBYTE or size <= MOST_RATIO * packed)
        known = not flags & ~(_NAMED_IN_UTF8 | _SIZES_FOLLOW) and method in (_STORED, _DEFLATED, _ZSTANDARD)
        placed = offset < 0xFFFFFFFF and not stat.S_ISLNK(mode >> 16)
        if not (plain and sound and known and placed and name.isascii() and _PLAIN_NAME.fullmatch(name)):
            return None
        members[name.decode("ascii")] = _Member(method=method, offset=offset, packed=packed, size=size, crc=crc)
        at, total, count = end, total + size, count + 1
    whole = at == len(directory) and len(members) == count
    return members if whole and 0 < count <= MOST_MEMBERS and total <= TOTAL_LIMIT else None


def _plain_directory(handle: BinaryIO) -> bytes:
    """Return the directory that stands whole before the end record, where that says; else nothing."""
    length = handle.seek(0, 2)
    handle.seek(max(0, length - 98))
    tail = handle.read().rjust(98, b"\0")
    if tail[76:80] != _END or tail[96:] != b"\0\0":
        return b""
    size, offset = struct.unpack_from("<LL", tail, 88)
    start = length - 22 - size
    if tail[56:60] == _END64_LOCATOR:
        if tail[:4] != _END64 or struct.unpack_from("<L8xL", tail, 60) != (0, 1):
            return b""
        size, offset = struct.unpack_from("<QQ", tail, 40)
        start = length - 98 - size
    if not 0 <= start == offset or size > _DIRECTORY_LIMIT:
        return b""
    handle.seek(start)
    return handle.read(size)


def _check(file: ForeignFile, member: zipfile.ZipInfo) -> None:
    name = member.filename
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or parts[0] in ("", ".") or ":" in parts[0] or "\0" in member.orig_filename:
        _unsafe(file, name, "a relative path inside the archive", name)
    if stat.S_ISLNK(member.external_attr >> 16):
        _unsafe(file, name, "a plain member", "a symbolic link")
    if member.flag_bits & 0x1:
        _unsafe(file, name, "a member without a password", "an encrypted one")
    if member.compress_type not in (_STORED, _DEFLATED, _ZSTANDARD):
        found = f"method {member.compress_type}"
        file.refuse("import-unsupported", "stored, deflated or Zstandard", found, where=name)
    if member.header_offset < 0:
        _unsafe(file, name, "a place inside the file", "one before its beginning")
    if max(member.file_size, member.compress_size) > MEMBER_LIMIT:
        found = f"{member.file_size} bytes, {member.compress_size} packed"
        _unsafe(file, name, f"at most {MEMBER_LIMIT} bytes a member", found)
    if member.file_size > MEBIBYTE and member.file_size > MOST_RATIO * member.compress_size:
        found = f"{member.file_size} bytes from {member.compress_size}"
        _unsafe(file, name, f"at most {MOST_RATIO} times the packed size", found)


def _unsafe(file: ForeignFile, name: str, expected: str, found: str) -> NoReturn:
    file.refuse("archive-unsafe", expected, found, where=name)


def _directory(file: ForeignFile, handle: BinaryIO) -> list[zipfile.ZipInfo]:
    """Return the archive's directory, whose size is bounded before it is read."""
    try:
        if (size := _directory_size(handle)) > _DIRECTORY_LIMIT:
            file.refuse("archive-unsafe", f"a directory of at most {_DIRECTORY_LIMIT} bytes", f"{size} bytes")
        members = zipfile.ZipFile(handle).infolist()
    except (zipfile.BadZipFile, struct.error, OSError, ValueError, NotImplementedError) as error:
        file.refuse("archive-unsafe", "a whole zip archive", str(error) or "a damaged one")
    total = sum(member.file_size for member in members)
    if len(members) > MOST_MEMBERS or total > TOTAL_LIMIT:
        expected = f"at most {MOST_MEMBERS} members and {TOTAL_LIMIT} bytes in all"
        file.refuse("archive-unsafe", expected, f"{len(members)} members, {total} bytes")
    return members


def _directory_size(handle: BinaryIO) -> int:
    """Return the size that the end record states; 0 where there is none (Python's reader says what is wrong)."""
    length = handle.seek(0, 2)
    start = max(0, length - (1 << 16) - 22 - 20)
    handle.seek(start)
    tail = handle.read()
    end = tail.rfind(_END)
    if end < 0:
        return 0
    (size,) = struct.unpack_from("<L", tail, end + 12)
    if tail[max(0, end - 20) : end].startswith(_END64_LOCATOR):
        (offset,) = struct.unpack_from("<Q", tail, end - 12)
        handle.seek(min(offset, length) + 40)
        (size,) = struct.unpack("<Q", handle.read(8))
    return int(size)
