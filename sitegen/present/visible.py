"""Foreign text made visible: what would be invisible, or steer the text around it, is shown as an escape.

Escaping for HTML is the templates' work (autoescape). This is about characters that HTML allows and a reader cannot
see, and about those that HTML does not allow at all.
"""

from __future__ import annotations

import re

from markupsafe import Markup

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\U0001fffe\U0001ffff\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)


def visible(text: str) -> str:
    r"""Return ``text`` with control, bidirectional and invisible characters written as ``\u202e``.

    Tabs and line feeds stay; so do the joiners that scripts and emoji need.
    """
    return text if text.isprintable() else _UNSEEN.sub(_escape, text)


def finalize(value: object) -> object:
    """Make every text that a template prints visible; markup made by templates passes as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


def clip(text: str, most: int) -> str:
    """Return at most ``most`` characters of ``text``, the last an ellipsis where something is left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _escape(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
