"""Numbers, sizes, durations and digests as they are written on pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sitegen.digests import Digest

NOT_RECORDED = "not recorded"

_FOURS = re.compile(r".{1,4}", re.DOTALL).findall
_UNITS = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))
_INTERVALS = {"wilson": "Wilson", "clopper-pearson": "Clopper–Pearson", "bootstrap": "bootstrap (exact limit)"}
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@lru_cache(maxsize=2048)  # the same few stand on many pages of one protocol, and never again
def grouped(digest: Digest) -> str:
    """Return a digest in groups of four characters."""
    return " ".join(_FOURS(digest))


def short(digest: Digest) -> str:
    """Return the first eight characters of a digest in two groups, and an ellipsis."""
    return f"{digest[:4]} {digest[4:8]}…"


def size(count: int) -> str:
    """Return a number of bytes in the largest decimal unit that fits: ``1.8 kB``."""
    for unit, factor in _UNITS:
        if count >= factor:
            return f"{count / factor:.3g} {unit}" if count < 1000 * factor else f"{count / factor:,.0f} {unit}"
    return f"{count} B"


def seconds(value: float | None) -> str:
    """Return seconds to two decimals below ten and to one above, or "not recorded"; never 0 for what is more."""
    if value is None:
        return NOT_RECORDED
    if 0 < value < 0.005:
        return "<0.01 s"
    return f"{value:.2f} s" if value < 10 else f"{value:,.1f} s"


@lru_cache(maxsize=4096)
def amount(value: float | None) -> str:
    """Return a count, or a mean of two counts, or "not recorded"."""
    if value is None:
        return NOT_RECORDED
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return ``count`` with its noun: ``1 run``, ``3 runs``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def in_words(count: int) -> str:
    """Return a small number as a word, a larger one in digits."""
    return _SMALL[count] if count < len(_SMALL) else f"{count:,}"


def listed(parts: Sequence[str], none: str = "none") -> str:
    """Return names with commas, or ``none``."""
    return ", ".join(parts) if parts else none


def signed(value: float) -> str:
    """Return a difference of rates with its sign and three decimals; no difference has no sign, and is 0.000 alone."""
    if value == 0:
        return "0.000"
    text = f"{value:+.3f}"
    if float(text) == 0:
        text = "<+0.001" if value > 0 else ">-0.001"
    return text.replace("-", "\u2212")


def interval_method(name: str) -> str:
    """Return a sealed interval method as people write it."""
    return _INTERVALS.get(name, name)
