"""Plain values → typed records, with every fault named by its path.

A format is declared once, as :class:`msgspec.Struct` types. Accepting a value is msgspec's work and fast; only when it
says no does :func:`find_faults` walk the same declaration and collect *all* faults. A property test holds the two
together. JSON Schemas for readers come from the same declaration.

A field may name its own slugs by ``Annotated[..., Meta(extra={"slug": "digest-form", "missing": "headline-alone"})]``:
``slug`` for a value of the right type but outside its range, ``missing`` for an absent field.
"""

from __future__ import annotations

import dataclasses
import math
import operator
import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta
from msgspec import inspect as shape

from sitegen.read.names import IDENTIFIER
from sitegen.refusals import MOST_LOOKED_FOR, Refusal, Refused

Record = TypeVar("Record")

DigestText = Annotated[str, Meta(pattern="^[0-9a-f]{64}\\Z", extra={"slug": "digest-form"})]
"""64 lower-case hexadecimal characters."""

_IDENTIFIER = f"^{IDENTIFIER}\\Z"
Identifier = Annotated[str, Meta(pattern=_IDENTIFIER, extra={"slug": "protocol-id-form"})]
"""A protocol id or run id: it is a folder's name and part of an address."""

TaskId = Annotated[str, Meta(min_length=1, max_length=200)]
"""A task's id: any text, never used as a path."""

_LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_LONG_MONTH = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
_SHORT_MONTH = "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])"
_DAY = f"(?!0000)(?:[0-9]{{4}}-(?:{_LONG_MONTH}|{_SHORT_MONTH})|{_LEAP_YEAR}-02-29)"
_TIME = f"^{_DAY}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z\\Z"
"""Of days that the calendar has; a pattern, so that the published JSON Schemas say it too."""

Time = Annotated[str, Meta(pattern=_TIME, extra={"slug": "time-form"})]
"""``2026-11-30T09:32:00Z``: a claim, compared only within one run."""

Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0)]
Rate = Annotated[float, Meta(ge=0, le=1)]
Amount = Annotated[float, Meta(ge=0)]
"""A sum of money, in the currency that its field's name says."""


