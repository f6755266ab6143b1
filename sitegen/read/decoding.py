"""Bytes of strict JSON → typed records, straight where nothing in them can have a second reading.

The quick way decodes into the record and counts: every key stands before a colon, so bytes with a repeated key, or
with a field that says no more than its absence, hold more colons than the record's own encoding. All others, and all
that are refused, go the thorough way by plain values, which gives the same records (a property test holds both
together).
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

import msgspec

from sitegen.read.schema import is_open, typed, typed_rows
from sitegen.read.strict import is_shallow, number_marks, parse_json, parse_jsonl

Record = TypeVar("Record")

_encoder = msgspec.json.Encoder()
_decoder_of: Any = cache(msgspec.json.Decoder)


def decoded(data: bytes, record: type[Record], file: str) -> Record:
    """Return the one strict JSON document in ``data`` as a ``record``.

    Raises:
        Refused: as :func:`parse_json` and :func:`typed`.
    """
    try:
        made: Record = _decoder_of(record).decode(data)
        if _is_certain(data, _encoder.encode(made), record):
            return made
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass  # the thorough way says what is wrong
    return typed(parse_json(data, file), record, file)


def decoded_lines(data: bytes, record: type[Record], file: str) -> tuple[Record, ...]:
    """Return the rows of a strict JSON Lines file as records.

    Raises:
        Refused: as :func:`parse_jsonl` and :func:`typed_rows`.
    """
    *lines, rest = data.split(b"\n")
    try:
        made: list[Record] = list(map(_decoder_of(record).decode, lines))
        if not rest and _is_certain(data, _encoder.encode_lines(made), record):
            return tuple(made)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass  # the thorough way says what is wrong
    return typed_rows(parse_jsonl(data, file), record, file)


def _is_certain(data: bytes, encoded: bytes, record: Any) -> bool:
    """Tell whether the thorough way would read ``data`` as the record that was ``encoded``."""
    if b"\\" in data or b"\r" in data or data.count(b":") != encoded.count(b":"):
        return False
    long, negative = number_marks(data)
    return not long and not negative and (not is_open(record) or is_shallow(data))
