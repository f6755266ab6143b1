"""What is measured once and not by size: the start of the command, and scoring."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.bench.timing import ratio, spread, timed

START_ROUNDS = 4  # a start is short, so that many of them cost nothing
SCORED_TASKS = 1000


def start(rounds: int) -> dict[str, Any]:
    """Time ``sitegen --version`` beside a Python that does nothing."""
    ours, bare = [], []
    for _ in range(START_ROUNDS * rounds):
        ours.append(timed((sys.executable, "-m", "sitegen", "--version")))
        bare.append(timed((sys.executable, "-c", "pass")))
    return {"version": spread(ours), "bare": spread(bare), "ratio": ratio(ours, bare, "wall")}


def scoring(work: Path, rounds: int) -> dict[str, Any]:
    """Time ``sitegen score`` of one rehearsal: the sealed metric in its process, strict reading, the report."""
    corpus = work / f"corpus-1x1x{SCORED_TASKS}"
    size = ("--protocols=1", "--reports=1", f"--tasks={SCORED_TASKS}")
    timed((sys.executable, "-m", "tests.bench.corpus", str(corpus), *size))
    protocol = next(iter(sorted((corpus / "protocols").iterdir())))
    report = next(iter(sorted((corpus / "reports" / protocol.name).glob("*/report.json"))))
    transcripts, manifest = report.with_name("transcripts.jsonl"), report.with_name("manifest.yaml")
    command = (sys.executable, "-m", "sitegen", "score", str(protocol), f"--transcripts={transcripts}")
    contestant = next(iter(sorted((corpus / "contestants").glob("*/manifest.yaml"))), manifest)
    costs = [timed((*command, f"--manifest={contestant}")) for _ in range(rounds)]
    found = spread(costs)
    return {**found, "tasks": SCORED_TASKS, "tasks_a_second": round(SCORED_TASKS / found["wall"])}
