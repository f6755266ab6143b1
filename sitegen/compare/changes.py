"""The kinds of change between two versions of an exam: one class a kind, old and new value as fields.

Each kind knows what it means for the answers that were given before: whether they stand as they are, can be scored
again, or would have to be given anew. How a change is shown is :mod:`sitegen.compare.wording`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

Need = Literal["same", "re-score", "re-run"]
"""What a change asks of earlier answers: nothing, to be scored again, or to be given again."""

NEEDS: tuple[Need, ...] = ("same", "re-score", "re-run")
"""In order: what needs more comes later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One sealed field that has another value. ``where`` is its dotted path."""

    kind: ClassVar[str]
    needs: ClassVar[Need]
    why: ClassVar[str]

    where: str
    old: Any
    new: Any


class ArtifactChanged(FieldChange):
    """Another thing is scored: standard output, or what became of the files."""

    kind = "artifact"
    needs = "re-run"
    why = "the answer is taken from another place"


class BudgetChanged(FieldChange):
    """Another limit of time or of files."""

    kind = "budget"
    needs = "re-run"
    why = "the solver worked under another limit"


class MetricChanged(FieldChange):
    """Another metric, or another file that the metric may import."""

    kind = "metric"
    needs = "re-score"
    why = "answers are judged by another rule"


class RulesChanged(FieldChange):
    """Null-pack rows stand in another class."""

    kind = "rules"
    needs = "re-score"
    why = "the gate asks something else of the same rows"


class IntervalChanged(FieldChange):
    """Another interval method, or other clusters."""

    kind = "interval"
    needs = "re-score"
    why = "the same outcomes get another interval"


class PublishingChanged(FieldChange):
    """Another publishing rule: floors, conditions, level, what is shown."""

    kind = "publishing"
    needs = "re-score"
    why = "the same outcomes are published by another rule"


class LabelChanged(FieldChange):
    """Something that bears on no number: a name, a path, the order of rows."""

    kind = "label"
    needs = "same"
    why = "no number depends on it"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsChange:
    """Tasks of the dataset, or rows of the null pack, that are not the same in both versions.

    ``where`` is ``dataset`` or ``null_pack``. ``old`` and ``new`` are the ids on either side, in the pack's order.
    """

    kind: ClassVar[str]
    needs: ClassVar[Need]
    why: ClassVar[str]

    where: str
    old: tuple[str, ...]
    new: tuple[str, ...]


class RowsAdded(RowsChange):
    """Only the new version asks them."""

    kind = "added"
    needs = "re-run"
    why = "nobody has answered them yet"


class RowsRemoved(RowsChange):
    """Only the old version asks them."""

    kind = "removed"
    needs = "re-run"
    why = "a run answers the whole of one exam"


class QuestionsChanged(RowsChange):
    """Both versions have them, but show something else."""

    kind = "question"
    needs = "re-run"
    why = "the solver saw something else"


class AnswersChanged(RowsChange):
    """Both versions show the same, but another kind, class or oracle decides."""

    kind = "answer"
    needs = "re-score"
    why = "the same question has another right answer"


Change = FieldChange | RowsChange