class Format(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every record that is read from a file: frozen, and without room for unknown fields."""


def typed(value: Any, record: type[Record], file: str, path: str = "") -> Record:
    """Return ``value`` as a ``record``.

    Raises:
        Refused: every fault of ``value``, each with its JSON pointer below ``path``.
    """
    try:
        made = msgspec.convert(value, record, strict=True)
    except msgspec.ValidationError as error:
        faults = find_faults(value, record, file, path)
        if not faults:  # the two readings disagree: say no, with msgspec's own words
            faults = [Refusal(slug="field-type", file=file, path=path, found=str(error))]
        raise Refused(faults) from None
    return made


def typed_rows(values: list[Any], record: type[Record], file: str) -> tuple[Record, ...]:
    """Return the rows of a JSON Lines file as records.

    Raises:
        Refused: every fault, each by its line: ``line 7/status``.
    """
    try:
        return typed(values, tuple[record, ...], file)  # type: ignore[valid-type]
    except Refused as refused:
        raise Refused([_by_line(fault) for fault in refused.refusals]) from None


def _by_line(fault: Refusal) -> Refusal:
    """Turn the pointer ``/6/status`` of a row into ``line 7/status``."""
    index, _, rest = fault.path.removeprefix("/").partition("/")
    if not index.isdigit():
        return fault
    return dataclasses.replace(fault, path=f"line {int(index) + 1}" + (f"/{rest}" if rest else ""))


def find_faults(value: Any, record: type[Any], file: str, path: str = "") -> list[Refusal]:
    """Return the faults of ``value`` as a ``record`` in document order, a thousand at most; empty when it has none."""
    return list(islice(_Walker(file).faults(value, _info(record), path, {}), MOST_LOOKED_FOR))


_info: Any = cache(shape.type_info)


@cache
def is_open(record: Any) -> bool:
    """Tell whether a field of ``record``, or of a part of it, may hold any value at all."""
    waiting = [_info(record)]
    for part in waiting:  # it grows while it is walked; no format holds itself
        if isinstance(part, shape.AnyType):
            return True
        for name in part.__struct_fields__ if isinstance(part, (shape.Type, shape.Field)) else ():
            inner = getattr(part, name)
            waiting.extend(inner if isinstance(inner, tuple) else (inner,))
    return False


def json_schemas(record: type[Any]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of ``record``, as published for readers."""
    return msgspec.json.schema(record)


def pointer(path: str, key: str | int) -> str:
    """Return the JSON pointer (RFC 6901) of ``key`` below ``path``."""
    return f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"


def remove(value: Any, path: str) -> None:
    """Take what the JSON pointer ``path`` names out of plain values; nothing happens where nothing is there."""
    *parents, last = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    for part in parents:
        value = value[int(part)] if isinstance(value, list) else value.get(part, {})
    if isinstance(value, dict):
        value.pop(last, None)


class _Walker:
    """Walks one value beside its declared type."""

    def __init__(self, file: str) -> None:
        self.file = file

    def refusal(self, slug: str, path: str, expected: str, found: Any) -> Refusal:
        shown = describe(found)
        if slug == "field-type" and isinstance(found, str):
            shown = f'"{found}"'  # or text that reads as a number or as true could not be told from one
        return Refusal(slug=slug, file=self.file, path=path, expected=expected, found=shown)

    def faults(self, value: Any, info: Any, path: str, extra: dict[str, Any]) -> Iterator[Refusal]:
        if isinstance(info, shape.Metadata):
            yield from self.faults(value, info.type, path, {**extra, **(info.extra or {})})
        elif isinstance(info, shape.UnionType):
            yield from self.union(value, info, path, extra)
        elif isinstance(info, shape.StructType):
            yield from self.struct(value, info, path)
        elif isinstance(info, (shape.VarTupleType, shape.ListType)):
            yield from self.items(value, info.item_type, info, path)
        elif isinstance(info, shape.TupleType):
            yield from self.fixed(value, info, path)
        elif isinstance(info, shape.DictType):
            yield from self.table(value, info, path)
        elif isinstance(info, shape.LiteralType):
            yield from self.choice(value, info, path, extra)
        elif not isinstance(info, shape.AnyType):
            yield from self.scalar(value, info, path, extra)

    def union(self, value: Any, info: Any, path: str, extra: dict[str, Any]) -> Iterator[Refusal]:
        readings = [list(self.faults(value, part, path, extra)) for part in info.types]
        if all(readings):
            yield from next((r for r in readings if all(f.slug != "field-type" for f in r)), readings[0])

    def struct(self, value: Any, info: Any, path: str) -> Iterator[Refusal]:
        if not isinstance(value, dict):
            yield self.refusal("field-type", path, "an object", value)
            return
        known = {field.encode_name: field for field in info.fields}
        for name, field in known.items():
            if name in value:
                yield from self.faults(value[name], field.type, pointer(path, name), {})
            elif field.required:
                extra = getattr(field.type, "extra", None) or {}
                yield self.refusal(extra.get("missing", "field-missing"), pointer(path, name), "this field", "nothing")
        if info.forbid_unknown_fields:
            for name in value:
                if name not in known:
                    yield self.refusal("field-unknown", pointer(path, name), _nearest(name, known), name)

    def items(self, value: Any, item: Any, info: Any, path: str) -> Iterator[Refusal]:
        if not isinstance(value, list):
            yield self.refusal("field-type", path, "a list", value)
            return
        if info.min_length is not None and len(value) < info.min_length:
            yield self.refusal("field-range", path, f"at least {info.min_length} items", f"{len(value)} items")
        for index, part in enumerate(value):
            yield from self.faults(part, item, pointer(path, index), {})

    def fixed(self, value: Any, info: Any, path: str) -> Iterator[Refusal]:
        if not isinstance(value, list) or len(value) != len(info.item_types):
            yield self.refusal("field-type", path, f"a list of {len(info.item_types)}", value)
            return
        for index, (part, item) in enumerate(zip(value, info.item_types, strict=True)):
            yield from self.faults(part, item, pointer(path, index), {})

    def table(self, value: Any, info: Any, path: str) -> Iterator[Refusal]:
        if not isinstance(value, dict):
            yield self.refusal("field-type", path, "an object", value)
            return
        for key, part in value.items():
            yield from self.faults(key, info.key_type, pointer(path, key), {})
            yield from self.faults(part, info.value_type, pointer(path, key), {})

    def choice(self, value: Any, info: Any, path: str, extra: dict[str, Any]) -> Iterator[Refusal]:
        if isinstance(value, bool) or value not in info.values:
            allowed = " or ".join(str(choice) for choice in info.values)
            text = isinstance(value, str) or not all(isinstance(choice, str) for choice in info.values)
            yield self.refusal(extra.get("slug", "field-range") if text else "field-type", path, allowed, value)

    def scalar(self, value: Any, info: Any, path: str, extra: dict[str, Any]) -> Iterator[Refusal]:
        name, accepts = _SCALARS[type(info)]
        if not accepts(value):
            yield self.refusal("field-type", path, name, value)
        elif isinstance(info, shape.StrType):
            if info.pattern is not None and not re.search(info.pattern, value):
                yield self.refusal(
                    extra.get("slug", "field-range"), path, _FORMS.get(info.pattern, info.pattern), value
                )
            elif not (info.min_length or 0) <= len(value) <= (info.max_length or math.inf):
                expected = f"{info.min_length or 0} to {info.max_length or 'any number of'} characters"
                yield self.refusal(extra.get("slug", "field-range"), path, expected, value)
        elif isinstance(info, (shape.IntType, shape.FloatType)):
            yield from self.number(value, info, path, extra)

    def number(self, value: Any, info: Any, path: str, extra: dict[str, Any]) -> Iterator[Refusal]:
        bounds = (
            ("at least", info.ge, operator.ge),
            ("at most", info.le, operator.le),
            ("more than", info.gt, operator.gt),
            ("less than", info.lt, operator.lt),
        )
        broken = [f"{word} {bound:g}" for word, bound, holds in bounds if bound is not None and not holds(value, bound)]
        if broken:
            yield self.refusal(extra.get("slug", "field-range"), path, ", ".join(broken), value)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or _is_integer(value)


_SCALARS: dict[type[Any], tuple[str, Any]] = {
    shape.StrType: ("text", lambda value: isinstance(value, str)),
    shape.BoolType: ("true or false", lambda value: isinstance(value, bool)),
    shape.IntType: ("a whole number", _is_integer),
    shape.FloatType: ("a number", _is_number),
    shape.NoneType: ("null", lambda value: value is None),
}

_MOST_BITS = 256
"""Largest integer that a message writes out."""

_FORMS = {
    "^[0-9a-f]{64}\\Z": "64 lower-case hexadecimal characters",
    _IDENTIFIER: IDENTIFIER,
    _TIME: "a time as 2026-11-30T09:32:00Z, of a day that the calendar has",
}


def _nearest(name: str, known: dict[str, Any]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"a known field; the nearest is {close[0]}" if close else "a known field"


def describe(value: Any) -> str:
    """Return ``value`` as short text for a message; it is escaped when it is shown."""
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:  # Python writes no integer of any length
        return f"a whole number of about {math.ceil(value.bit_length() * math.log10(2))} digits"
    return str(value)
