"""The group of slugs of ``sitegen.refusals.kinds.reading``: stable names, which nobody may rename or drop."""

from __future__ import annotations

from sitegen.refusals.kinds import reading

SLUGS = {
    "archive-unsafe",
    "duplicate-key",
    "field-missing",
    "field-range",
    "field-type",
    "field-unknown",
    "file-changed",
    "file-missing",
    "file-too-large",
    "file-unlisted",
    "import-ambiguous",
    "import-unsupported",
    "json-malformed",
    "json-not-canonical",
    "jsonl-torn",
    "path-unsafe",
    "schema-unknown",
    "text-encoding",
    "yaml-malformed",
    "yaml-unsupported",
}


def test_no_slug_was_renamed_or_dropped() -> None:
    found = {kind.slug for group in (reading.GROUP,) for kind in group.kinds}
    assert found >= SLUGS
