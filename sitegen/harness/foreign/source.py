"""The sidecar ``<transcripts>.source.json``: where imported transcripts come from, for the report and the page."""

from __future__ import annotations

from pathlib import Path

from sitegen.digests import canonical_json
from sitegen.harness.disk import write_file
from sitegen.read.files import Tree
from sitegen.read.schema import DigestText, Format, typed
from sitegen.read.strict import parse_json

SUFFIX = ".source.json"


class Source(Format, frozen=True, kw_only=True):
    """Where transcripts come from.

    Attributes:
        format: the importer's name.
        source_sha256: digest of every source file, in the order given.
        limits: sentences about what the source does not tell, and about what was chosen from it.
    """

    format: str
    source_sha256: tuple[DigestText, ...]
    limits: tuple[str, ...]


def sidecar(transcripts: Path) -> Path:
    """Return the path of the sidecar that belongs to a transcripts file."""
    return transcripts.with_name(transcripts.name + SUFFIX)


def read_source(transcripts: Path) -> Source | None:
    """Return where the transcripts come from; ``None`` where they were not imported.

    Raises:
        Refused: the sidecar is there but malformed.
    """
    path = sidecar(transcripts)
    with Tree(path.parent) as tree:
        if not tree.exists(path.name):
            return None
        file = tree.read(path.name)
    return typed(parse_json(file.data, file.path), Source, file.path)


def write_source(transcripts: Path, source: Source) -> None:
    """Write the sidecar in canonical JSON."""
    record = {"format": source.format, "source_sha256": [*source.source_sha256], "limits": [*source.limits]}
    write_file(sidecar(transcripts), canonical_json(record))
