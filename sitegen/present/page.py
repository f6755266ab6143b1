"""One finished file of a site."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A file of the site: ``path`` below the site's root, written with ``/``, and its bytes."""

    path: str
    data: bytes = field(repr=False)
