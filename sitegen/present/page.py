"""One finished file of a site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sitegen.read.source import LargeFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A file of the site: ``path`` below the site's root, written with ``/``, and its bytes."""

    path: str
    data: bytes = field(repr=False)

    def pieces(self) -> Iterator[bytes]:
        """Yield all bytes."""
        yield self.data


class LargePage(Page):
    """A large file of the inputs that is published as it is, and never needs to be in memory as a whole.

    ``data`` brings all of it into memory, and is for those who cannot do with less.
    """

    __slots__ = ("_source",)

    _source: LargeFile

    def __init__(self, *, path: str, source: LargeFile) -> None:
        for name, value in (("path", path), ("_source", source)):
            object.__setattr__(self, name, value)  # frozen, as every page is

    @property
    def data(self) -> bytes:
        """All bytes.

        Raises:
            Refused: as :meth:`pieces`.
        """
        return self._source.data

    def pieces(self) -> Iterator[bytes]:
        """Yield all bytes, a few at a time.

        Raises:
            Refused: the file is not the one that was verified (``file-changed``), or is gone.
        """
        return self._source.pieces()
