"""A run's transcripts by task: in memory, or where their file is large, on the disk and read a row at a time."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sitegen.read.decoding import decoded, decoded_lines
from sitegen.read.files import LargeFile, SourceFile
from sitegen.read.transcript import Pack, Status, Transcript, read_transcripts
from sitegen.refusals import Refusal, Refused

_LINE = re.compile(r"line (\d+)")


class RowPlace(NamedTuple):
    """Where a row stands in its file, with its sha256 and what is asked of all rows together."""

    task_id: str
    pack: Pack
    status: Status
    abstained: bool | None
    route: str | None
    started: str | None
    offset: int
    size: int
    digest: bytes


Head = Transcript | RowPlace
"""What is asked of all rows together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcripts:
    """One run's transcripts: all ``heads`` in the order of the file, and the rows of either pack by task id."""

    heads: Sequence[Head] = field(repr=False)
    dataset: Mapping[str, Transcript] = field(repr=False)
    null_pack: Mapping[str, Transcript] = field(repr=False)


class StoredRows(Mapping[str, Transcript]):
    """Rows of a large file by task id. Each is read from the disk when it is asked for, and is what it was."""

    def __init__(self, source: LargeFile, places: Mapping[str, RowPlace]) -> None:
        self._source, self._places = source, places

    def __getitem__(self, task_id: str) -> Transcript:
        place = self._places[task_id]
        return decoded(self._source.part(place.offset, place.size, place.digest), Transcript, self._source.path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def read_rows(source: SourceFile) -> Transcripts:
    """Return the transcripts in ``source``.

    Raises:
        Refused: every fault of form; of a large file those of the first part that has any.
    """
    if isinstance(source, LargeFile):
        places = list(_places(source))
        return Transcripts(
            heads=places,
            dataset=StoredRows(source, {place.task_id: place for place in places if place.pack == "dataset"}),
            null_pack=StoredRows(source, {place.task_id: place for place in places if place.pack == "null_pack"}),
        )
    rows = read_transcripts(source)
    return Transcripts(
        heads=rows,
        dataset={row.task_id: row for row in rows if row.pack == "dataset"},
        null_pack={row.task_id: row for row in rows if row.pack == "null_pack"},
    )


def _places(source: LargeFile) -> Iterator[RowPlace]:
    offset = number = 0
    for block in _whole_lines(source):
        try:
            rows = decoded_lines(block, Transcript, source.path)
        except Refused as refused:
            raise Refused([_shifted(fault, number) for fault in refused.refusals]) from None
        for row, line in zip(rows, block.split(b"\n"), strict=False):
            digest = hashlib.sha256(line).digest()
            route = None if row.route is None else sys.intern(row.route)
            asked = (row.task_id, row.pack, row.status, row.abstained, route, row.started)
            yield RowPlace(*asked, offset, len(line), digest)
            offset += len(line) + 1
        number += len(rows)


def _whole_lines(source: LargeFile) -> Iterator[bytes]:
    """Yield the file in blocks of whole lines; the last may lack its line feed."""
    begun: list[bytes] = []
    for piece in source.pieces():
        head, feed, tail = piece.rpartition(b"\n")
        if feed:
            yield b"".join([*begun, head, feed])
            begun = []
        begun.append(tail)
    if any(begun):
        yield b"".join(begun)


def _shifted(fault: Refusal, by: int) -> Refusal:
    """Return a fault of a block with the line's number in the whole file."""
    path = _LINE.sub(lambda match: f"line {int(match[1]) + by}", fault.path, count=1)
    return dataclasses.replace(fault, path=path)
