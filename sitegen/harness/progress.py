"""How far a sitting is: counts, rate of work and time left. Values only; the terminal is the command line's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A moment of a sitting.

    Attributes:
        phase: ``null pack`` or ``dataset``.
        total: tasks and null-pack rows of the run.
        done: of these, those that have their row; ``resumed`` of them had it before this sitting.
        passed: ordinary tasks whose artifact the metric passed; ``None`` where it is asked only at the end (a judge).
        abstained: rows that abstained.
        errors: rows with an error or a timeout.
        seconds: since this sitting began.
    """

    phase: str
    total: int
    done: int
    resumed: int
    passed: int | None
    abstained: int
    errors: int
    seconds: float

    @property
    def rate(self) -> float | None:
        """Rows a second in this sitting; ``None`` before the first."""
        made = self.done - self.resumed
        return made / self.seconds if made and self.seconds > 0 else None

    @property
    def left(self) -> float | None:
        """Seconds left at this rate; ``None`` where it is not known yet."""
        return None if self.rate is None else (self.total - self.done) / self.rate


Watch = Callable[[Progress], None]
"""Told of every moment; it must not raise."""
