"""Two versions of an exam, field by field, with a verdict on what the answers to the one are worth under the other.

Rates of two exams are never subtracted here or anywhere else: their difference mixes a change of contestants with a
change of exam (statistics.md section 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sitegen.compare.changes import (
    NEEDS,
    AnswersChanged,
    ArtifactChanged,
    BudgetChanged,
    Change,
    FieldChange,
    IntervalChanged,
    LabelChanged,
    MetricChanged,
    PublishingChanged,
    QuestionsChanged,
    RowsAdded,
    RowsChange,
    RowsRemoved,
    RulesChanged,
)
from sitegen.compare.versions import ProtocolVersion
from sitegen.digests import Digest

Verdict = Literal["same", "re-score", "re-run", "not comparable"]

FIELDS: tuple[tuple[type[FieldChange], str], ...] = (
    (ArtifactChanged, "dataset.artifact"),
    (MetricChanged, "metric.sha256"),
    (MetricChanged, "metric.deterministic"),
    (BudgetChanged, "budget.timeout_sec"),
    (BudgetChanged, "budget.max_files_touched"),
    (RulesChanged, "null_pack.rules.must_pass"),
    (RulesChanged, "null_pack.rules.must_fail"),
    (RulesChanged, "null_pack.rules.must_refuse"),
    (IntervalChanged, "publish.ci_method"),
    (IntervalChanged, "dataset.cluster"),
    (PublishingChanged, "publish.min_n"),
    (PublishingChanged, "publish.min_n_negative"),
    (PublishingChanged, "publish.require_ci"),
    (PublishingChanged, "publish.forbidden_fields"),
    (PublishingChanged, "publish.same_conditions"),
    (PublishingChanged, "publish.require_level"),
    (PublishingChanged, "publish.evidence"),
    (LabelChanged, "protocol_id"),
    (LabelChanged, "title"),
    (LabelChanged, "family"),
    (LabelChanged, "follows"),
    (LabelChanged, "licence"),
    (LabelChanged, "authors"),
    (LabelChanged, "dataset.path"),
    (LabelChanged, "dataset.oracle"),
    (LabelChanged, "dataset.sha256"),
    (LabelChanged, "metric.module"),
    (LabelChanged, "null_pack.path"),
    (LabelChanged, "null_pack.oracle"),
    (LabelChanged, "null_pack.sha256"),
)
"""Every sealed field with what its change means. What the rows' own digests say of a pack is compared row by row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDelta:
    """The rows of a pack in two versions, by id. Those in both are the same, or differ in question or in answer."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    asked: tuple[str, ...]
    judged: tuple[str, ...]
    same: tuple[str, ...]

    @property
    def changed(self) -> tuple[str, ...]:
        """The rows that are in both versions and not the same."""
        return (*self.asked, *self.judged)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolDifference:
    """What changed from one version to another. ``old`` and ``new`` are pairs of protocol id and identity."""

    old: tuple[str, Digest]
    new: tuple[str, Digest]
    dataset: RowDelta
    null_pack: RowDelta
    changes: tuple[Change, ...] = field(repr=False)

    @property
    def verdict(self) -> Verdict:
        """What the answers to the old version are worth under the new one."""
        if not self.dataset.same and not self.dataset.judged:
            return "not comparable"
        return max((change.needs for change in self.changes), key=NEEDS.index, default="same")

    @property
    def weighty(self) -> tuple[Change, ...]:
        """The changes that bear on a number."""
        return tuple(change for change in self.changes if change.needs != "same")


def compare_protocols(old: ProtocolVersion, new: ProtocolVersion) -> ProtocolDifference:
    """Return every difference between two versions, decided by digests and sealed fields alone."""
    dataset = _delta(old.exposure.dataset, new.exposure.dataset, old.answers, new.answers)
    null_pack = _delta(old.exposure.null_pack, new.exposure.null_pack, old.null_answers, new.null_answers)
    return ProtocolDifference(
        old=(old.protocol_id, old.sha256),
        new=(new.protocol_id, new.sha256),
        dataset=dataset,
        null_pack=null_pack,
        changes=(
            *_row_changes("dataset", dataset),
            *_row_changes("null_pack", null_pack),
            *_field_changes(old, new),
            *_other_files(old.others, new.others),
        ),
    )


def field_of(version: ProtocolVersion, where: str) -> Any:
    """Return the sealed field at a dotted path."""
    value: Any = version.protocol
    for name in where.split("."):
        value = getattr(value, name)
    return value


def _delta(
    old: Mapping[str, Digest],
    new: Mapping[str, Digest],
    old_answers: Mapping[str, Digest],
    new_answers: Mapping[str, Digest],
) -> RowDelta:
    both = [row_id for row_id in old if row_id in new]
    asked = tuple(row_id for row_id in both if old[row_id] != new[row_id])
    alike = [row_id for row_id in both if old[row_id] == new[row_id]]
    return RowDelta(
        added=tuple(row_id for row_id in new if row_id not in old),
        removed=tuple(row_id for row_id in old if row_id not in new),
        asked=asked,
        judged=tuple(row_id for row_id in alike if old_answers[row_id] != new_answers[row_id]),
        same=tuple(row_id for row_id in alike if old_answers[row_id] == new_answers[row_id]),
    )


def _row_changes(where: str, delta: RowDelta) -> Iterator[RowsChange]:
    kinds: tuple[tuple[type[RowsChange], tuple[str, ...], tuple[str, ...]], ...] = (
        (RowsAdded, (), delta.added),
        (RowsRemoved, delta.removed, ()),
        (QuestionsChanged, delta.asked, delta.asked),
        (AnswersChanged, delta.judged, delta.judged),
    )
    for kind, before, after in kinds:
        if before or after:
            yield kind(where=where, old=before, new=after)


def _field_changes(old: ProtocolVersion, new: ProtocolVersion) -> Iterator[FieldChange]:
    for kind, where in FIELDS:
        before, after = field_of(old, where), field_of(new, where)
        if before != after:
            yield kind(where=where, old=before, new=after)


def _other_files(old: Mapping[str, Digest], new: Mapping[str, Digest]) -> Iterator[FieldChange]:
    """Yield a change for each other sealed file: the metric may import it, so it may move the number too."""
    for path in sorted({*old, *new}):
        if old.get(path) != new.get(path):
            yield MetricChanged(where=path, old=old.get(path), new=new.get(path))
