"""Run a command and say what it cost: wall clock, processor time and peak memory of it and of all its processes.

A process inherits the peak memory of the one that starts it, so whoever measures imports nothing that is large.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_TOLD = 2000  # bytes of what a failed command said


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one command cost: seconds of wall clock and of processor, and MiB at the peak of its largest process."""

    wall: float
    cpu: float
    peak: float


def timed(command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Cost:
    """Run ``command`` to its end and return its cost, that of the processes it waited for included.

    Raises:
        RuntimeError: it failed; a figure of a failed command is none.
    """
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        if process.returncode != 0:
            last = said.read()[-_TOLD:].decode("utf-8", "replace")
            raise RuntimeError(f"exit code {process.returncode}: {' '.join(command)}\n{last}")
    return Cost(wall=wall, cpu=usage.ru_utime + usage.ru_stime, peak=usage.ru_maxrss / 1024)


def spread(costs: Iterable[Cost]) -> dict[str, Any]:
    """Return the median of each part of the costs, with the least and the most of the wall clock, for a JSON file."""
    listed = list(costs)
    found: dict[str, Any] = {
        name: round(statistics.median(asdict(cost)[name] for cost in listed), 4) for name in ("wall", "cpu", "peak")
    }
    walls = [cost.wall for cost in listed]
    return {**found, "least": round(min(walls), 4), "most": round(max(walls), 4), "rounds": len(listed)}


def ratio(ours: Sequence[Cost], theirs: Sequence[Cost], part: str) -> float:
    """Return the median, over rounds, of our cost divided by theirs in the same round."""
    pairs = zip(ours, theirs, strict=False)
    return round(float(statistics.median(getattr(our, part) / getattr(their, part) for our, their in pairs)), 3)
