"""The terminal: results on standard output, everything else on standard error. The only place that prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from sitegen.refusals import MOST_SHOWN, Refusal
from sitegen.refusals.message import as_object, as_text, escape, printable

FORMATS = ("text", "json", "github")


class Console:
    """Where a command says things, in the format that was asked for (``text``, ``json``, ``markdown``, ``github``).

    Whatever a person reads goes through :func:`printable`, so that a name from a file cannot move the cursor.
    """

    def __init__(self, format_: str = "text", quiet: bool = False) -> None:
        self.format = format_
        self.quiet = quiet

    def result(self, text: str) -> None:
        """Print a result for a person on standard output; nothing when a program reads it."""
        if self.format != "json":
            _say(printable(text), sys.stdout)

    def data(self, value: Any) -> None:
        """Print a result for a program on standard output; nothing when a person reads it."""
        if self.format == "json":
            _say(json.dumps(value, sort_keys=True), sys.stdout)

    def note(self, text: str) -> None:
        """Print something that is not the result on standard error, unless it shall be quiet."""
        if not self.quiet:
            _say(printable(text), sys.stderr)

    def error(self, text: str) -> None:
        """Print why the command fails on standard error."""
        _say(printable(text), sys.stderr)

    def refusals(self, refusals: Sequence[Refusal]) -> None:
        """Print refusals: to a person on standard error, to a program as one object a line on standard output."""
        if self.format == "json":
            for refusal in refusals:
                _say(json.dumps(as_object(refusal), sort_keys=True), sys.stdout)
            return
        for refusal in refusals[:MOST_SHOWN]:
            self.error(_annotation(refusal) if self.format == "github" else as_text(refusal))
        if len(refusals) > MOST_SHOWN:
            self.error(f"and {len(refusals) - MOST_SHOWN} more")


def _say(text: str, stream: TextIO | None) -> None:
    """Print one text; a stream that was closed before the start takes nothing."""
    if stream is not None:
        print(text, file=stream)


def _annotation(refusal: Refusal) -> str:
    """Return the refusal as a workflow command, which a forge shows beside the file."""
    level = "notice" if refusal.recorded else "error"
    text = as_text(refusal).replace("%", "%25").replace("\n", "%0A")
    return f"::{level} file={escape(refusal.file).replace(',', '%2C').replace(':', '%3A')},title={refusal.slug}::{text}"
