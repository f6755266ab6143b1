"""The terminal: results on standard output, everything else on standard error. The only place that prints."""

from __future__ import annotations

import json
import sys
from collections import Counter
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

    def finding(self, text: str) -> None:
        """Print a result that is as it should be, and that a person may do without: nothing where it shall be quiet."""
        if not self.quiet:
            self.result(text)

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
        """Print refusals: to a person on standard error, to a program as one object a line on standard output.

        A person is told the faults first, and of one report as many as help.
        """
        if self.format == "json":
            for refusal in refusals:
                _say(json.dumps(as_object(refusal), sort_keys=True), sys.stdout)
            return
        told: Counter[str] = Counter()
        for refusal in sorted(refusals, key=lambda refusal: refusal.recorded):
            told[_subject(refusal)] += 1
            if told[_subject(refusal)] <= MOST_SHOWN:
                self.error(_annotation(refusal) if self.format == "github" else as_text(refusal))
        for subject, count in told.items():
            if count > MOST_SHOWN:
                self.error(f"and {count - MOST_SHOWN} more of {escape(subject)}")


def _say(text: str, stream: TextIO | None) -> None:
    """Print one text; a stream that was closed before the start takes nothing."""
    if stream is not None:
        print(text, file=stream)


def _subject(refusal: Refusal) -> str:
    """Return the folder of the run that a refusal concerns; else its file."""
    from sitegen.read.library import REPORTS

    parts = refusal.file.split("/")
    return "/".join(parts[:3]) if parts[0] == REPORTS and len(parts) > 3 else refusal.file


def _annotation(refusal: Refusal) -> str:
    """Return the refusal as a workflow command, which a forge shows beside the file."""
    level = "notice" if refusal.recorded else "error"
    text = as_text(refusal).replace("%", "%25").replace("\n", "%0A")
    return f"::{level} file={escape(refusal.file).replace(',', '%2C').replace(':', '%3A')},title={refusal.slug}::{text}"
