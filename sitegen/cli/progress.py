"""How a sitting's progress is shown: a live bar on a terminal, a plain line now and then elsewhere, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sitegen.cli.console import Console

if TYPE_CHECKING:
    from sitegen.harness.progress import Progress, Watch

_LINE_SEC = 10.0
"""Seconds between two plain lines."""


@contextmanager
def watching(console: Console) -> Iterator[Watch]:
    """Yield the watcher that fits the console and standard error."""
    if console.quiet or console.format == "json":
        yield _silent
    elif sys.stderr.isatty():
        with _bar() as watch:
            yield watch
    else:
        yield _Lines(console).watch


def described(progress: Progress) -> str:
    """Return a moment as one plain line."""
    passed = "" if progress.passed is None else f", {progress.passed} passed"
    counts = f"{progress.done}/{progress.total} done{passed}, {progress.abstained} abstained, {progress.errors} errors"
    return f"{progress.phase}: {counts}{_pace(progress)}"


def _pace(progress: Progress) -> str:
    if progress.rate is None or progress.left is None:
        return ""
    return f", {progress.rate:.3g}/s, {_clock(progress.left)} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def _silent(progress: Progress) -> None:
    """Show nothing."""


class _Lines:
    """Prints a line when a phase begins, when all is done, and every few seconds in between."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._phase = ""
        self._next = 0.0

    def watch(self, progress: Progress) -> None:
        """Print a line where one is due."""
        due = progress.seconds >= self._next or progress.done == progress.total
        if progress.phase != self._phase or due:
            self._phase = progress.phase
            self._next = progress.seconds + _LINE_SEC
            self._console.note(described(progress))


@contextmanager
def _bar() -> Iterator[Watch]:
    from rich.console import Console as Terminal
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = TextColumn("{task.description}"), BarColumn(bar_width=None), TextColumn("{task.fields[text]}")
    with Bar(*columns, console=Terminal(stderr=True), transient=True) as bar:
        shown = bar.add_task("starting", text="")

        def watch(progress: Progress) -> None:
            text = described(progress).partition(": ")[2]
            bar.update(shown, description=progress.phase, total=progress.total, completed=progress.done, text=text)

        yield watch
