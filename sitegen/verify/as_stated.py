"""The report's own rows, for a run whose transcripts are kept elsewhere or cannot be judged.

Its numbers are verified from them; where the transcripts are only elsewhere, the run's page says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.measure.scoring import NEGATIVE, ORDINARY, satisfied
from sitegen.read.report import TaskStated
from sitegen.refusals import Refusal
from sitegen.verify.evidence import Evidence, coverage_faults


def rows_as_stated(evidence: Evidence) -> tuple[list[TaskStated], list[Refusal]]:
    """Return the report's rows in the pack's order, and where they cannot be of the sealed pack."""
    stated = evidence.report.tasks
    places = [(row.id, f"/tasks/{index}") for index, row in enumerate(stated)]
    faults = list(coverage_faults(evidence.protocol.pack.dataset, places, evidence.report_path))
    by_id = {row.id: row for row in stated}
    for task in evidence.protocol.pack.dataset:
        row = by_id.get(task.id)
        if row is None:
            continue
        known = ORDINARY if task.kind == "ordinary" else NEGATIVE
        if row.kind != task.kind:
            faults.append(_fault(evidence, "outcome-disagrees", task.id, task.kind or "", row.kind))
        elif row.outcome not in known:
            faults.append(_fault(evidence, "outcome-unknown", task.id, ", ".join(known), row.outcome))
    return [by_id[task.id] for task in evidence.protocol.pack.dataset if task.id in by_id], faults


def null_rows_as_stated(evidence: Evidence) -> Iterator[Refusal]:
    """Yield where the stated null pack is not the sealed one, or did not do what it must."""
    rows, stated = evidence.protocol.pack.null_pack, evidence.report.null_pack_rows
    places = [(row.id, f"/null_pack_rows/{index}") for index, row in enumerate(stated)]
    yield from coverage_faults(rows, places, evidence.report_path, null_pack=True)
    classes = {row.id: row.expected_class for row in rows}
    for claim in stated:
        expected = classes.get(claim.id)
        if expected is not None and claim.expected_class != expected:
            yield _fault(evidence, "null-pack-class", claim.id, expected, claim.expected_class)
        elif not satisfied(claim.expected_class, claim.observed):
            yield _fault(evidence, "null-pack-claim-only", claim.id, claim.expected_class, claim.observed)


def _fault(evidence: Evidence, slug: str, row_id: str, expected: str, found: str) -> Refusal:
    return Refusal(slug=slug, file=evidence.report_path, path=f"row {row_id}", expected=expected, found=found)
