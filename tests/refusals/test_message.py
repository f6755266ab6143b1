"""A refusal as text and as an object: whole digests, aligned, and no foreign character raw."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from sitegen.refusals import Refusal
from sitegen.refusals.message import LONGEST, as_object, as_text, escape, printable

HOSTILE = "\x1b[31m\u202eevil\r\n\u2066\x00\x9b\u200b\ud800é\u2028refused other"
PREFIXES = ("refused ", "recorded ", "  at ", "  expected ", "  found ", "  likely: ", "  do: ")


def test_foreign_text_is_printable_ascii_and_cut() -> None:
    shown = escape(HOSTILE * 10)
    assert shown.isascii()
    assert shown.isprintable()
    assert len(shown) == LONGEST
    assert shown.endswith("~")


def test_plain_text_is_left_as_it_is() -> None:
    assert escape("reports/demo.v1/x (2)") == "reports/demo.v1/x (2)"
    assert escape("a" * LONGEST) == "a" * LONGEST


@given(st.text(), st.text(), st.text(), st.text(), st.text())
def test_no_control_passes_and_no_line_begins_with_foreign_text(
    file: str, path: str, expected: str, found: str, hint: str
) -> None:
    refusal = Refusal(slug="dataset-drift", file=file, path=path, expected=expected, found=found, hint=hint)
    text = as_text(refusal)
    assert text.replace("\n", "").isascii()
    assert text.replace("\n", "").isprintable()
    assert all(line.startswith(PREFIXES) for line in text.split("\n"))
    for value in as_object(refusal).values():
        assert isinstance(value, bool) or (value.isascii() and value.isprintable())


def test_digests_are_whole_and_expected_stands_above_found() -> None:
    drift = Refusal(slug="dataset-drift", file="tasks.jsonl", expected="1" * 64, found="9" * 64, hint="line ends")
    text = as_text(drift)
    assert text.split("\n") == [
        "refused dataset-drift  tasks.jsonl",
        f"  expected  {'1' * 64}",
        f"  found     {'9' * 64}",
        "  likely: line ends",
        "  do: Restore the file from version control, or seal a new protocol id.",
    ]


def test_a_recorded_refusal_is_not_called_refused() -> None:
    assert as_text(Refusal(slug="run-open", file="x")).startswith("recorded run-open  x\n")
    assert as_object(Refusal(slug="run-open", file="x"))["recorded"] is True


def test_an_object_leaves_out_what_is_absent() -> None:
    assert set(as_object(Refusal(slug="run-open", file="x"))) == {"slug", "file", "remedy", "recorded"}


@given(st.text())
def test_text_of_our_own_keeps_its_letters_and_its_lines_only(text: str) -> None:
    shown = printable(text)
    assert all(char == "\n" or char.isprintable() for char in shown)
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in shown if char != "\n")
    assert printable("naïve ×\nnext") == "naïve ×\nnext"
