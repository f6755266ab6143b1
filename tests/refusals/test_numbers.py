"""The group of slugs of ``sitegen.refusals.kinds.numbers``: stable names, which nobody may rename or drop."""

from __future__ import annotations

from sitegen.refusals.kinds import numbers

SLUGS = {
    "below-min-n",
    "count-mismatch",
    "covariate-mismatch",
    "covariate-missing",
    "forbidden-field",
    "headline-alone",
    "interval-method",
    "interval-mismatch",
    "rate-mismatch",
    "rate-rounding",
    "slice-missing",
}


def test_no_slug_was_renamed_or_dropped() -> None:
    found = {kind.slug for group in (numbers.GROUP,) for kind in group.kinds}
    assert found >= SLUGS
