"""Transcripts that another harness made, and what is known of where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sitegen.harness.closing import TOOL, Closed, close_run, true_ids
from sitegen.harness.foreign.source import read_source
from sitegen.harness.marking import Answer, Marker
from sitegen.harness.opening import OpenRun, discard_rehearsal
from sitegen.read.files import Tree
from sitegen.read.report import MadeBy
from sitegen.read.transcript import Transcript, read_transcripts


def score_handed_in(run: OpenRun, path: Path, executor: str | None = None) -> Closed:
    """Score the transcripts in ``path`` and close the run; a rehearsal without a report leaves nothing behind.

    Where ``executor`` is a cluster's address, the metric is asked there.

    Raises:
        Misuse: the cluster cannot be used.
        Refused: every fault of form, and as :func:`close_run`.
        OSError: a file cannot be written.
    """
    closed = None
    try:
        transcripts, made_by = read_handed_in(run, path)
        known = {} if executor is None else _verdicts_on(executor, run, transcripts)
        with Marker(run.protocol, run.pack, run.protocol_folder) as marker:
            marker.know(known)
            closed = close_run(run, transcripts, made_by, marker)
    finally:
        if closed is None or closed.card is None:
            discard_rehearsal(run)
    return closed


def _verdicts_on(executor: str, run: OpenRun, transcripts: Sequence[Transcript]) -> dict[Answer, bool]:
    from sitegen.harness.spread_marking import verdicts_ahead

    return verdicts_ahead(run, transcripts, executor)


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
