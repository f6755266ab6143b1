"""Transcript → outcome, in the order of precedence of the design (section 2.4).

Nothing leaves a denominator: every task of a slice gets exactly one of the slice's outcomes. The metric is asked only
for an ordinary task that was answered within all budgets, so that a verifier without the metric still knows every
outcome but which of ``success`` and ``miss`` it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeVar

from sitegen.read.manifest import Manifest
from sitegen.read.protocol import Budget
from sitegen.read.report import Observed, TaskStated
from sitegen.read.salting import answer_digest
from sitegen.read.tasks import ExpectedClass, Task
from sitegen.read.transcript import Transcript

ORDINARY = ("success", "miss", "false_abstain", "over_budget", "error", "timeout")
"""Outcomes of an ordinary task, in the order in which they are printed."""

NEGATIVE = ("abstain_ok", "invalid_completion", "no_answer", "error", "timeout")
"""Outcomes of a negative control."""

BY_METRIC = ("success", "miss")
"""The two outcomes between which the metric decides."""

KIND_AND_OUTCOME: Callable[[TaskStated], tuple[str, str]] = attrgetter("kind", "outcome")

FAILED = frozenset(("error", "blocked", "unparseable", "not_run"))
"""Statuses that count as ``error``."""

SATISFIES: Mapping[ExpectedClass, frozenset[str]] = {
    "must_pass": frozenset(("passed",)),
    "must_fail": frozenset(("failed", "refused")),
    "must_refuse": frozenset(("refused",)),
}
"""What each class of null-pack row must be observed to do; ``error`` and ``timeout`` satisfy none."""


Word = TypeVar("Word", bound=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one task may take: seconds, files, retries, and the tools that may be used."""

    timeout_sec: float
    max_files_touched: int | None
    retry_limit: int
    tools: frozenset[str]


def limits_of(budget: Budget, manifest: Manifest) -> Limits:
    """Return the limits that the protocol and the manifest set together."""
    return Limits(
        timeout_sec=budget.timeout_sec,
        max_files_touched=budget.max_files_touched,
        retry_limit=manifest.retry_limit,
        tools=frozenset(manifest.tool_whitelist),
    )


def over_budget(transcript: Transcript, limits: Limits) -> str | None:
    """Return which budget the task is over (``time``, ``files``, ``retries``, ``tools``), or ``None``.

    What was not recorded cannot be over a budget.
    """
    if transcript.wall_clock_sec is not None and transcript.wall_clock_sec > limits.timeout_sec:
        return "time"
    if limits.max_files_touched is not None and (transcript.files_touched or 0) > limits.max_files_touched:
        return "files"
    if (transcript.retries or 0) > limits.retry_limit:
        return "retries"
    if not limits.tools.issuperset(transcript.tools_used or ()):
        return "tools"
    return None


def outcome_of(kind: str, transcript: Transcript, limits: Limits, passed: bool | None) -> str | None:
    """Return the outcome of one task, or ``None`` where only the metric can tell and ``passed`` is not known.

    Args:
        kind: ``ordinary`` or ``negative``.
        transcript: what the solver did.
        limits: the budgets in force.
        passed: the metric's verdict, where it was asked.
    """
    if kind == "negative":
        return _negative(transcript)
    if transcript.status == "timeout":
        return "timeout"
    if transcript.status in FAILED:
        return "error"
    if over_budget(transcript, limits):
        return "over_budget"
    if transcript.abstained:
        return "false_abstain"
    if not transcript.artifact:
        return "miss"  # no artifact equals no oracle, whatever a metric might say
    return None if passed is None else by_metric(passed)


def settled(judge: Callable[[bool | None], Word | None], ask: Callable[[], bool | None]) -> Word | None:
    """Return what ``judge`` says without a verdict or, where only the metric can tell, with the one that ``ask`` gives.

    The metric is asked for nothing that does not depend on it; where it cannot be asked, ``None``.
    """
    found = judge(None)
    return judge(ask()) if found is None else found


def by_metric(passed: bool) -> str:
    """Return the outcome between which and the other the metric decides."""
    return "success" if passed else "miss"


def _negative(transcript: Transcript) -> str:
    if transcript.has_artifact or transcript.touched:
        return "invalid_completion"
    if transcript.status == "timeout":
        return "timeout"
    if transcript.status in FAILED:
        return "error"
    return "abstain_ok" if transcript.abstained else "no_answer"


def observation(row: Task, transcript: Transcript, passed: bool | None) -> Observed | None:
    """Return what was observed of a null-pack row, or ``None`` where only the metric can tell.

    The metric is asked for a must_pass or must_fail row that has an oracle and was answered.
    """
    if transcript.status == "timeout":
        return "timeout"
    if transcript.status in FAILED:
        return "error"
    if transcript.abstained and not transcript.has_artifact and not transcript.touched:
        return "refused"
    if not transcript.has_artifact:
        return "answered" if transcript.touched else "failed"
    if row.expected_class == "must_refuse" or not row.oracle:
        return "answered"
    if passed is None:
        return None
    return "passed" if passed else "failed"


def satisfied(expected: ExpectedClass, observed: str) -> bool:
    """Tell whether a null-pack row did what its class asks."""
    return observed in SATISFIES[expected]


def stated_row(task: Task, transcript: Transcript, outcome: str) -> TaskStated:
    """Return the row that a report states for one task."""
    return TaskStated(
        id=task.id,
        kind=task.kind or "ordinary",
        outcome=outcome,
        retries=transcript.retries,
        tool_calls=transcript.tool_calls,
        wall_clock_sec=transcript.wall_clock_sec,
        artifact_sha256=answer_digest(transcript),
    )


def tally(rows: Iterable[TaskStated]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the buckets of both slices, zeros included: (ordinary, negative).

    Raises:
        KeyError: an outcome that its slice does not have.
    """
    ordinary, negative = dict.fromkeys(ORDINARY, 0), dict.fromkeys(NEGATIVE, 0)
    for (kind, outcome), count in Counter(map(KIND_AND_OUTCOME, rows)).items():
        (ordinary if kind == "ordinary" else negative)[outcome] += count
    return ordinary, negative
