"""The catalogue: every slug explained, in groups, the hardest to mend first."""

from __future__ import annotations

import re

import pytest

from sitegen.refusals.kinds import GROUPS, KINDS


def test_slugs_are_kebab_case_and_in_one_group() -> None:
    listed = [kind.slug for group in GROUPS for kind in group.kinds]
    assert len(listed) == len(set(listed)) == len(KINDS)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", slug.replace("min-n", "min")) for slug in listed)


def test_groups_are_ranked_without_a_tie() -> None:
    assert [group.rank for group in GROUPS] == list(range(len(GROUPS)))


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.slug)
def test_an_explanation_says_what_it_is_and_what_to_do(kind: object) -> None:
    for text in (kind.meaning, kind.remedy):  # type: ignore[attr-defined]
        assert text == text.strip()
        assert text.isprintable()
        assert text.endswith((".", "`", ")"))
