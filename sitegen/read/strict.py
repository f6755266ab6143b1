"""Strict JSON and JSON Lines: one reading of the bytes, or a refusal. YAML is :mod:`sitegen.read.strict_yaml`'s.

JSON is RFC 8259 less what readers disagree on: repeated keys, integers beyond 2**53 - 1, negative zero, NaN and
Infinity, lone surrogates, and nesting deeper than :data:`MAX_DEPTH`. What others wrote may hold any finite number
(``any_number``): a seed, a time in nanoseconds, a loss of -0.0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

import msgspec

from sitegen.refusals import MOST_LOOKED_FOR, Refusal, Refused

MAX_DEPTH = 100
"""Deepest nesting of arrays and objects that is read."""

MAX_SAFE_INTEGER = 2**53 - 1
"""Largest magnitude of an integer that every JSON reader keeps exactly."""

MOST_DIGITS = 4300
"""Most digits of an integer that is read where any number is; it is Python's own limit, and msgspec's."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()
_NUMBER_MARKS = bytes.maketrans(b"123456789,[ \t\n", b"000000000:::::")
_LONG_INTEGER = b":" + b"0" * 16
_LONG_NEGATIVE = b":-" + b"0" * 16
_NEGATIVE = b":-0"
_BEFORE_A_VALUE = bytes.maketrans(b",[ \n", b"::::")
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def check_text(data: bytes, file: str, where: str = "") -> str:
    """Return ``data`` as text, or refuse what is not UTF-8 with line feeds and without a byte-order mark.

    ``where`` names the place in the file where ``data`` is not the whole of it.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refused("text-encoding", file, where or f"byte {error.start}", "valid UTF-8", error.reason) from None
    if text.startswith("\ufeff"):
        raise _refused("text-encoding", file, where or "byte 0", "no byte-order mark", "a byte-order mark")
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        raise _refused("text-encoding", file, where or f"line {line}", "line feeds only", "a carriage return")
    return text


def parse_json(data: bytes, file: str, *, any_number: bool = False) -> Any:
    """Return the value of one strict JSON document; with ``any_number`` also one with numbers that are no safe ones.

    The quick way decodes and encodes again: bytes that equal their own encoding hold no repeated key and no second
    spelling of a value. All others go the thorough way, which gives the same values (a property test holds both
    together).

    Raises:
        Refused: ``json-malformed``, ``duplicate-key`` or ``text-encoding``.
    """
    value, certain = _quick(data, any_number)
    return value if certain else _thorough(data, file, "", any_number)


def parse_jsonl(data: bytes, file: str, *, any_number: bool = False) -> list[Any]:
    """Return the values of a JSON Lines file, split at LF bytes only, line ``i + 1`` at index ``i``.

    ``any_number`` is that of :func:`parse_json`.

    Raises:
        Refused: ``jsonl-torn`` for a blank or unterminated line, and as :func:`parse_json`; all bad lines at once.
    """
    torn = list(_torn_lines(data, file))
    if torn:
        raise Refused(torn)
    values, certain = _quick_lines(data, any_number)
    if certain:
        return values
    values = []
    faults: list[Refusal] = []
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        value, certain = _quick(line, any_number)
        if not certain:
            try:
                value = _thorough(line, file, f"line {number}", any_number)
            except Refused as refused:
                faults.extend(refused.refusals)
                if len(faults) >= MOST_LOOKED_FOR:
                    break
        values.append(value)
    if faults:
        raise Refused(faults)
    return values


def _torn_lines(data: bytes, file: str) -> Iterator[Refusal]:
    if not data.endswith(b"\n") and data:
        number = data.count(b"\n") + 1
        yield Refusal(
            slug="jsonl-torn", file=file, path=f"line {number}", expected="a line feed at the end", found="none"
        )
    if data.startswith(b"\n") or b"\n\n" in data:
        number = next(i for i, line in enumerate(data.split(b"\n"), start=1) if not line)
        yield Refusal(
            slug="jsonl-torn", file=file, path=f"line {number}", expected="one object a line", found="a blank line"
        )


def _quick_lines(data: bytes, any_number: bool) -> tuple[list[Any], bool]:
    """Return (values, True) where all lines equal their own encoding, compact or spaced; else ([], False)."""
    try:
        values = _decoder.decode_lines(data)
        same = _encoder.encode_lines(values) == data or _are_spaced(values, data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return [], False
    return (values, True) if same and _plain(data, any_number) else ([], False)


def _are_spaced(values: list[Any], data: bytes) -> bool:
    """Tell whether the lines, put together as one list, equal its spaced encoding; no text holds a line feed."""
    listed = b"[" + data[:-1].replace(b"\n", b", ") + b"]"
    return listed == msgspec.json.format(_encoder.encode(values), indent=0)


def _quick(data: bytes, any_number: bool) -> tuple[Any, bool]:
    """Return (value, True) where the bytes equal their own encoding, compact or spaced; else (None, False)."""
    try:
        value = _decoder.decode(data)
        encoded = _encoder.encode(value)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None, False
    body = data[:-1] if data.endswith(b"\n") else data
    same = encoded == body or msgspec.json.format(encoded, indent=0) == body
    return (value, True) if same and _plain(body, any_number) else (None, False)


def _plain(data: bytes, any_number: bool) -> bool:
    """Tell whether no number in ``data`` needs a closer look and the nesting stays within bounds."""
    if not any_number:
        long, negative = number_marks(data)
        if long or (negative and (b":-0" in data.translate(_BEFORE_A_VALUE) or data.startswith(b"-0"))):
            return False
    return is_shallow(data)


def number_marks(data: bytes) -> tuple[bool, bool]:
    """Tell whether ``data`` may hold an integer of more than 15 digits, and whether it may hold a negative number."""
    marks = b":" + data.translate(_NUMBER_MARKS)
    negative = _NEGATIVE in marks
    return _LONG_INTEGER in marks or (negative and _LONG_NEGATIVE in marks), negative


def is_shallow(data: bytes) -> bool:
    """Tell whether the nesting stays within bounds; not certain where a string holds a bracket."""
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return True
    brackets = data.translate(None, _NOT_BRACKETS)
    for _ in range(MAX_DEPTH):
        if not brackets:
            return True
        shorter = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(shorter) == len(brackets):
            return False  # a bracket inside a string; the thorough way counts properly
        brackets = shorter
    return not brackets


class _Malformed(ValueError):
    """Raised inside the thorough way with the slug and what was expected and found."""

    def __init__(self, slug: str, expected: str, found: str) -> None:
        super().__init__(found)
        self.slug, self.expected = slug, expected


def _thorough(data: bytes, file: str, where: str, any_number: bool) -> Any:
    text = check_text(data, file, where)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=_any_integer if any_number else _integer,
            parse_float=_finite if any_number else _real,
            parse_constant=_constant,
        )
        if _SURROGATE_ESCAPE.search(text):
            _check_surrogates(value)
        _check_depth(value)
    except _Malformed as fault:
        raise _refused(fault.slug, file, where, fault.expected, str(fault)) from None
    except json.JSONDecodeError as error:
        place = where or f"line {error.lineno} column {error.colno}"
        raise _refused("json-malformed", file, place, "strict JSON", error.msg) from None
    except RecursionError:
        raise _refused("json-malformed", file, where, f"at most {MAX_DEPTH} levels", "deeper nesting") from None
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Malformed("duplicate-key", "each key once", repeated)
    return made


def _integer(text: str) -> int:
    if text == "-0":
        raise _Malformed("json-malformed", "no negative zero", text)
    if len(text) > 17 or abs(int(text)) > MAX_SAFE_INTEGER:
        raise _Malformed("json-malformed", "an integer within 2^53", text)
    return int(text)


def _any_integer(text: str) -> int:
    if len(text.lstrip("-")) > MOST_DIGITS:
        raise _Malformed("json-malformed", f"an integer of at most {MOST_DIGITS} digits", f"{len(text)} characters")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _Malformed("json-malformed", "a finite number", text)
    return value


def _real(text: str) -> float:
    value = _finite(text)
    if value == 0 and text.startswith("-"):
        raise _Malformed("json-malformed", "no negative zero", text)
    return value


def _constant(text: str) -> NoReturn:
    raise _Malformed("json-malformed", "a finite number", text)


def _walk(value: Any) -> Iterator[tuple[int, Any]]:
    """Yield (depth, item) of every value and key, without recursion."""
    stack = [(0, value)]
    while stack:
        depth, item = stack.pop()
        yield depth, item
        if isinstance(item, dict):
            stack.extend((depth + 1, part) for pair in item.items() for part in pair)
        elif isinstance(item, list):
            stack.extend((depth + 1, part) for part in item)


def _check_surrogates(value: Any) -> None:
    for _, item in _walk(value):
        if isinstance(item, str) and _LONE_SURROGATE.search(item):
            raise _Malformed("json-malformed", "whole characters", "a lone surrogate")


def _check_depth(value: Any) -> None:
    for depth, item in _walk(value):
        if depth >= MAX_DEPTH and isinstance(item, (dict, list)):
            raise _Malformed("json-malformed", f"at most {MAX_DEPTH} levels", "deeper nesting")


def _refused(slug: str, file: str, path: str, expected: str, found: str) -> Refused:
    return Refused([Refusal(slug=slug, file=file, path=path, expected=expected, found=found)])
