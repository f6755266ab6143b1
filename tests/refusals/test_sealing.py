"""The group of slugs of ``sitegen.refusals.kinds.sealing``: stable names, which nobody may rename or drop."""

from __future__ import annotations

from sitegen.refusals.kinds import sealing

SLUGS = {
    "digest-form",
    "no-negative-controls",
    "oracle-missing",
    "pack-below-min-n",
    "pack-content-duplicate",
    "protocol-draft",
    "protocol-drift",
    "protocol-id-confusable",
    "protocol-id-form",
    "protocol-id-resealed",
    "protocol-id-reused",
    "protocol-withdrawn",
    "rules-contradict",
    "seal-after-run",
    "seal-incomplete",
    "seal-missing",
    "seal-pending",
    "task-id-duplicate",
    "task-kind-unknown",
}


def test_no_slug_was_renamed_or_dropped() -> None:
    found = {kind.slug for group in (sealing.GROUP,) for kind in group.kinds}
    assert found >= SLUGS
