from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from sitegen.digests import sha256
from sitegen.measure.scorecard import estimate
from sitegen.present.marks import bar, glyph


@given(st.binary(max_size=8), st.binary(max_size=8))
def test_two_digests_have_two_glyphs(one: bytes, other: bytes) -> None:
    first, second = glyph(sha256(one)), glyph(sha256(other))
    assert (first == second) == (one == other)


def test_a_glyph_is_well_formed_and_hidden_from_readers_of_the_text() -> None:
    root = ElementTree.fromstring(glyph("ab" * 32))
    assert root.get("aria-hidden") == "true"
    assert [child.tag for child in root] == ["path", "path"]


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_bar_shows_the_interval_around_the_rate(counts: tuple[int, int]) -> None:
    k, n = counts
    root = ElementTree.fromstring(bar(estimate(k, n, "wilson")))
    span, dot = root[1], root[2]
    left, right = (float(part.split(" ")[0]) for part in (span.get("d") or "")[1:].split("M")[1:])
    assert 4 <= left <= float(dot.get("cx") or 0) <= right <= 124
