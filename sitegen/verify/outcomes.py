"""Outcomes and null-pack observations, recomputed from the transcripts and compared with the stated rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sitegen.measure.scoring import BY_METRIC, NEGATIVE, ORDINARY, observation, outcome_of, satisfied, stated_row
from sitegen.read.library import VERDICTS_NAME
from sitegen.read.protocol import Seal
from sitegen.read.report import TaskStated
from sitegen.read.shipped import shipped_metric
from sitegen.read.tasks import Task
from sitegen.read.transcript import Transcript
from sitegen.refusals import Refusal, Refused
from sitegen.verify.evidence import Evidence, coverage_faults

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
    stated = evidence.report.tasks
    places = [(row.id, f"/tasks/{index}") for index, row in enumerate(stated)]
    faults = list(coverage_faults(evidence.protocol.pack.dataset, places, evidence.report_path))
    by_id = {row.id: (row, place) for row, (_, place) in zip(stated, places, strict=True)}
    rows: list[TaskStated] = []
    for task in evidence.protocol.pack.dataset:
        if task.id not in by_id:
            continue
        row, place = by_id[task.id]
        transcript = evidence.dataset[task.id]
        outcome = outcome_of(task.kind or "", transcript, evidence.limits, passed=None)
        if outcome is None:
            verdict = passes(task, transcript)
            outcome = outcome_of(task.kind or "", transcript, evidence.limits, passed=verdict)
        known = ORDINARY if task.kind == "ordinary" else NEGATIVE
        if row.outcome not in known:
            expected = ", ".join(known)
            faults.append(_fault("outcome-unknown", evidence, f"{place}/outcome", expected, row.outcome))
        if outcome is None:
            outcome = row.outcome if row.outcome in BY_METRIC else "success or miss"
        made = stated_row(task, transcript, outcome)
        rows.append(made)
        faults.extend(_row_faults(evidence, place, row, made, known))
    return rows, faults


def is_countable(rows: Sequence[TaskStated], seal: Seal) -> bool:
    """Tell whether there is a row with a known outcome of every task, so that the numbers can be computed."""
    known = {"ordinary": ORDINARY, "negative": NEGATIVE}
    return len(rows) == seal.n + seal.n_negative and all(row.outcome in known[row.kind] for row in rows)


def _row_faults(
    evidence: Evidence, place: str, row: TaskStated, made: TaskStated, known: tuple[str, ...]
) -> Iterator[Refusal]:
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
    places = [(row.id, f"/null_pack_rows/{index}") for index, row in enumerate(stated)]
    faults = list(coverage_faults(rows, places, evidence.report_path, null_pack=True))
    by_id = {row.id: (row, place) for row, (_, place) in zip(stated, places, strict=True)}
    failed: list[str] = []
    for row in rows:
        if row.id not in by_id or row.expected_class is None:
            continue
        claim, place = by_id[row.id]
        transcript = evidence.null_pack[row.id]
        observed = observation(row, transcript, passed=None) or observation(row, transcript, passes(row, transcript))
        if observed is None:
            observed = claim.observed if claim.observed in ("passed", "failed") else "passed or failed"
        if claim.expected_class != row.expected_class:
            where = f"{place}/expected_class"
            faults.append(_fault("null-pack-class", evidence, where, row.expected_class, claim.expected_class))
        if claim.observed != observed:
            faults.append(_fault("null-pack-claim-only", evidence, f"{place}/observed", observed, claim.observed))
        if not satisfied(row.expected_class, observed):
            failed.append(row.id)
    return faults + _gate(evidence, failed)


def _gate(evidence: Evidence, failed: list[str]) -> list[Refusal]:
    found = f"failed: {', '.join(failed)}"
    if failed and evidence.report.null_pack == "pass":
        return [_fault("null-pack-claim-only", evidence, "/null_pack", "every row as its class asks", found)]
    if failed or evidence.report.null_pack == "fail":
        return [_fault("null-pack-failed", evidence, "/null_pack", "every row as its class asks", found)]
    return []


def _text(value: object) -> str:
    return "null" if value is None else str(value)


def _fault(slug: str, evidence: Evidence, path: str, expected: str, found: str) -> Refusal:
    return Refusal(slug=slug, file=evidence.report_path, path=path, expected=expected, found=found)
