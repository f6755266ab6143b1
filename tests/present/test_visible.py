from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from sitegen.present.visible import clip, finalize, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – ü 漢 👩\u200d🔬", "plain – ü 漢 👩\u200d🔬"),
        ("a\u202eb", "a\\u202eb"),
        ("\x00\x1b[31m", "\\x00\\x1b[31m"),
        ("a\r\nb\tc", "a\\x0d\nb\tc"),
        ("\ufeff\u200b", "\\ufeff\\u200b"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_cannot_be_seen_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_nothing_that_html_forbids_is_left(text: str) -> None:
    points = [ord(character) for character in visible(text)]
    assert not [p for p in points if (p < 32 and p not in (9, 10)) or 0x7F <= p < 0xA0 or 0xD800 <= p < 0xE000]


def test_markup_of_templates_passes_and_numbers_stay_numbers() -> None:
    assert finalize(Markup("<b>\u202e</b>")) == "<b>\u202e</b>"
    assert finalize(3) == 3
    assert finalize("\u202e") == "\\u202e"


def test_clipping_says_that_something_is_left_out() -> None:
    assert clip("abcd", 4) == "abcd"
    assert clip("abcde", 4) == "abc…"
