r"""The unified diff of a workspace, as git writes it, without extended headers.

Only LF ends a line. A last line without one is marked ``\ No newline at end of file``; an added or removed file stands
beside ``/dev/null``; bytes that are not UTF-8 are ``Binary files … differ``, which is no diff that a metric can apply.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sitegen.harness.workspace import Change

CONTEXT = 3
_UNQUOTED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class TooLaborious(Exception):
    """Two files differ in so many places that comparing them line by line is given up."""


def unified_diff(changes: Iterable[Change], steps: int) -> str:
    """Return the diff of all ``changes``, in their order.

    Raises:
        TooLaborious: a file would take more than ``steps`` comparisons of lines.
    """
    return "".join(part for change in changes for part in _section(change, steps))


def _section(change: Change, steps: int) -> Iterator[str]:
    old_name = "/dev/null" if change.old is None else _name("a", change.path)
    new_name = "/dev/null" if change.new is None else _name("b", change.path)
    old, new = _text(change.old), _text(change.new)
    if change.kind == "special" or old is None or new is None:
        yield f"Binary files {old_name} and {new_name} differ\n"
        return
    if change.kind == "link":
        yield "new mode 120000\n" if change.old is not None else "new file mode 120000\n"
    yield f"--- {old_name}\n+++ {new_name}\n"
    yield from _hunks(_lines(old), _lines(new), steps)


def _name(side: str, path: str) -> str:
    """Return a file's name, in quotes where it holds what could be taken for another line."""
    raw = f"{side}/{path}"
    if raw.isprintable() and not any(char in raw for char in '"\\'):
        return raw
    return '"' + "".join(_quoted(char) for char in raw) + '"'


def _quoted(char: str) -> str:
    if char in _UNQUOTED:
        return _UNQUOTED[char]
    if char.isprintable():
        return char
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))


def _text(data: bytes | None) -> str | None:
    """Return a file as text; nothing for a file that is not there, ``None`` for one that is no text."""
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        return None


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    lines = [f"{part}\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _hunks(old: Sequence[str], new: Sequence[str], steps: int) -> Iterator[str]:
    for group in _BoundedMatcher(old, new, steps).get_grouped_opcodes(CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_extent(first[1], last[2])} +{_extent(first[3], last[4])} @@\n"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_line(" ", line) for line in old[i1:i2])
                continue
            yield from (_line("-", line) for line in old[i1:i2])
            yield from (_line("+", line) for line in new[j1:j2])


def _line(mark: str, line: str) -> str:
    return f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def _extent(start: int, stop: int) -> str:
    """Return a range of lines as a hunk's header says it; an empty one names the line before it."""
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


class _BoundedMatcher(difflib.SequenceMatcher[str]):
    """The matcher of :func:`difflib.unified_diff`, which gives up before a hostile file can occupy it for hours."""

    def __init__(self, old: Sequence[str], new: Sequence[str], steps: int) -> None:
        super().__init__(None, old, new)
        self._left = steps
        counts = Counter(new)
        popular = len(new) // 100 + 1 if len(new) >= 200 else len(new)  # the matcher passes over what is more frequent
        self._cost = [0]
        for line in old:
            self._cost.append(self._cost[-1] + 1 + (counts[line] if counts[line] <= popular else 0))

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> difflib.Match:
        """Charge for the lines that will be compared, then compare them."""
        self._left -= self._cost[-1 if ahi is None else ahi] - self._cost[alo]
        if self._left < 0:
            raise TooLaborious
        return super().find_longest_match(alo, ahi, blo, bhi)
