r"""Pass when two unified diffs make the same change to the same files.

What counts: both file names of every section, git's extended headers (modes, renames), the position and the
lengths of every hunk, and every line of every hunk. A hunk is read by the lengths in its header, so that a
removed line `-- x` (which stands as `--- x`) is a line and not a file name. A carriage return counts, as do
the markers "\ No newline at end of file".

What does not count: `diff --git` and `index` lines, what follows a tab after a file name (a time), the text
after the second `@@` of a hunk header, a length of 1 written out or left out, and the order of the files.

A result that is empty or that cannot be read as a unified diff never passes; prose, code fences, an
unprefixed blank line and a missing last line end make it unreadable. An oracle that cannot be read raises
`ValueError`: that is a fault of the protocol and not of the solver.
"""

from __future__ import annotations

import re
from pathlib import Path

HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: .*)?", re.DOTALL)
UNCOUNTED = (b"diff --git ", b"index ")
EXTENDED = (
    b"old mode ",
    b"new mode ",
    b"new file mode ",
    b"deleted file mode ",
    b"similarity index ",
    b"dissimilarity index ",
    b"rename from ",
    b"rename to ",
    b"copy from ",
    b"copy to ",
)

Hunk = tuple[tuple[int, int, int, int], tuple[bytes, ...]]
Section = tuple[tuple[bytes, ...], tuple[Hunk, ...]]


def score(result: str, oracle_path: str) -> dict[str, object]:
    """Compare the diff `result` with the diff in the file at `oracle_path`.

    Returns `{"pass": bool, "metric": "exact_diff"}`. A missing oracle raises `FileNotFoundError`, an
    unreadable one `ValueError`.
    """
    return {"pass": matches(result, Path(oracle_path).read_bytes()), "metric": "exact_diff"}


def matches(result: str, oracle: bytes) -> bool:
    """Tell whether `result` makes the change that the diff `oracle` makes."""
    expected = parse(oracle)
    try:
        return parse(result.encode("utf-8", "surrogatepass")) == expected
    except ValueError:
        return False


def parse(diff: bytes) -> dict[tuple[bytes, bytes], Section]:
    """Read a unified diff as {(old name, new name): (extended headers, hunks)}.

    Raises `ValueError` where it is empty or not a unified diff, or where two sections name the same files.
    """
    if not diff.endswith(b"\n"):
        raise ValueError("the diff is empty or its last line has no end")
    lines = diff[:-1].split(b"\n")
    sections: dict[tuple[bytes, bytes], Section] = {}
    at = 0
    while at < len(lines):
        headers, at = _headers(lines, at)
        names = (_name(lines, at, b"--- "), _name(lines, at + 1, b"+++ "))
        hunks, at = _hunks(lines, at + 2)
        if names in sections:
            raise ValueError(f"two sections for {names!r}")
        sections[names] = (headers, hunks)
    return sections


def _headers(lines: list[bytes], at: int) -> tuple[tuple[bytes, ...], int]:
    """Collect the extended headers that stand before a section's file names."""
    counted: list[bytes] = []
    while at < len(lines) and lines[at].startswith(UNCOUNTED + EXTENDED):
        if lines[at].startswith(EXTENDED):
            counted.append(lines[at])
        at += 1
    return tuple(counted), at


def _name(lines: list[bytes], at: int, prefix: bytes) -> bytes:
    """Return the file name on a `---` or `+++` line, without a tab and what follows it."""
    if at >= len(lines) or not lines[at].startswith(prefix):
        raise ValueError(f"line {at + 1}: expected {prefix!r} and a file name")
    return lines[at][len(prefix) :].split(b"\t", 1)[0]


def _hunks(lines: list[bytes], at: int) -> tuple[tuple[Hunk, ...], int]:
    """Read the hunks of one section; there is at least one."""
    hunks: list[Hunk] = []
    while at < len(lines) and (header := HUNK.fullmatch(lines[at])):
        old_start, old_length, new_start, new_length = (int(part or b"1") for part in header.groups())
        body, at = _body(lines, at + 1, old_length, new_length)
        hunks.append(((old_start, old_length, new_start, new_length), body))
    if not hunks:
        raise ValueError(f"line {at + 1}: expected a hunk")
    return tuple(hunks), at


def _body(lines: list[bytes], at: int, old: int, new: int) -> tuple[tuple[bytes, ...], int]:
    """Read one hunk's lines: `old` lines of the old file, `new` of the new one, and end-of-file markers."""
    start = at
    while at < len(lines):
        kind = lines[at][:1]
        if kind == b"\\" and at > start:
            at += 1
            continue
        if old == 0 and new == 0:
            break
        if kind not in (b" ", b"-", b"+"):
            raise ValueError(f"line {at + 1}: not a line of a hunk")
        old -= kind != b"+"
        new -= kind != b"-"
        if old < 0 or new < 0:
            raise ValueError(f"line {at + 1}: more lines than the hunk's header says")
        at += 1
    if old or new:
        raise ValueError("the diff ends inside a hunk")
    return tuple(lines[start:at]), at
