"""The only place that reads the wall clock. Times are claims; nothing in a build depends on them."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """Return the time in UTC to the second: ``2026-11-30T09:32:00Z``."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
