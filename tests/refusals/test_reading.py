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


def test_what_to_do_with_a_file_that_is_not_imported_does_not_contradict_its_message() -> None:
    """The message may say that nothing is to be imported at all."""
    remedies = {kind.slug: kind.remedy for kind in reading.GROUP.kinds}
    assert remedies["import-unsupported"].startswith("Do what the message says")
