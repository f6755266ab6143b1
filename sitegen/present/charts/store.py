"""Drawn charts, kept by the digest of what they were drawn from."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from sitegen.digests import Digest, sha256


class FigureStore:
    """Keeps drawn SVG, and what it is drawn from, by digest; without a folder it keeps them in memory.

    A file begins with the digest of the rest, so that one that a crash cut off is drawn again.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kept: dict[Digest, str] = {}

    def get(self, digest: Digest) -> str | None:
        """Return what is kept under ``digest``, or ``None``."""
        if digest in self._kept:
            return self._kept[digest]
        if self._folder is None:
            return None
        try:
            drawn, _, figure = (self._folder / f"{digest}.svg").read_bytes().partition(b"\n")
        except OSError:
            return None
        if sha256(figure).encode() != drawn:
            return None  # cut off by a crash, or altered
        return figure.decode()

    def put(self, digest: Digest, figure: str) -> None:
        """Keep ``figure`` as far as that is possible; a file appears whole, so that workers may share the folder."""
        if self._folder is None:
            self._kept[digest] = figure
            return
        data = figure.encode()
        unfinished = self._folder / f".{digest}.{os.getpid()}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(sha256(data).encode() + b"\n" + data)
            unfinished.replace(self._folder / f"{digest}.svg")
        except OSError:
            with contextlib.suppress(OSError):
                unfinished.unlink()
