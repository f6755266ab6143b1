"""Counts of the rows that a sitting has so far, for whoever watches it."""

from __future__ import annotations

from collections import Counter

from sitegen.harness.marking import Marker
from sitegen.harness.opening import OpenRun
from sitegen.harness.progress import Progress
from sitegen.measure.scoring import FAILED, limits_of, outcome_of
from sitegen.read.transcript import Transcript
from sitegen.refusals import Refused


class Tally:
    """Counts rows as they come. What passed is asked of the metric at once; a judge is asked only at the end."""

    def __init__(self, run: OpenRun, marker: Marker) -> None:
        self._limits = limits_of(run.protocol.budget, run.manifest)
        self._tasks = {task.id: task for task in run.pack.ordinary}
        self._total = len(run.pack.null_pack) + len(run.pack.dataset)
        self._marker: Marker | None = marker if run.protocol.metric.deterministic else None
        self._counts: Counter[str] = Counter()

    def count(self, row: Transcript) -> None:
        """Count one row."""
        self._counts["done"] += 1
        self._counts["abstained"] += bool(row.abstained)
        self._counts["errors"] += row.status == "timeout" or row.status in FAILED
        self._counts["passed"] += self._passes(row)

    def progress(self, phase: str, resumed: int, seconds: float) -> Progress:
        """Return the moment's counts."""
        return Progress(
            phase=phase,
            total=self._total,
            done=self._counts["done"],
            resumed=resumed,
            passed=None if self._marker is None else self._counts["passed"],
            abstained=self._counts["abstained"],
            errors=self._counts["errors"],
            seconds=seconds,
        )

    def _passes(self, row: Transcript) -> bool:
        task = self._tasks.get(row.task_id) if row.pack == "dataset" else None
        if task is None or self._marker is None or outcome_of("ordinary", row, self._limits, passed=None) is not None:
            return False
        try:
            return self._marker.verdict(task, row.artifact or "")
        except Refused:  # the rows are gathered all the same; closing the run will say that the metric fails
            self._marker = None
            return False
