"""Notes: what is safe is shown, what is not is refused by name and gone from the page."""

from __future__ import annotations

import re

import pytest

from sitegen.digests import sha256
from sitegen.present.prose import MOST_BYTES, find_note_faults, notes_html
from sitegen.read.files import SourceFile
from sitegen.refusals import KINDS


def notes(text: str) -> SourceFile:
    data = text.encode()
    return SourceFile(path="protocols/x/notes.md", data=data, sha256=sha256(data))


def test_headings_go_below_those_of_the_page_and_tables_stay() -> None:
    shown = notes_html(notes("# One\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"))
    assert shown is not None
    assert "<h3>One</h3>" in shown
    assert "<table>" in shown


@pytest.mark.parametrize(
    "evil",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<iframe src='https://example.org'></iframe>",
        "<style>*{display:none}</style>",
        "<p style='color:red' class='card' id='main' data-run='x'>x</p>",
        "<svg onload=alert(1)>",
        "<math><mi xlink:href='javascript:alert(1)'>",
    ],
)
def test_markup_in_notes_does_nothing(evil: str) -> None:
    shown = notes_html(notes(f"before {evil} after\n\n{evil}\n"))
    assert shown is not None
    for word in ("<script", "<img", "<iframe", "<style", "style=", "class=", "id=", "data-", "<svg", "onload", "href="):
        assert word not in shown


@pytest.mark.parametrize(
    "target",
    ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//example.org/x", "../../x", "JaVaScRiPt:1"],
)
def test_a_link_that_leads_astray_is_refused_and_not_shown(target: str) -> None:
    source = notes(f"[x]({target})")
    assert [fault.slug for fault in find_note_faults(source)] == ["link-unsafe"]
    shown = notes_html(source)
    assert shown is not None
    assert "href" not in shown


@pytest.mark.parametrize("target", ["https://example.org/x?a=1&b=2", "mailto:a@example.org", "#limits"])
def test_other_links_stay(target: str) -> None:
    source = notes(f"[x]({target})")
    assert list(find_note_faults(source)) == []
    shown = notes_html(source)
    assert shown is not None
    assert f'href="{target.replace("&", "&amp;")}"' in shown


def test_notes_of_which_a_line_opens_many_lists_are_refused() -> None:
    some, many = notes(f"{'1. ' * 8}{'> - ' * 4}x\n"), notes(f"{'1. ' * 9}{'> - ' * 4}x\n")
    assert list(find_note_faults(some)) == []
    assert [fault.slug for fault in find_note_faults(many)] == ["file-too-large"]
    assert notes_html(many) is None
    assert list(find_note_faults(notes(f"{'1. x ' * 99}\n\n{'- x' * 99}\n"))) == []


def test_notes_without_measure_are_refused() -> None:
    source = notes("x" * (MOST_BYTES + 1))
    assert [fault.slug for fault in find_note_faults(source)] == ["file-too-large"]
    assert notes_html(source) is None
    assert notes_html(None) is None
    assert list(find_note_faults(None)) == []


def test_what_the_refusal_of_a_link_advises_is_not_refused() -> None:
    advised = re.findall(r"`([^`]+)`", KINDS["link-unsafe"].remedy)
    assert len(advised) == 2
    for target in advised:
        assert list(find_note_faults(notes(f"[there]({target})"))) == []
    assert [fault.slug for fault in find_note_faults(notes("[there](other.html)"))] == ["link-unsafe"]
