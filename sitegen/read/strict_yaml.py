"""Strict YAML: plain mappings, lists and scalars on which YAML 1.1 and 1.2 agree.

Values are built from the parser's events, so that nothing of YAML's object model (tags, anchors, aliases, merges)
can act before it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from sitegen.read.strict import MAX_DEPTH, MAX_SAFE_INTEGER, check_text
from sitegen.refusals import Refusal, Refused

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

YAML_LIMIT = 256 << 10
"""Most bytes of a YAML document. People write them, and reading one takes seconds a megabyte."""

_NULL = frozenset(("null", "~", ""))
_TRUTH = {"true": True, "false": False}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_REAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+][0-9]+)?")
# Unquoted text which one of the two versions, or a common reader, takes for something other than text.
_AMBIGUOUS = re.compile(
    r"(?:[-+]?[0-9][0-9_]*(?:[eE.:][0-9_eE.:+-]*)?"  # 010, 1_000, 1e3, 1:30, 1.2.3
    r"|[-+]?\.[0-9]+.*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
    r"|[-+]?0[xob][0-9a-fA-F_]+"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*"
    r"|y|Y|n|N|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF"
    r"|True|TRUE|False|FALSE|Null|NULL|=|<<)"
)


def parse_yaml(data: bytes, file: str) -> Any:
    """Return the value of one strict YAML document.

    Raises:
        Refused: ``text-encoding``, ``yaml-malformed``, ``yaml-unsupported`` or ``duplicate-key``, with the line;
            ``file-too-large``.
    """
    if len(data) > YAML_LIMIT:
        expected, found = f"at most {YAML_LIMIT} bytes of YAML", f"{len(data)} bytes"
        raise Refused([Refusal(slug="file-too-large", file=file, expected=expected, found=found)])
    check_text(data, file)
    builder = _Builder(file)
    try:
        events = yaml.parse(data, Loader=_Loader)
        return builder.document(events)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = "" if mark is None else f"line {mark.line + 1}"
        found = str(getattr(error, "problem", None) or error)
        raise Refused([Refusal(slug="yaml-malformed", file=file, path=place, expected="YAML", found=found)]) from None


def plain_scalar(text: str) -> Any:
    """Return what the unquoted scalar ``text`` means.

    Raises:
        ValueError: readers differ in what it means.
    """
    if text in _NULL:
        return None
    if text in _TRUTH:
        return _TRUTH[text]
    if _INTEGER.fullmatch(text) and text not in ("-0", "+0"):
        number = int(text) if len(text) < 18 else MAX_SAFE_INTEGER + 1
        if abs(number) > MAX_SAFE_INTEGER:
            raise ValueError("an integer beyond 2^53")
        return number
    if _REAL.fullmatch(text):
        value = float(text)
        if value in (float("inf"), float("-inf")) or (value == 0 and text.startswith("-")):
            raise ValueError("a number that has no exact reading")
        return value
    if _AMBIGUOUS.fullmatch(text):
        raise ValueError("unquoted text that YAML 1.1 and 1.2 read differently")
    return text


class _Builder:
    """Builds plain values from one event stream; ``file`` names the source in refusals."""

    def __init__(self, file: str) -> None:
        self.file = file

    def document(self, events: Iterator[Any]) -> Any:
        value: Any = None
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self.refused("yaml-unsupported", event, "one document", "several")
                if event.tags or event.version:
                    raise self.refused("yaml-unsupported", event, "no directives", "a directive")
                value = self.value(next(events), events, 0)
        if documents == 0:
            raise self.refused("yaml-malformed", None, "a document", "nothing")
        return value

    def value(self, event: Any, events: Iterator[Any], depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise self.refused("yaml-unsupported", event, f"at most {MAX_DEPTH} levels", "deeper nesting")
        if event.anchor is not None:  # an anchor, or an alias of one
            raise self.refused("yaml-unsupported", event, "no anchors and no aliases", event.anchor)
        if event.tag is not None:
            raise self.refused("yaml-unsupported", event, "no tags", event.tag)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(events, depth)
        return self.mapping(events, depth)

    def scalar(self, event: Any) -> Any:
        if event.style in ("'", '"', "|", ">"):
            return event.value
        try:
            return plain_scalar(event.value)
        except ValueError as error:
            raise self.refused("yaml-unsupported", event, "quotation marks", f"{event.value} ({error})") from None

    def sequence(self, events: Iterator[Any], depth: int) -> list[Any]:
        made: list[Any] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            made.append(self.value(event, events, depth + 1))
        return made

    def mapping(self, events: Iterator[Any], depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = self.value(event, events, depth + 1)
            if not isinstance(key, str):
                raise self.refused("yaml-unsupported", event, "text as a key", repr(key))
            if key in made:
                raise self.refused("duplicate-key", event, "each key once", key)
            made[key] = self.value(next(events), events, depth + 1)
        return made

    def refused(self, slug: str, event: Any, expected: str, found: str) -> Refused:
        place = "" if event is None else f"line {event.start_mark.line + 1}"
        return Refused([Refusal(slug=slug, file=self.file, path=place, expected=expected, found=found)])
