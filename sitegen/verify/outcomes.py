"""Outcomes and null-pack observations, recomputed from the transcripts and compared with the stated rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from sitegen.measure.scoring import (
    BY_METRIC,
    KIND_AND_OUTCOME,
    NEGATIVE,
    ORDINARY,
    by_metric,
    observation,
    outcome_of,
    satisfied,
    settled,
    stated_row,
)
from sitegen.read.library import VERDICTS_NAME
from sitegen.read.protocol import Seal
from sitegen.read.report import TaskStated
from sitegen.read.shipped import shipped_metric
from sitegen.read.tasks import Task
from sitegen.read.transcript import Transcript
from sitegen.refusals import Refusal, Refused
from sitegen.verify.evidence import Evidence, coverage_faults, covers

Passes = Callable[[Task, Transcript], bool | None]
"""The metric's verdict on an answered task, or ``None`` where it cannot be asked here."""


def verdicts_for(evidence: Evidence) -> Passes:
    """Return how this run's answers are judged again: by a shipped metric, by the recorded judge, or not at all.

    Asking raises :class:`Refused` where the sealed oracle or the recorded verdict cannot be used.
    """
    pack, sealed = evidence.protocol.pack, evidence.protocol.protocol
    if not sealed.metric.deterministic:
        return lambda task, _: _recorded(evidence, task)
    matches = shipped_metric(sealed.metric.sha256)
    if matches is None:
        return lambda task, transcript: None

    def passes(task: Task, transcript: Transcript) -> bool | None:
        oracles = pack.null_oracles if task.kind is None else pack.oracles
        try:
            return matches(transcript.artifact or "", oracles[task.id])
        except ValueError as error:  # the oracle is none that this metric can read
            file, place = evidence.protocol.protocol.metric.module.removeprefix("./"), f"task {task.id}"
            expected = "an oracle that the metric can read"
            reason = Refusal(slug="metric-failed", file=file, path=place, expected=expected, found=str(error))
            raise Refused([reason]) from None

    return passes


def _recorded(evidence: Evidence, task: Task) -> bool:
    recorded = (evidence.null_verdicts if task.kind is None else evidence.verdicts) or {}
    if task.id not in recorded:
        file = f"{evidence.folder.path}/{VERDICTS_NAME}"
        expected = f"the judge's verdict of {task.id}"
        raise Refused([Refusal(slug="evidence-missing", file=file, expected=expected, found="nothing")])
    return recorded[task.id]


def recomputed_rows(evidence: Evidence, passes: Passes) -> tuple[list[TaskStated], list[Refusal]]:
    """Return every task's row in the pack's order, and each way in which the stated rows differ.

    Where only the metric can tell and it cannot be asked here, the stated ``success`` or ``miss`` is taken.
    """
    stated, tasks = evidence.report.tasks, evidence.protocol.pack.dataset
    faults = list(_coverage(evidence, tasks, [row.id for row in stated], "/tasks"))
    index_of = {row.id: index for index, row in enumerate(stated)}
    rows: list[TaskStated] = []
    for task in tasks:
        index = index_of.get(task.id)
        if index is None:
            continue
        row, transcript = stated[index], evidence.dataset[task.id]
        outcome = outcome_of(task.kind or "", transcript, evidence.limits, passed=None)
        if outcome is None and (verdict := passes(task, transcript)) is not None:
            outcome = by_metric(verdict)
        taken = outcome or (row.outcome if row.outcome in BY_METRIC else "success or miss")
        made = stated_row(task, transcript, taken)
        rows.append(row if made == row else made)  # equal rows are kept once
        if made != row:
            faults.extend(_row_faults(evidence, f"/tasks/{index}", row, made))
    return rows, faults


def _coverage(evidence: Evidence, tasks: Sequence[Task], ids: Sequence[str], path: str) -> Iterator[Refusal]:
    """Yield where the rows that are stated at ``path`` are not exactly one of each task."""
    if not covers(ids, tasks):
        places = ((row_id, f"{path}/{index}") for index, row_id in enumerate(ids))
        yield from coverage_faults(tasks, places, evidence.report_path, null_pack=path == "/null_pack_rows")


