"""One group of explanations, made once."""

from __future__ import annotations

import dataclasses

import pytest

from sitegen.refusals.kinds.kind import group


def test_a_group_holds_its_kinds_recorded_ones_first() -> None:
    made = group("Trouble", 3, {"a-fault": ("It is wrong.", "Mend it.")}, {"an-end": ("It ended.", "Nothing.")})
    assert [(kind.slug, kind.recorded) for kind in made.kinds] == [("an-end", True), ("a-fault", False)]
    assert all(kind.group is made for kind in made.kinds)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.kinds[0].slug = "other"  # type: ignore[misc]
