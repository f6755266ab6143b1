"""What runs are called, and the room that is kept for it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sitegen.present.charts.labels import LONGEST, labels_of, room


def test_a_label_is_the_title_in_one_line() -> None:
    assert labels_of({"2026-11-30-a-1-0-0a1b2c": "An arrow\n\u202eof time"}) == {
        "2026-11-30-a-1-0-0a1b2c": "An arrow \\u202eof time"
    }


def test_runs_that_would_read_alike_end_with_what_tells_them_apart() -> None:
    """Alike are also two titles that are cut off before they differ."""
    long = "python-dateutil, strict, with a table of"
    labels = labels_of(
        {"r-aaaaaa": "alpha", "r-bbbbbb": "alpha", "r-cccccc": "beta", "r-dddddd": f"{long} 1", "r-eeeeee": f"{long} 2"}
    )
    assert list(labels.values()) == [
        "alpha aaaaaa",
        "alpha bbbbbb",
        "beta",
        "python-dateutil, strict, w… dddddd",
        "python-dateutil, strict, w… eeeeee",
    ]


@given(st.dictionaries(st.integers(0, 99).map(lambda number: f"run-{number:06}"), st.text()))
def test_a_label_is_never_too_long(titles: dict[str, str]) -> None:
    assert all(len(label) <= LONGEST for label in labels_of(titles).values())


def test_room_is_kept_for_the_longest_text_in_a_wide_font() -> None:
    """The widths are those of DejaVu Sans at 12 pixels."""
    for text, width in (
        ("pyspellchecker", 89.7),
        ("python-dateutil, strict 0e7d00", 179.9),
        ("0.05", 26.7),
        ("MW", 22.3),
    ):
        assert width <= room((text, "i"), 12) <= 1.25 * width
    assert room(("\u65e5\u672c",), 12) >= 24
    assert room((), 12) == 0
