"""The artifact beside the oracle, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from sitegen.present.visible import clip

MOST_LINES = 400
"""Lines of either side that are set beside each other; the whole bytes stand in the evidence."""
MOST_CHARACTERS = 2000
"""Characters of one line that are shown."""

Same = Literal["same", "changed", "oracle only", "artifact only"]


class Side(NamedTuple):
    """One line: its number and text, which ends in ``⏎`` where this side alone has a line feed there."""

    number: int
    text: str


class DifferenceRow(NamedTuple):
    """One row of the comparison; a side is ``None`` where it has no such line."""

    kind: Same
    oracle: Side | None
    artifact: Side | None


class Difference(NamedTuple):
    """An artifact and its oracle. ``cut`` says that some lines are left out.

    ``rows`` are both sides beside each other where there are two that differ; else ``text`` is the one that there is.
    It and its parts are tuples: a report has one for each task. They hold what is shown and no more, however long an
    artifact is.
    """

    has_oracle: bool
    has_artifact: bool
    equal: bool
    rows: tuple[DifferenceRow, ...]
    text: str
    cut: bool

    @property
    def both(self) -> bool:
        """Whether there are two sides that differ."""
        return self.has_oracle and self.has_artifact and not self.equal

    @property
    def length(self) -> int:
        """Number of its characters."""
        sides = (side for row in self.rows for side in (row.oracle, row.artifact) if side is not None)
        return len(self.text) + sum(len(side.text) for side in sides)


def difference_of(oracle: bytes | None, artifact: str | None) -> Difference:
    """Return the comparison of an oracle's bytes with an artifact's text."""
    wanted = None if oracle is None else oracle.decode("utf-8", "backslashreplace")
    made = artifact or None
    left, right = _lines(wanted), _lines(made)
    equal = wanted is not None and wanted == made
    differ = wanted is not None and made is not None and not equal
    shown = (right or left)[:MOST_LINES]
    return Difference(
        has_oracle=wanted is not None,
        has_artifact=made is not None,
        equal=equal,
        rows=tuple(_rows(left[:MOST_LINES], right[:MOST_LINES])) if differ else (),
        text="" if differ else "\n".join([clip(line.removesuffix("\n"), MOST_CHARACTERS) for line in shown]),
        cut=len(left) > MOST_LINES or len(right) > MOST_LINES,
    )


def _lines(text: str | None) -> list[str]:
    """Split at line feeds; a text that does not end in one says so, since a metric may see the difference."""
    if not text:
        return []
    if "\n" not in text:
        return [text]
    *lines, last = text.split("\n")
    return [*[f"{line}\n" for line in lines], *([last] if last else ())]


def _rows(left: Sequence[str], right: Sequence[str]) -> list[DifferenceRow]:
    if len(left) == len(right) == 1 and left != right:  # as most wrong answers are
        return [DifferenceRow("changed", _side(left[0], 0, right[0]), _side(right[0], 0, left[0]))]
    rows: list[DifferenceRow] = []
    for tag, from_left, to_left, from_right, to_right in _blocks(left, right):
        for offset in range(max(to_left - from_left, to_right - from_right)):
            at_left, at_right = from_left + offset, from_right + offset
            one = left[at_left] if at_left < to_left else None
            other = right[at_right] if at_right < to_right else None
            kind = _kind(tag, one, other)
            rows.append(
                DifferenceRow(kind=kind, oracle=_side(one, at_left, other), artifact=_side(other, at_right, one))
            )
    return rows


def _blocks(left: Sequence[str], right: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Return what `SequenceMatcher` says; of the same lines, and of lines beside none, without asking it."""
    if left == right:
        return [("equal", 0, len(left), 0, len(right))]
    if not left or not right:
        return [("replace", 0, len(left), 0, len(right))]
    return SequenceMatcher(None, left, right, False).get_opcodes()


def _kind(tag: str, oracle: str | None, artifact: str | None) -> Same:
    if tag == "equal":
        return "same"
    if oracle is None:
        return "artifact only"
    return "oracle only" if artifact is None else "changed"


def _side(line: str | None, at: int, other: str | None) -> Side | None:
    if line is None:
        return None
    text = clip(line.removesuffix("\n"), MOST_CHARACTERS)
    only_here = other is not None and line.endswith("\n") and not other.endswith("\n")
    return Side(number=at + 1, text=f"{text}⏎" if only_here else text)
