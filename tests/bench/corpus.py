"""Write a corpus in sitegen's own formats: protocols that are really sealed, runs that are really opened and closed.

    python -m tests.bench.corpus FOLDER --protocols 100 --reports 10 --tasks 30

Every digest and every ledger event is real, made by the same code that a user runs; only two things are left out for
speed: waiting for the disk, and the metric's own process (the shipped metric is called directly). The content is drawn
from a seeded generator; run ids are random, so two corpora differ in them.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sitegen.harness import opening
from sitegen.harness.closing import TOOL, close_run
from sitegen.harness.opening import OpenRun
from sitegen.read.report import MadeBy
from sitegen.read.shipped import shipped_metric
from sitegen.read.tasks import Task
from sitegen.read.transcript import Transcript
from tests.sites import make_contestant, make_protocol

_TEXT = (
    "patch test oracle diff retry loop parser index cache route lock seal digest null refuse fixture module import"
    " stack trace branch merge commit schema field value missing hidden request answer guess abstain tool call budget"
)
WORDS = _TEXT.split()


class DirectMarker:
    """The shipped metric without a process of its own."""

    verdicts: tuple[()] = ()

    def __init__(self, run: OpenRun) -> None:
        self._matches = shipped_metric(run.protocol.metric.sha256)
        self._oracles = {**run.pack.oracles, **run.pack.null_oracles}

    def verdict(self, task: Task, artifact: str) -> bool:
        """Compare the artifact with the oracle."""
        assert self._matches is not None
        return self._matches(artifact, self._oracles[task.id])


def write_corpus(root: Path, protocols: int, reports: int, tasks: int, jobs: int = 2) -> None:
    """Write the corpus below ``root``; a folder that is there already is kept as it is."""
    if root.exists():
        return
    staging = root.with_name(f"{root.name}.partial")
    work = [(staging, number, reports, tasks) for number in range(protocols)]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        for done, _ in enumerate(pool.imap_unordered(_write_protocol, work), start=1):
            if done % 100 == 0:
                print(f"{done} of {protocols} protocols", file=sys.stderr)
    staging.rename(root)


def _write_protocol(work: tuple[Path, int, int, int]) -> None:
    root, number, reports, tasks = work
    with _without_waiting():
        rng = random.Random(number)
        protocol_id = f"bench-{number:05}.v1"
        make_protocol(
            root, protocol_id, tasks=_tasks(rng, tasks), changes={"publish": {"min_n": 1, "min_n_negative": 1}}
        )
        for report in range(reports):
            _write_run(rng, root, protocol_id, report)


def add_run(root: Path) -> None:
    """Add one more run to the protocol in the middle: the one change of a build in which one report changed."""
    ids = sorted(folder.name for folder in (root / "protocols").iterdir())
    protocol_id = ids[len(ids) // 2]
    there = sum(1 for _ in (root / "reports" / protocol_id).glob("*/report.json"))
    with _without_waiting():
        _write_run(random.Random(there), root, protocol_id, there)


def _write_run(rng: random.Random, root: Path, protocol_id: str, number: int) -> None:
    # One contestant's folder a protocol and run: several processes write below one root.
    manifest = make_contestant(root, f"{protocol_id}-agent-{number:02}", route=f"agent-{number:02}-2026-11")
    run = opening.open_run(root, protocol_id, manifest)
    marker: Any = DirectMarker(run)
    close_run(run, _transcripts(rng, run), MadeBy(tool=TOOL, how="run", isolation="none", jobs=1), marker)


@contextmanager
def _without_waiting() -> Any:
    with patch.object(os, "fsync", lambda descriptor: None):
        yield


def _tasks(rng: random.Random, count: int) -> list[dict[str, Any]]:
    def text(length: int) -> str:
        return " ".join(rng.choice(WORDS) for _ in range(length))

    rows = []
    for i in range(count):
        row = {"id": f"T-{i:05}", "kind": "negative" if i % 3 == 2 else "ordinary", "prompt": text(30)}
        rows.append(row if i % 3 == 2 else {**row, "oracle": text(10)})
    return rows


def _transcripts(rng: random.Random, run: OpenRun) -> Sequence[Transcript]:
    skill, care = rng.uniform(0.4, 0.95), rng.uniform(0.3, 0.95)
    return [_transcript(rng, run, task, skill, care) for task in (*run.pack.null_pack, *run.pack.dataset)]


def _transcript(rng: random.Random, run: OpenRun, task: Task, skill: float, care: float) -> Transcript:
    answer: str | None
    if task.kind is None:
        answer = "nothing was" if task.expected_class == "must_fail" else task.oracle
    elif task.kind == "ordinary":
        answer = task.oracle if rng.random() < skill else " ".join(rng.choice(WORDS) for _ in range(10))
    else:
        answer = None if rng.random() < care else " ".join(rng.choice(WORDS) for _ in range(10))
    return Transcript(
        task_id=task.id,
        pack="null_pack" if task.kind is None else "dataset",
        status="ok",
        abstained=answer is None,
        artifact=answer,
        route=run.manifest.route,
        retries=0,
        tool_calls=rng.randrange(12),
        tools_used=(),
        wall_clock_sec=round(rng.lognormvariate(1.5, 0.8), 3) % 59,
        files_touched=0,
    )


def main() -> int:
    """Write one corpus from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    for name, default in (("--protocols", 10), ("--reports", 10), ("--tasks", 30)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--add-run", action="store_true", help="add one run to a corpus that is there")
    given = parser.parse_args()
    if given.add_run:
        add_run(given.folder)
    else:
        write_corpus(given.folder, given.protocols, given.reports, given.tasks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