def is_countable(rows: Sequence[TaskStated], seal: Seal) -> bool:
    """Tell whether there is a row with a known outcome of every task, so that the numbers can be computed."""
    found = set(map(KIND_AND_OUTCOME, rows))
    known = all(outcome in (ORDINARY if kind == "ordinary" else NEGATIVE) for kind, outcome in found)
    return known and len(rows) == seal.n + seal.n_negative


def _row_faults(evidence: Evidence, place: str, row: TaskStated, made: TaskStated) -> Iterator[Refusal]:
    known = ORDINARY if made.kind == "ordinary" else NEGATIVE
    if row.outcome not in known:
        yield _fault("outcome-unknown", evidence, f"{place}/outcome", ", ".join(known), row.outcome)
    if row.kind != made.kind:
        yield _fault("outcome-disagrees", evidence, f"{place}/kind", made.kind, row.kind)
    elif row.outcome != made.outcome and row.outcome in known:
        slug = _disagreement(row.outcome, made.outcome)
        yield _fault(slug, evidence, f"{place}/outcome", made.outcome, row.outcome)
    for name in ("retries", "tool_calls", "wall_clock_sec"):
        expected, found = getattr(made, name), getattr(row, name)
        if expected != found:
            yield _fault("covariate-mismatch", evidence, f"{place}/{name}", _text(expected), _text(found))
    if row.artifact_sha256 != made.artifact_sha256:
        found = _text(row.artifact_sha256)
        yield _fault("evidence-mismatch", evidence, f"{place}/artifact_sha256", _text(made.artifact_sha256), found)


def _disagreement(stated: str, made: str) -> str:
    if made == "over_budget":
        return "conduct-disagrees"
    if {"abstain_ok", "false_abstain"} & {stated, made}:
        return "abstention-disagrees"
    return "outcome-disagrees"


def null_pack_faults(evidence: Evidence, passes: Passes) -> list[Refusal]:
    """Return how the stated null pack differs from what its transcripts show, and whether it failed."""
    rows, stated = evidence.protocol.pack.null_pack, evidence.report.null_pack_rows
    faults = list(_coverage(evidence, rows, [row.id for row in stated], "/null_pack_rows"))
    index_of = {row.id: index for index, row in enumerate(stated)}
    failed: list[str] = []
    for row in rows:
        index = index_of.get(row.id)
        if index is None:
            continue
        assert row.expected_class is not None  # no null pack is read that has a row without
        claim, place = stated[index], f"/null_pack_rows/{index}"
        transcript = evidence.null_pack[row.id]
        seen = settled(partial(observation, row, transcript), partial(passes, row, transcript))
        observed: str = seen or (claim.observed if claim.observed in ("passed", "failed") else "passed or failed")
        if claim.expected_class != row.expected_class:
            where = f"{place}/expected_class"
            faults.append(_fault("null-pack-class", evidence, where, row.expected_class, claim.expected_class))
        if claim.observed != observed:
            faults.append(_fault("null-pack-claim-only", evidence, f"{place}/observed", observed, claim.observed))
        if not satisfied(row.expected_class, observed):
            failed.append(row.id)
    return faults + _gate(evidence, failed)


def _gate(evidence: Evidence, failed: list[str]) -> list[Refusal]:
    if not failed:
        return []  # whether the report says otherwise is asked of every report
    slug = "null-pack-claim-only" if evidence.report.null_pack == "pass" else "null-pack-failed"
    found = f"failed: {', '.join(failed)}"
    return [_fault(slug, evidence, "/null_pack", "every row as its class asks", found)]


def _text(value: object) -> str:
    return "null" if value is None else str(value)


def _fault(slug: str, evidence: Evidence, path: str, expected: str, found: str) -> Refusal:
    return Refusal(slug=slug, file=evidence.report_path, path=path, expected=expected, found=found)
