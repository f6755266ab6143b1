"""Artifact beside oracle: every line of both is there, and equal means byte for byte."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sitegen.present.differing import MOST_CHARACTERS, MOST_LINES, difference_of

LINES = st.lists(st.sampled_from(["a", "b", "", "  a"]), max_size=8).map("\n".join)


@given(LINES, LINES)
def test_both_texts_can_be_read_back(oracle: str, artifact: str) -> None:
    found = difference_of(oracle.encode(), artifact)
    assert found.equal == (oracle == artifact and bool(artifact))
    if not found.both:
        assert found.rows == ()
        assert found.text == (artifact or oracle).removesuffix("\n")
        return
    left = [row.oracle.text.removesuffix("⏎") for row in found.rows if row.oracle]
    right = [row.artifact.text.removesuffix("⏎") for row in found.rows if row.artifact]
    assert left == (oracle.removesuffix("\n").split("\n") if oracle else [])
    assert right == artifact.removesuffix("\n").split("\n")


@given(LINES, LINES)
def test_what_is_kept_is_what_is_shown(oracle: str, artifact: str) -> None:
    found = difference_of(oracle.encode(), artifact)
    kept = [found.text, *(side.text for row in found.rows for side in (row.oracle, row.artifact) if side)]
    assert found.length == len("".join(kept))
    long = difference_of(b"x" * 9 * MOST_CHARACTERS, "y" * 9 * MOST_CHARACTERS)
    assert long.length <= 2 * MOST_CHARACTERS


def test_a_missing_line_feed_shows() -> None:
    found = difference_of(b"a\n", "a")
    assert not found.equal
    assert [(row.kind, row.oracle and row.oracle.text, row.artifact and row.artifact.text) for row in found.rows] == [
        ("changed", "a⏎", "a")
    ]


def test_without_an_oracle_or_an_artifact() -> None:
    assert not difference_of(None, "x").has_oracle
    assert not difference_of(b"x", None).has_artifact
    assert not difference_of(b"x", "").has_artifact
    assert difference_of(None, None).rows == ()


def test_long_texts_are_cut_and_say_so() -> None:
    found = difference_of(b"a\n" * (MOST_LINES + 5), "a\n")
    assert found.cut
    assert len(found.rows) <= MOST_LINES + 1


def test_one_text_is_shown_once() -> None:
    assert difference_of(b"a\nb\n", "a\nb\n").text == "a\nb"
    assert difference_of(b"a\nb", None).text == "a\nb"
    assert difference_of(None, "a").text == "a"
    assert [difference_of(*pair).both for pair in ((b"a", "b"), (b"a", "a"), (b"a", None), (None, "a"))] == [
        True,
        False,
        False,
        False,
    ]
