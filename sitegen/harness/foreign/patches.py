"""What a patch says of itself."""

from __future__ import annotations

import re

_FILE = re.compile(r"^diff --git (.+)$", re.MULTILINE)
_PLAIN_FILE = re.compile(r"^\+\+\+ (.+)$", re.MULTILINE)


def files_in(patch: str | None) -> int | None:
    """Return how many files a patch touches; ``None`` where there is no patch to tell from."""
    if patch is None:
        return None
    return len(set(_FILE.findall(patch) or _PLAIN_FILE.findall(patch)))
