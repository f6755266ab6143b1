"""Fetch evidence that a run keeps elsewhere, and keep it only if it has the stated size and digest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sitegen.digests import sha256
from sitegen.harness.disk import write_file
from sitegen.read.address import fetch
from sitegen.read.elsewhere import read_elsewhere
from sitegen.read.library import EVIDENCE_NAME, RunFolder
from sitegen.refusals import Refusal, Refused


def fetch_evidence(root: Path, folder: RunFolder) -> Iterator[str]:
    """Fetch what a run's ``evidence.yaml`` names and its folder lacks; yield the path of each file that was written.

    Raises:
        Refused: the list cannot be read, the file cannot be had, or it is another (``evidence-mismatch``).
        OSError: it cannot be written, or where it is kept cannot be reached now.
    """
    source = folder.files.get(EVIDENCE_NAME)
    listed = {} if source is None else read_elsewhere(source).files
    for name, entry in listed.items():
        if name in folder.files:
            continue
        path = f"{folder.path}/{name}"
        data = fetch(entry.url, path, entry.size)
        if sha256(data) != entry.sha256:
            found = Refusal(slug="evidence-mismatch", file=path, expected=entry.sha256, found=sha256(data))
            raise Refused([found])
        write_file(root / path, data)
        yield path
