from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.digests import sha256
from sitegen.measure.scorecard import estimate
from sitegen.present.marks import TINTS, bar, glyph
from sitegen.read.shipped import templates_dir

STYLE = (templates_dir() / "site/static/site.css").read_text()


@given(st.binary(max_size=8), st.binary(max_size=8))
def test_two_digests_have_two_glyphs(one: bytes, other: bytes) -> None:
    first, second = glyph(sha256(one)), glyph(sha256(other))
    assert (first == second) == (one == other)


def test_a_glyph_is_well_formed_and_hidden_from_readers_of_the_text() -> None:
    root = ElementTree.fromstring(glyph("ab" * 32))
    assert root.get("aria-hidden") == "true"
    assert [child.tag for child in root] == ["path"]


@given(st.binary(max_size=8))
def test_a_glyph_stays_in_its_box(data: bytes) -> None:
    (path,) = ElementTree.fromstring(glyph(sha256(data)))
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d") or "")]
    assert min(numbers) >= 0
    assert max(numbers) <= 64


def seen(digest: str) -> tuple[str | None, int, str]:
    """Return what of a glyph is seen at a glance: the tint, how many shapes, and the outline."""
    root = ElementTree.fromstring(glyph(digest))
    shapes = (root[0].get("d") or "").split("z")
    return root.get("class"), len(shapes), shapes[0]


def test_the_versions_of_a_family_and_the_protocols_beside_them_are_told_apart_at_a_glance() -> None:
    files = sorted(Path(__file__).parents[2].glob("protocols/*/protocol.sealed.yaml"))
    glyphs = [seen(sha256(file.read_bytes())) for file in files]
    assert len(glyphs) >= 3
    assert all(one[2] != other[2] for one, other in combinations(glyphs, 2))


def test_glyphs_look_alike_rarely() -> None:
    """Of a thousand digests, a hundred and more are different at a glance even without their figures."""
    glyphs = {seen(sha256(str(number).encode())) for number in range(1000)}
    assert len(glyphs) > 100


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_every_tint_is_seen_on_every_ground(theme: int) -> None:
    """At least 4.5 to 1, although a drawing needs only 3."""
    colours = dict(re.findall(r"--([\w-]+): light-dark\(([^)]*)\)", STYLE))
    of = {name: pair.split(", ")[theme] for name, pair in colours.items()}
    tints = [of[f"tint-{number}"] for number in range(TINTS)]
    assert len(set(tints)) == TINTS
    for ground in ("paper", "raised", "sunk"):
        for tint in tints:
            assert contrast(tint, of[ground]) >= 4.5, (tint, ground)
        assert all(f".tint-{number} {{ color: var(--tint-{number}); }}" in STYLE for number in range(TINTS))


def contrast(one: str, other: str) -> float:
    """Return the ratio of two colours' luminances, as WCAG defines it."""
    first, second = sorted((luminance(one), luminance(other)), reverse=True)
    return (first + 0.05) / (second + 0.05)


def luminance(colour: str) -> float:
    digits = colour.removeprefix("#")
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_bar_shows_the_interval_around_the_rate(counts: tuple[int, int]) -> None:
    k, n = counts
    root = ElementTree.fromstring(bar(estimate(k, n, "wilson")))
    span, dot = root[1], root[2]
    left, right = (float(part.split(" ")[0]) for part in (span.get("d") or "")[1:].split("M")[1:])
    assert 4 <= left <= float(dot.get("cx") or 0) <= right <= 124
