"""Processor time as a bound: for what would take minutes if it were wrong, not to say how quick anything is.

A machine that is shared makes any one try slower, by its caches and its clock. What is at fault is slow every time, so
the quickest of a few tries is judged.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

TRIES = 4


def least_seconds(enough: float, work: Callable[..., Any], *args: Any) -> float:
    """Return the least processor seconds that ``work`` took; it is tried again where it took ``enough`` or more."""
    least = float("inf")
    for _ in range(TRIES):
        began = time.process_time()
        work(*args)
        least = min(least, time.process_time() - began)
        if least < enough:
            break
    return least
