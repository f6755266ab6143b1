"""Members of a zip archive, read one at a time within bounds: stored, deflated or Zstandard.

Python's own reader gives the directory only. Nothing is ever unpacked to disk; unsafe names are refused all the same,
because an archive that holds one was not written by the harness that it claims.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NoReturn

from sitegen.harness.foreign.sources import ForeignFile
from sitegen.read.files import MEBIBYTE

MEMBER_LIMIT = 64 * MEBIBYTE
"""Most bytes of one unpacked member."""
MOST_MEMBERS = 250_000
TOTAL_LIMIT = 8192 * MEBIBYTE
"""Most bytes of all members together, unpacked."""
MOST_RATIO = 200
"""Largest unpacked : packed, for members above one mebibyte; logs of long runs stay far below it."""
_DIRECTORY_LIMIT = 24 * MEBIBYTE

_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_END, _END64_LOCATOR = b"PK\x05\x06", b"PK\x06\x07"


class Archive:
    """An open archive. Every refusal names the member as its path."""

    def __init__(self, file: ForeignFile, handle: BinaryIO) -> None:
        self._file, self._handle = file, handle
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in _directory(file, handle):
            self._check(member)
            self._members[member.filename] = member

    @property
    def names(self) -> list[str]:
        """The members' names, in the archive's order."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """Return the unpacked bytes of a member.

        Raises:
            Refused: ``archive-unsafe`` for what does not unpack to the size and checksum that the directory states;
                ``import-unsupported`` for a compression that cannot be read here.
        """
        member = self._members[name]
        self._handle.seek(member.header_offset)
        head = self._handle.read(_LOCAL_HEADER.size)
        if len(head) < _LOCAL_HEADER.size or head[:4] != b"PK\x03\x04":
            self._unsafe(name, "a member where the directory says", "none: the file is cut or damaged")
        _, name_length, extra_length = _LOCAL_HEADER.unpack(head)
        self._handle.seek(name_length + extra_length, 1)
        packed = self._handle.read(member.compress_size)
        data = self._unpacked(member, packed)
        if len(packed) != member.compress_size or len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            self._unsafe(name, "the size and checksum of the directory", "others: the file is cut or damaged")
        return data

    def _unpacked(self, member: zipfile.ZipInfo, packed: bytes) -> bytes:
        try:
            if member.compress_type == _STORED:
                return packed
            if member.compress_type == _DEFLATED:
                return zlib.decompressobj(-15).decompress(packed, member.file_size + 1)
            return self._zstandard(member, packed)
        except zlib.error as error:
            self._unsafe(member.filename, "a whole member", str(error))

    def _zstandard(self, member: zipfile.ZipInfo, packed: bytes) -> bytes:
        try:
            import zstandard
        except ImportError:
            self._file.refuse(
                "import-unsupported",
                "the package zstandard, for members packed with Zstandard",
                "it is not installed",
                where=member.filename,
                hint="python -m pip install 'sitegen[import]'",
            )
        try:
            reader = zstandard.ZstdDecompressor(max_window_size=128 * MEBIBYTE).stream_reader(packed)
            return bytes(reader.read(member.file_size + 1))
        except zstandard.ZstdError as error:
            self._unsafe(member.filename, "a whole member", str(error))

    def _check(self, member: zipfile.ZipInfo) -> None:
        name = member.filename
        parts = name.replace("\\", "/").split("/")
        if name in self._members:
            self._unsafe(name, "each name once", "the same name twice")
        if ".." in parts or parts[0] in ("", ".") or ":" in parts[0] or "\0" in member.orig_filename:
            self._unsafe(name, "a relative path inside the archive", name)
        if stat.S_ISLNK(member.external_attr >> 16):
            self._unsafe(name, "a plain member", "a symbolic link")
        if member.flag_bits & 0x1:
            self._unsafe(name, "a member without a password", "an encrypted one")
        if member.compress_type not in (_STORED, _DEFLATED, _ZSTANDARD):
            found = f"method {member.compress_type}"
            self._file.refuse("import-unsupported", "stored, deflated or Zstandard", found, where=name)
        if member.header_offset < 0:
            self._unsafe(name, "a place inside the file", "one before its beginning")
        if max(member.file_size, member.compress_size) > MEMBER_LIMIT:
            found = f"{member.file_size} bytes, {member.compress_size} packed"
            self._unsafe(name, f"at most {MEMBER_LIMIT} bytes a member", found)
        if member.file_size > MEBIBYTE and member.file_size > MOST_RATIO * member.compress_size:
            found = f"{member.file_size} bytes from {member.compress_size}"
            self._unsafe(name, f"at most {MOST_RATIO} times the packed size", found)

    def _unsafe(self, name: str, expected: str, found: str) -> NoReturn:
        self._file.refuse("archive-unsafe", expected, found, where=name)


@contextmanager
def opened_archive(file: ForeignFile) -> Iterator[Archive]:
    """Open ``file`` as an archive."""
    with file.opened() as handle:
        yield Archive(file, handle)


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
