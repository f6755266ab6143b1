"""The group of slugs of ``sitegen.refusals.kinds.evidence``: stable names, which nobody may rename or drop."""

from __future__ import annotations

from sitegen.refusals.kinds import evidence

SLUGS = {
    "abstention-disagrees",
    "dataset-drift",
    "evidence-commitment",
    "evidence-level",
    "evidence-mismatch",
    "evidence-missing",
    "evidence-secret",
    "evidence-unlisted",
    "file-drift",
    "manifest-drift",
    "metric-drift",
    "null-pack-drift",
    "outcome-disagrees",
    "outcome-duplicate",
    "outcome-unknown",
    "report-misplaced",
    "rescore-mismatch",
    "task-missing",
    "task-unknown",
}


def test_no_slug_was_renamed_or_dropped() -> None:
    found = {kind.slug for group in (evidence.GROUP,) for kind in group.kinds}
    assert found >= SLUGS
