"""The only place where foreign files are opened: any path that the user names, regular files only, sizes capped.

JSON Lines are read in batches, so that memory does not grow with the file. A file that changes between its digest and
its last byte is refused.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Literal, NoReturn

from sitegen.digests import Digest
from sitegen.harness.foreign.values import Fields, whole
from sitegen.read.files import EVIDENCE_LIMIT, MEBIBYTE
from sitegen.read.strict import parse_json, parse_jsonl
from sitegen.refusals import Refusal, Refused

DOCUMENT_LIMIT = 64 * MEBIBYTE
"""Most bytes of a foreign file that is parsed whole (JSON, CSV)."""
LINE_LIMIT = 16 * MEBIBYTE
"""Most bytes of one line of JSON Lines."""
_BATCH = MEBIBYTE // 16
_LINE = re.compile(r"line (\d+)(.*)", re.DOTALL)

Shape = Literal["zip", "json", "jsonl", "csv", "other"]


class ForeignFile:
    """A file of another harness: its name, its digest, and its content in the form that its shape allows.

    Raises:
        Refused: ``file-missing``, ``path-unsafe`` (not a regular file) or ``file-too-large``, when it is made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = whole(path.name)
        self.shown = str(path)
        self._state: tuple[int, ...] | None = None
        with self.opened() as handle:
            hasher = hashlib.sha256()
            while chunk := handle.read(MEBIBYTE):
                hasher.update(chunk)
            self.sha256: Digest = hasher.hexdigest()

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open the file for reading; it must be the same before and after as when its digest was made."""
        try:
            # Not blocking, so that a pipe is refused and not waited for. A link is the user's own choice.
            handle = os.fdopen(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
        except (OSError, ValueError) as error:
            self.refuse("file-missing", "a readable file", getattr(error, "strerror", None) or "none")
        with handle:
            before = self._checked(os.fstat(handle.fileno()))
            yield handle
            if before != self._checked(os.fstat(handle.fileno())):
                self.refuse("file-changed", "the same file before and after reading", "a change")

    def _checked(self, status: os.stat_result) -> tuple[int, ...]:
        if not stat.S_ISREG(status.st_mode):
            self.refuse("path-unsafe", "a regular file", "something else")
        if status.st_size > EVIDENCE_LIMIT:
            self.refuse("file-too-large", f"at most {EVIDENCE_LIMIT} bytes", f"{status.st_size} bytes")
        state = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if state != (self._state or state):
            self.refuse("file-changed", "the same file before and after reading", "a change")
        self._state = state
        return state

    def refuse(
        self, slug: str, expected: str | None, found: str | None, *, where: str = "", hint: str | None = None
    ) -> NoReturn:
        """Refuse this file."""
        refusal = Refusal(slug=slug, file=self.shown, path=where, expected=expected, found=found, hint=hint)
        raise Refused([refusal])

    @cached_property
    def _first_line(self) -> tuple[bytes, bool]:
        """The first line, and whether anything but white space follows it."""
        with self.opened() as handle:
            line = handle.readline(LINE_LIMIT)
            rest = handle.read(64) if line.endswith(b"\n") else b""
            return line, bool(rest.strip())

    @cached_property
    def shape(self) -> Shape:
        """What the bytes look like, whatever the name says."""
        line, more = self._first_line
        start = line.lstrip()[:1]
        if line.startswith(b"PK"):
            return "zip"
        if start in (b"{", b"["):
            return "jsonl" if more and self._parsed_line is not None else "json"
        return "csv" if self.name.lower().endswith(".csv") else "other"

    @cached_property
    def _parsed_line(self) -> Any:
        try:
            return parse_json(_with_line_feeds(self._first_line[0]), self.shown, any_number=True)
        except Refused:
            return None

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON value."""
        return parse_json(_with_line_feeds(self._whole()), self.shown, any_number=True)

    @cached_property
    def first(self) -> Any:
        """The first row of JSON Lines or of a JSON list, or the JSON document itself; ``None`` for other shapes."""
        if self.shape == "jsonl":
            return self._parsed_line
        if self.shape != "json":
            return None
        return self.document[0] if isinstance(self.document, list) and self.document else self.document

    def rows(self) -> Iterator[Fields]:
        """Yield every row of JSON Lines, of a JSON list of objects, or the one object of a JSON document."""
        if self.shape == "jsonl":
            for number, data in self._batches():
                for index, value in enumerate(self._parsed(number, data)):
                    yield Fields(value, self.shown, f"line {number + index}")
        elif isinstance(self.document, list):
            for index, value in enumerate(self.document):
                yield Fields(value, self.shown, f"/{index}")
        else:
            yield Fields(self.document, self.shown, "")

    def table(self) -> Iterator[list[str]]:
        """Yield every record of a CSV file (RFC 4180), its head first.

        Raises:
            Refused: ``text-encoding``, ``file-too-large``, or ``import-unsupported`` for what is no CSV.
        """
        try:
            text = self._whole().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.refuse("text-encoding", "valid UTF-8", error.reason, where=f"byte {error.start}")
        try:
            yield from csv.reader(io.StringIO(text, newline=""), strict=True)
        except csv.Error as error:
            self.refuse("import-unsupported", "CSV with quoted fields closed", str(error))

    def _whole(self) -> bytes:
        with self.opened() as handle:
            size = os.fstat(handle.fileno()).st_size
            if size > DOCUMENT_LIMIT:
                hint = "export it as JSON Lines (or as .eval), which is read in parts"
                self.refuse("file-too-large", f"at most {DOCUMENT_LIMIT} bytes of one document", "more", hint=hint)
            return handle.read(size)  # and not up to the limit, which would be set aside for the smallest file

    def _batches(self) -> Iterator[tuple[int, bytes]]:
        """Yield (number of the first line, whole lines)."""
        number, carry = 1, b""
        with self.opened() as handle:
            while chunk := handle.read(max(_BATCH, len(carry))):
                data = carry + chunk
                end = data.rfind(b"\n") + 1
                carry = data[end:]
                if len(carry) > LINE_LIMIT:
                    self.refuse("file-too-large", f"at most {LINE_LIMIT} bytes a line", "more", where=f"line {number}")
                if end:
                    yield number, data[:end]
                    number += data.count(b"\n", 0, end)
        if carry:
            yield number, carry + b"\n"  # other harnesses may leave the last line feed out

    def _parsed(self, number: int, data: bytes) -> list[Any]:
        try:
            return parse_jsonl(_with_line_feeds(data), self.shown, any_number=True)
        except Refused as refused:
            raise Refused([_moved(fault, number - 1) for fault in refused.refusals]) from None


def _with_line_feeds(data: bytes) -> bytes:
    """Return JSON without the carriage returns of another system: they cannot stand inside its strings."""
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def _moved(fault: Refusal, lines: int) -> Refusal:
    """Turn a line of a batch into a line of the file."""
    match = _LINE.fullmatch(fault.path)
    return dataclasses.replace(fault, path=f"line {int(match[1]) + lines}{match[2]}") if match else fault
