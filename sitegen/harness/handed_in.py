"""Transcripts that another harness made, and what is known of where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sitegen.harness.closing import TOOL, true_ids
from sitegen.harness.foreign.source import read_source
from sitegen.harness.opening import OpenRun
from sitegen.read.files import Tree
from sitegen.read.report import MadeBy
from sitegen.read.transcript import Transcript, read_transcripts


def read_handed_in(run: OpenRun, path: Path) -> tuple[Sequence[Transcript], MadeBy]:
    """Return the transcripts in ``path`` under their true ids, and how they were made.

    Raises:
        Refused: every fault of form.
    """
    with Tree(path.parent) as tree:
        source = tree.read(path.name)
    transcripts, ids = true_ids(run, read_transcripts(source))
    origin = read_source(path)
    return transcripts, MadeBy(
        tool=TOOL,
        how="score",
        ids=ids,
        source=None if origin is None else origin.format,
        source_sha256=None if origin is None else origin.source_sha256,
        limits=None if origin is None else origin.limits,
    )
