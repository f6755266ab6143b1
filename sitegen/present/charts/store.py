"""Drawn charts, kept by the digest of what they were drawn from."""

from __future__ import annotations

import os
from pathlib import Path

from sitegen.digests import Digest


class FigureStore:
    """Keeps drawn SVG by the digest of specification, data and drawer; without a folder it keeps it in memory."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kept: dict[Digest, str] = {}

    def get(self, digest: Digest) -> str | None:
        """Return the figure drawn from ``digest``, or ``None``."""
        if digest in self._kept:
            return self._kept[digest]
        if self._folder is None:
            return None
        try:
            return (self._folder / f"{digest}.svg").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def put(self, digest: Digest, figure: str) -> None:
        """Keep ``figure``; a file appears whole or not at all, so that workers may share the folder."""
        if self._folder is None:
            self._kept[digest] = figure
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        unfinished = self._folder / f".{digest}.{os.getpid()}"
        unfinished.write_text(figure, encoding="utf-8")
        unfinished.replace(self._folder / f"{digest}.svg")
