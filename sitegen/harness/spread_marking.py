"""Ask the sealed metric of many answers on a cluster, ahead of the scoring, which then finds the verdicts made.

A judge is never asked there: it may need the caller's keys, and what it said is recorded where it was asked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from sitegen.harness.marking import Answer, Marker
from sitegen.harness.opening import OpenRun
from sitegen.harness.spreading import spread
from sitegen.measure.scoring import limits_of, outcome_of
from sitegen.read.files import Tree
from sitegen.read.pack import Pack
from sitegen.read.protocol import SealedProtocol
from sitegen.read.transcript import Transcript
from sitegen.refusals import Misuse, Refused

CHUNK = 200
"""Answers that are sent together: a metric's process takes longer to start than to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedExam:
    """A sealed exam with the bytes of its folder by path; the metric's digest is checked before it is asked."""

    protocol: SealedProtocol
    pack: Pack = field(repr=False)
    files: Mapping[str, bytes] = field(repr=False)


def verdicts_ahead(run: OpenRun, transcripts: Sequence[Transcript], executor: str) -> dict[Answer, bool]:
    """Return the metric's verdict on every answer to an ordinary task that it decides, asked on a cluster.

    What it failed on is left out: whoever asks again is told why.

    Raises:
        Misuse: the metric is a judge, or the cluster cannot be used.
        OSError: the cluster is lost.
    """
    if not run.protocol.metric.deterministic:
        raise Misuse("a judge is not asked on a cluster; leave --executor out")
    with Tree(run.protocol_folder) as tree:
        files = {path: tree.read(path).data for path in tree.files("")}
    exam = ShippedExam(protocol=run.protocol, pack=run.pack, files=files)
    found: dict[Answer, bool] = {}
    with closing(spread(executor, mark, _chunks(run, transcripts), exam)) as results:
        for verdicts in results:
            found.update(verdicts)
    return found


def mark(answers: Sequence[Answer], exam: ShippedExam) -> dict[Answer, bool]:
    """Return the verdicts on some answers. This runs on a worker.

    Raises:
        Refused: ``metric-drift``.
    """
    tasks = {task.id: task for task in exam.pack.dataset}
    verdicts: dict[Answer, bool] = {}
    with tempfile.TemporaryDirectory(prefix="sitegen-exam-") as made:
        folder = Path(made)
        for path, data in exam.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        with Marker(exam.protocol, exam.pack, folder) as marker:
            for answer in answers:
                try:
                    verdicts[answer] = marker.verdict(tasks[answer.task_id], answer.artifact)
                except Refused:
                    continue
    return verdicts


def _chunks(run: OpenRun, transcripts: Sequence[Transcript]) -> Iterator[list[Answer]]:
    limits = limits_of(run.protocol.budget, run.manifest)
    ordinary = {task.id for task in run.pack.ordinary}
    asked = (
        Answer(False, row.task_id, row.artifact or "")
        for row in transcripts
        if row.pack == "dataset" and row.task_id in ordinary and outcome_of("ordinary", row, limits, None) is None
    )
    while chunk := list(islice(asked, CHUNK)):
        yield chunk
