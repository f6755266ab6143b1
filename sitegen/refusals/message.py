"""A refusal as text for a person and as an object for a program.

Foreign text never reaches a terminal, a log or a page raw: whatever is not printable ASCII is escaped, so that no
escape sequence, line feed or bidirectional control gets through, and no line begins with foreign text.
"""

from __future__ import annotations

from typing import Any

from sitegen.digests import is_digest
from sitegen.refusals import Refusal

LONGEST = 120
"""Characters of foreign text that a message shows at the most."""
HINT_LENGTH = 400
"""Characters that it shows of a hint, which is our own text around foreign text."""


def escape(text: str, longest: int = LONGEST) -> str:
    """Return ``text`` in printable ASCII, cut to ``longest`` characters."""
    shown = text if text.isascii() and text.isprintable() else text.encode("unicode_escape").decode("ascii")
    return shown if len(shown) <= longest else shown[: longest - 1] + "~"


def printable(text: str) -> str:
    """Return ``text`` of our own with whatever is not printable escaped, but for its line feeds."""
    return "".join(char if char.isprintable() or char == "\n" else escape(char) for char in text)


def as_object(refusal: Refusal) -> dict[str, Any]:
    """Return the refusal as a JSON-ready object; absent parts are left out."""
    parts = {
        "slug": refusal.slug,
        "file": escape(refusal.file),
        "path": escape(refusal.path),
        "expected": None if refusal.expected is None else escape(refusal.expected),
        "found": None if refusal.found is None else escape(refusal.found),
        "hint": None if refusal.hint is None else escape(refusal.hint, HINT_LENGTH),
        "remedy": refusal.kind.remedy,
        "recorded": refusal.recorded,
    }
    return {name: value for name, value in parts.items() if value not in (None, "")}


def as_text(refusal: Refusal) -> str:
    """Return the refusal as lines for a person: expected above found, aligned, digests whole."""
    word = "recorded" if refusal.recorded else "refused"
    lines = [f"{word} {refusal.slug}  {escape(refusal.file)}"]
    if refusal.path:
        lines.append(f"  at        {escape(refusal.path)}")
    for label, value in (("expected", refusal.expected), ("found   ", refusal.found)):
        if value is not None:
            shown = value if is_digest(value) else escape(value)
            lines.append(f"  {label}  {shown}")
    if refusal.hint:
        lines.append(f"  likely: {escape(refusal.hint, HINT_LENGTH)}")
    lines.append(f"  do: {refusal.kind.remedy}")
    return "\n".join(lines)
