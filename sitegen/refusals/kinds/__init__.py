"""The catalogue of refusals: one entry a slug, in groups, the hardest to mend first."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sitegen.refusals.kinds import conduct, evidence, ledger, numbers, pages, reading, sealing
from sitegen.refusals.kinds.kind import Group, Kind

GROUPS: tuple[Group, ...] = tuple(
    sorted(
        (
            ledger.GROUP,
            evidence.GROUP,
            conduct.GROUP,
            conduct.NULL_PACK_GROUP,
            numbers.GROUP,
            sealing.GROUP,
            reading.GROUP,
            pages.GROUP,
            pages.ENVIRONMENT_GROUP,
        ),
        key=lambda group: group.rank,
    )
)
"""Every group, the hardest to mend first."""

KINDS: Mapping[str, Kind] = MappingProxyType({kind.slug: kind for group in GROUPS for kind in group.kinds})
"""Every slug with its explanation."""

__all__ = ["GROUPS", "KINDS", "Group", "Kind"]
