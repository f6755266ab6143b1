"""The group of slugs of ``sitegen.refusals.kinds.pages``: stable names, which nobody may rename or drop."""

from __future__ import annotations

from sitegen.refusals.kinds import pages

SLUGS = {
    "asset-drift",
    "internal-error",
    "link-unsafe",
    "output-busy",
    "output-no-space",
    "output-not-ours",
    "output-not-writable",
    "output-overlap",
    "page-number",
    "page-remote",
    "page-shape",
    "publish-failed",
    "site-drift",
    "site-malformed",
}


def test_no_slug_was_renamed_or_dropped() -> None:
    found = {
        kind.slug
        for group in (
            pages.ENVIRONMENT_GROUP,
            pages.GROUP,
        )
        for kind in group.kinds
    }
    assert found >= SLUGS
