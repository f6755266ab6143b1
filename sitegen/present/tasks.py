"""Every task of a report as a reader sees it: outcome, covariates, question, and the artifact beside the oracle."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from sitegen.digests import Digest, sha256
from sitegen.measure.scoring import satisfied
from sitegen.present.differing import Difference, difference_of
from sitegen.present.visible import clip
from sitegen.read.report import NullRowStated, TaskStated
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
_MOST_KEPT, _LONG = 4096, 8000
"""Answers that are kept for further runs, and characters of one that is not: memory does not grow with the tasks."""

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """What the solver was given: the prompt, and the other fields as JSON text; cut where they are long.

    One record for the same question, so that records are compared by identity.
    """

    prompt: str | None
    rest: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaskShown:
    """What a page shows of one task or null-pack row but its covariates: one record for all runs that agree in it.

    ``outcome`` is the observed behaviour for a null-pack row, and ``kind`` its class. ``question`` and ``difference``
    are ``None`` where the protocol's evidence level does not show them. Records are compared by identity, as keys of
    markup that is made once.
    """

    id: str
    anchor: str
    kind: str
    outcome: str
    good: bool
    status: str
    files_touched: int | None
    artifact_sha256: Digest | None
    question: Question | None
    difference: Difference | None


class TaskView(NamedTuple):
    """One task or null-pack row of one run: what is shown, and its covariates.

    A tuple, since a report has one for each task.
    """

    shown: TaskShown
    retries: int | None
    tool_calls: int | None
    wall_clock: float | None


@lru_cache(maxsize=4096)
def anchor(task_id: str, prefix: str = "task") -> str:
    """Return the stable fragment of a task: its id where that is plain, else a digest of it."""
    if _PLAIN.fullmatch(task_id):
        return f"{prefix}-{task_id}"
    return f"{prefix}--{sha256(task_id.encode('utf-8', 'surrogatepass'))[:16]}"


class TaskViews:
    """The tasks of one protocol, as the pages of its runs show them.

    Runs of one exam are given the same tasks and answer most of them alike, so what is shown of an answer is made once.
    """

    def __init__(self, protocol: VerifiedProtocol) -> None:
        self._full = protocol.level == "full"
        self._elsewhere = KEPT_ELSEWHERE if self._full else WITHHELD
        self._questions: dict[str, Question] = {}
        self._null_questions: dict[str, Question] = {}
        self._oracles: Mapping[str, bytes] = {}
        self._null_oracles: Mapping[str, bytes] = {}
        if self._full:
            pack = protocol.pack
            self._questions = {task.id: _question(task) for task in pack.dataset}
            self._null_questions = {task.id: _question(task) for task in pack.null_pack}
            self._oracles, self._null_oracles = pack.oracles, pack.null_oracles
        self._shown: dict[tuple[object, ...], TaskShown] = {}

    def of(self, report: VerifiedReport) -> list[TaskView]:
        """Return every dataset task, in the pack's order."""
        transcripts = report.transcripts
        return [
            TaskView(self._task(row, transcripts.get(row.id)), row.retries, row.tool_calls, row.wall_clock_sec)
            for row in report.rows
        ]

    def null_pack_of(self, report: VerifiedReport) -> list[TaskView]:
        """Return every null-pack row, in the order of the report."""
        views = []
        for row in report.card.null_rows:
            made = report.null_transcripts.get(row.id)
            covariates = (None, None, None) if made is None else (made.retries, made.tool_calls, made.wall_clock_sec)
            views.append(TaskView(self._row(row, made), *covariates))
        return views

    def _task(self, row: TaskStated, made: Transcript | None) -> TaskShown:
        answer = None if made is None else (made.status, made.files_touched, _standing_for(made.artifact))
        key = (row.id, row.outcome, row.artifact_sha256, answer)
        return self._shown.get(key) or self._keep(
            key,
            TaskShown(
                id=row.id,
                anchor=anchor(row.id),
                kind=row.kind,
                outcome=row.outcome,
                good=row.outcome in ("success", "abstain_ok"),
                status=self._elsewhere if made is None else made.status,
                files_touched=None if made is None else made.files_touched,
                artifact_sha256=row.artifact_sha256 if self._full else None,
                question=self._questions.get(row.id),
                difference=self._difference(self._oracles.get(row.id), made),
            ),
        )

    def _row(self, row: NullRowStated, made: Transcript | None) -> TaskShown:
        answer = None if made is None else (made.status, made.files_touched, _standing_for(made.artifact))
        key = ("null", row.id, row.expected_class, row.observed, answer)
        return self._shown.get(key) or self._keep(
            key,
            TaskShown(
                id=row.id,
                anchor=anchor(row.id, "null"),
                kind=row.expected_class,
                outcome=row.observed,
                good=satisfied(row.expected_class, row.observed),
                status=self._elsewhere if made is None else made.status,
                files_touched=None if made is None else made.files_touched,
                artifact_sha256=None,
                question=self._null_questions.get(row.id),
                difference=self._difference(self._null_oracles.get(row.id), made),
            ),
        )

    def _keep(self, key: tuple[object, ...], shown: TaskShown) -> TaskShown:
        if shown.difference is not None and shown.difference.length > _LONG:
            return shown
        if len(self._shown) >= _MOST_KEPT:
            self._shown.clear()
        return self._shown.setdefault(key, shown)

    def _difference(self, oracle: bytes | None, made: Transcript | None) -> Difference | None:
        return difference_of(oracle, made.artifact) if self._full and made is not None else None


def _standing_for(artifact: str | None) -> str | None:
    """Return what stands for an artifact in a key: itself, or the digest of a long one."""
    if artifact is None or len(artifact) <= _LONG:
        return artifact
    return sha256(artifact.encode("utf-8", "surrogatepass"))


def outcomes_of(views: Sequence[TaskView]) -> tuple[str, ...]:
    """Return the outcomes that occur, in the order in which they first do."""
    return tuple(dict.fromkeys(view.shown.outcome for view in views))


def pages_of(views: Sequence[TaskView]) -> Iterator[Sequence[TaskView]]:
    """Yield the tasks of each page."""
    for start in range(0, len(views), PER_PAGE):
        yield views[start : start + PER_PAGE]


def _question(task: Task) -> Question:
    prompt = task.shown.get("prompt")
    shown = {key: value for key, value in task.shown.items() if not (key == "prompt" and isinstance(value, str))}
    rest = json.dumps(shown, ensure_ascii=False, indent=1) if shown else ""
    asked = clip(prompt, MOST_SHOWN) if isinstance(prompt, str) else None
    return Question(prompt=asked, rest=clip(rest, MOST_SHOWN) or None)
