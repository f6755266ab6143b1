"""Every task of a report as a reader sees it: outcome, covariates, question, and the artifact beside the oracle."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sitegen.digests import Digest, sha256
from sitegen.measure.scoring import satisfied
from sitegen.present.differing import Difference, difference_of
from sitegen.present.visible import clip
from sitegen.read.report import TaskStated
from sitegen.read.tasks import Task
from sitegen.read.transcript import Transcript
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport

PER_PAGE = 250
"""Tasks on one page; the rest stand on pages of their own, each with the scorecard."""
KEPT_ELSEWHERE = "in a transcript that is kept elsewhere"
"""Status of a task whose transcript is not among the published files."""
WITHHELD = "in a transcript that is withheld"
"""The same where the evidence level hides transcripts."""
MOST_SHOWN = 4000
"""Characters of a question that a page shows."""

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """What the solver was given: the prompt, and the other fields as JSON text; cut where they are long.

    One record for the same question, so that records are compared by identity.
    """

    prompt: str | None
    rest: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """One task or null-pack row of one run.

    ``outcome`` is the observed behaviour for a null-pack row, and ``kind`` its class. ``question`` and ``difference``
    are ``None`` where the protocol's evidence level does not show them.
    """

    id: str
    anchor: str
    kind: str
    outcome: str
    good: bool
    status: str
    retries: int | None
    tool_calls: int | None
    wall_clock: float | None
    files_touched: int | None
    artifact_sha256: Digest | None
    question: Question | None
    difference: Difference | None


def anchor(task_id: str, prefix: str = "task") -> str:
    """Return the stable fragment of a task: its id where that is plain, else a digest of it."""
    if _PLAIN.fullmatch(task_id):
        return f"{prefix}-{task_id}"
    return f"{prefix}--{sha256(task_id.encode('utf-8', 'surrogatepass'))[:16]}"


def task_views(protocol: VerifiedProtocol, report: VerifiedReport) -> list[TaskView]:
    """Return every dataset task, in the pack's order."""
    tasks = {task.id: task for task in protocol.pack.dataset} if protocol.level == "full" else {}
    return [_view(protocol, tasks.get(row.id), row, report.transcripts.get(row.id)) for row in report.rows]


def null_views(protocol: VerifiedProtocol, report: VerifiedReport) -> list[TaskView]:
    """Return every null-pack row, in the order of the report."""
    full = protocol.level == "full"
    tasks = {task.id: task for task in protocol.pack.null_pack} if full else {}
    views = []
    for row in report.card.null_rows:
        transcript = report.null_transcripts.get(row.id)
        oracle = protocol.pack.null_oracles.get(row.id) if full else None
        views.append(
            TaskView(
                id=row.id,
                anchor=anchor(row.id, "null"),
                kind=row.expected_class,
                outcome=row.observed,
                good=satisfied(row.expected_class, row.observed),
                status=_status(protocol, transcript),
                retries=transcript.retries if transcript else None,
                tool_calls=transcript.tool_calls if transcript else None,
                wall_clock=transcript.wall_clock_sec if transcript else None,
                files_touched=transcript.files_touched if transcript else None,
                artifact_sha256=None,
                question=_question(tasks[row.id]) if full else None,
                difference=difference_of(oracle, transcript.artifact) if full and transcript else None,
            )
        )
    return views


def pages_of(views: Sequence[TaskView]) -> Iterator[Sequence[TaskView]]:
    """Yield the tasks of each page."""
    for start in range(0, len(views), PER_PAGE):
        yield views[start : start + PER_PAGE]


def _status(protocol: VerifiedProtocol, transcript: Transcript | None) -> str:
    if transcript is not None:
        return transcript.status
    return KEPT_ELSEWHERE if protocol.level == "full" else WITHHELD


def _view(protocol: VerifiedProtocol, task: Task | None, row: TaskStated, transcript: Transcript | None) -> TaskView:
    full = protocol.level == "full"
    return TaskView(
        id=row.id,
        anchor=anchor(row.id),
        kind=row.kind,
        outcome=row.outcome,
        good=row.outcome in ("success", "abstain_ok"),
        status=_status(protocol, transcript),
        retries=row.retries,
        tool_calls=row.tool_calls,
        wall_clock=row.wall_clock_sec,
        files_touched=transcript.files_touched if transcript else None,
        artifact_sha256=row.artifact_sha256 if full else None,
        question=None if task is None else _question(task),
        difference=(
            difference_of(protocol.pack.oracles.get(row.id), transcript.artifact) if full and transcript else None
        ),
    )


@lru_cache(maxsize=8192)
def _question_of(prompt: str | None, rest: str) -> Question:
    return Question(prompt=None if prompt is None else clip(prompt, MOST_SHOWN), rest=clip(rest, MOST_SHOWN) or None)


def _question(task: Task) -> Question:
    prompt = task.shown.get("prompt")
    shown = {key: value for key, value in task.shown.items() if not (key == "prompt" and isinstance(value, str))}
    rest = json.dumps(shown, ensure_ascii=False, indent=1) if shown else ""
    return _question_of(prompt if isinstance(prompt, str) else None, rest)
