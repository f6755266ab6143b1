"""Counts of the rows that a sitting has so far, for whoever watches it."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from sitegen.harness.marking import Marker
from sitegen.harness.opening import OpenRun
from sitegen.harness.progress import Progress
from sitegen.measure.scoring import FAILED, limits_of, outcome_of
from sitegen.read.transcript import Transcript
from sitegen.refusals import Refused


class Tally:
    """Counts rows as they come. What passed is asked of the metric at once; a judge is asked only at the end.

    ``beside`` others the metric is asked: whoever counts is not kept waiting for its answer, and is told later of what
    passed. Use as a context manager; the last answer has come after :meth:`settle`.
    """

    def __init__(self, run: OpenRun, marker: Marker, *, beside: bool = False) -> None:
        self._limits = limits_of(run.protocol.budget, run.manifest)
        self._tasks = {task.id: task for task in run.pack.ordinary}
        self._total = len(run.pack.null_pack) + len(run.pack.dataset)
        self._marker: Marker | None = marker if run.protocol.metric.deterministic else None
        self._counts: Counter[str] = Counter()
        self._asking = ThreadPoolExecutor(max_workers=1, thread_name_prefix="metric") if beside else None
        self._asked: list[Future[None]] = []

    def __enter__(self) -> Tally:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._asking is not None:  # who was interrupted waits for no metric; the marker ends it
            self._asking.shutdown(wait=kind is None, cancel_futures=kind is not None)

    def count(self, row: Transcript) -> None:
        """Count one row."""
        self._counts["done"] += 1
        self._counts["abstained"] += bool(row.abstained)
        self._counts["errors"] += row.status == "timeout" or row.status in FAILED
        if self._asking is None:
            self._mark(row)
        else:
            self._asked.append(self._asking.submit(self._mark, row))

    def settle(self) -> bool:
        """Wait until the metric has answered for every row that was counted; tell whether any was waited for."""
        asked, self._asked = self._asked, []
        for one in asked:
            one.result()
        return bool(asked)

    def _mark(self, row: Transcript) -> None:
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
