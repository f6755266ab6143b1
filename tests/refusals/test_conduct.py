"""The group of slugs of ``sitegen.refusals.kinds.conduct``: stable names, which nobody may rename or drop."""

from __future__ import annotations

from sitegen.refusals.kinds import conduct

SLUGS = {
    "channel-exploratory",
    "channel-relabelled",
    "conduct-disagrees",
    "inputs-changed",
    "metric-failed",
    "null-pack-claim-only",
    "null-pack-class",
    "null-pack-failed",
    "null-pack-late",
    "null-pack-overlap",
    "null-row-missing",
    "null-row-unknown",
    "route-changed",
    "route-unnamed",
    "solver-missing",
    "time-form",
    "time-order",
}


def test_no_slug_was_renamed_or_dropped() -> None:
    found = {
        kind.slug
        for group in (
            conduct.GROUP,
            conduct.NULL_PACK_GROUP,
        )
        for kind in group.kinds
    }
    assert found >= SLUGS
