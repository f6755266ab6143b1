"""Find the parts of a file that a person reads: all of a text, the comments and docstrings of a source file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

HASH = r"#[^\n]*"
SLASHES = r"//[^\n]*|/\*.*?\*/"
DASHES = r"--[^\n]*"
PARTS = {
    ".md": r".+",
    ".txt": r".+",
    ".rst": r".+",
    ".py": HASH + r'|""".*?"""',
    ".sh": HASH,
    ".yaml": HASH,
    ".toml": HASH,
    ".conf": HASH,
    ".rb": HASH,
    ".jl": HASH,
    ".js": SLASHES,
    ".ts": SLASHES,
    ".c": SLASHES,
    ".h": SLASHES,
    ".go": SLASHES,
    ".rs": SLASHES,
    ".java": SLASHES,
    ".css": SLASHES,
    ".sql": DASHES,
    ".lua": DASHES,
    ".hs": DASHES,
    ".html": r"<!--.*?-->",
}


def mend_parts(path: str, text: str, mend: Callable[[str], str]) -> str:
    """Return `text` with `mend` applied to each part that is prose; a file of an unknown kind has none."""
    pattern = PARTS.get(PurePosixPath(path).suffix)
    if pattern is None:
        return text
    return re.sub(pattern, lambda part: mend(part.group()), text, flags=re.DOTALL)
