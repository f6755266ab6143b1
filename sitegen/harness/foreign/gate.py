"""What may not be published does not get into the transcripts: the site's own gate, asked before they are written."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from sitegen.read.settings import Settings
from sitegen.refusals import Refusal, Refused
from sitegen.verify.secrets import find_secrets

CHUNK = 1 << 20
"""Bytes of transcripts that are looked at together."""
_LINE = re.compile(r"\bline (\d+)")

Gate = Callable[[bytes, str], tuple[list[Refusal], list[str]]]
"""Takes whole lines and the file's name; returns (reasons against publishing, warnings), both with ``line N``."""


class Warn(Protocol):
    """Says a warning to the user."""

    def __call__(self, text: str, /) -> None:
        """Say it."""


def secrets_gate(settings: Settings) -> Gate:
    """Return the gate that a build will apply: credentials are faults, mail addresses and home folders warnings."""
    allowed = frozenset(settings.allow_secrets)
    return lambda data, name: find_secrets(name, data, allowed, settings.strict_privacy)


def gated(lines: Iterable[bytes], name: str, gate: Gate, warn: Warn) -> Iterator[bytes]:
    """Pass whole lines on in chunks that the gate lets through.

    Raises:
        Refused: ``evidence-secret``, with the line; the text itself is not shown.
    """
    first = 1
    for chunk in _chunks(lines):
        faults, warnings = gate(chunk, name)
        if faults:
            raise Refused([dataclasses.replace(fault, path=_moved(fault.path, first)) for fault in faults])
        for warning in warnings:
            warn(_moved(warning, first))
        yield chunk
        first += chunk.count(b"\n")


def _chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= CHUNK:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _moved(text: str, first: int) -> str:
    """Turn a line of a chunk into a line of the file."""
    return _LINE.sub(lambda match: f"line {int(match[1]) + first - 1}", text)
