"""Tool calls as text: the canonical JSON that stands as the artifact of an agent whose answer is what it called."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, allow_nan=False).encode

Call = tuple[str, Mapping[str, Any]]
"""A function's name and its arguments by name."""


def as_artifact(calls: Iterable[Call]) -> str | None:
    """Return ``[["name", {"argument": value}], …]`` with sorted keys, or ``None`` where nothing was called.

    Raises:
        TypeError, ValueError, RecursionError: an argument has no JSON form, or holds half of a surrogate pair, which
            UTF-8 does not have.
    """
    rows = [[name, arguments] for name, arguments in calls]
    if not rows:
        return None
    text = _encode(rows)
    if not text.isascii():
        text.encode()  # half of a surrogate pair is a ValueError here, while the answer can still be told malformed
    return text
