"""Nothing collides, is cut off or hides: in rows and in cards, on a phone and on paper, in a wide font."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.test_pages import OVERFLOW

Opened = Callable[..., Any]
PageOf = Callable[[str], Path]

PROTOCOL, FAMILY, CROWD = "protocols/demo.v1/index.html", "families/demo/index.html", "protocols/crowd.v1/index.html"
REPORT, AUDIT = "protocols/demo.v1/*-gamma-*/index.html", "audit/index.html"
PHONE = {"width": 390, "height": 844}
PAPER = {"width": 680, "height": 960}
"""About A4 between its margins."""
WIDE_FONT = ':root { --sans: "DejaVu Sans", Verdana, sans-serif; --mono: "DejaVu Sans Mono", monospace; }'
OUT_OF_CELL = """() => [...document.querySelectorAll('.comparison tbody tr > *')].flatMap(cell => {
  const right = cell.getBoundingClientRect().right, range = document.createRange();
  range.selectNodeContents(cell);
  return [...range.getClientRects()].filter(rect => rect.right > right + 0.5).map(() => cell.innerText);
})"""
BEYOND = """selector => [...document.querySelectorAll(selector)]
  .filter(element => element.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
  .map(element => element.outerHTML.slice(0, 80))"""
SIZES = """selector => [...document.querySelectorAll(selector)]
  .map(element => parseFloat(getComputedStyle(element).fontSize))"""


@pytest.mark.parametrize("kind", [PROTOCOL, FAMILY])
def test_no_number_leaves_its_cell_at_any_width(watched: Opened, page_of: PageOf, kind: str) -> None:
    page, _ = watched(bypass_csp=True)
    page.goto(page_of(kind).as_uri())
    page.add_style_tag(content=WIDE_FONT)
    for width in (320, 360, 390, 600, 700, 900, *range(1040, 1420, 20)):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(OUT_OF_CELL) == [], width
        assert page.evaluate(OVERFLOW) <= 0, width


def test_an_interval_is_never_parted_between_its_ends(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched(bypass_csp=True, viewport={"width": 1180, "height": 800})
    page.goto(page_of(PROTOCOL).as_uri())
    page.add_style_tag(content=WIDE_FONT)
    lines = page.evaluate(
        """() => [...document.querySelectorAll('.comparison .bar + .ci')].map(line => {
          const text = line.firstChild, range = document.createRange();
          range.setStart(text, '95% CI '.length);
          range.setEnd(text, text.length);
          return new Set([...range.getClientRects()].map(rect => rect.top)).size;
        })"""
    )
    assert set(lines) == {1}


@pytest.mark.parametrize("width", [390, 700, 1000])
def test_cards_are_sorted_by_buttons_above_them(watched: Opened, page_of: PageOf, width: int) -> None:
    page, _ = watched(viewport={"width": width, "height": 900})
    page.goto(page_of(CROWD).as_uri())
    buttons = page.locator(".comparison .sort")
    assert buttons.count() == 5
    for number in range(5):
        box = buttons.nth(number).locator("xpath=..").bounding_box()
        assert box["height"] >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    head = page.locator(".comparison th", has_text="Task success").first
    rates = "[...document.querySelectorAll('.comparison tbody .success')].map(cell => Number(cell.dataset.k))"
    for direction in ("descending", "ascending"):
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == direction
        assert page.evaluate(rates) == sorted(page.evaluate(rates), reverse=direction == "descending")


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("script", [True, False])
def test_a_table_stays_a_table_for_those_who_hear_it(
    watched: Opened, page_of: PageOf, width: int, script: bool
) -> None:
    page, _ = watched(viewport={"width": width, "height": 900}, java_script_enabled=script)
    page.goto(page_of(CROWD).as_uri())
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    heard = [(node.get("role", {}).get("value"), node.get("name", {}).get("value", "")) for node in tree]
    heads = [name for role, name in heard if role == "columnheader"]
    for head in ("Contestant, route", "Task success", "Covariates", "Report", "File", "sha256"):
        assert any(name.startswith(head) for name in heads), (head, heads)
    roles = [role for role, _ in heard]
    assert roles.count("table") >= 2
    assert roles.count("rowheader") >= 9
    assert roles.count("cell") + roles.count("gridcell") >= 9 * 6


@pytest.mark.parametrize("kind", [PROTOCOL, FAMILY, REPORT, AUDIT, CROWD, "protocols/crowd.v1/pairs.html"])
def test_captions_are_read_on_a_phone(watched: Opened, page_of: PageOf, kind: str) -> None:
    """Whole at the start, and still there when the table is scrolled to its end."""
    page, _ = watched(viewport=PHONE)
    page.goto(page_of(kind).as_uri())
    for end in ("0", "box.scrollWidth"):
        page.evaluate(f"document.querySelectorAll('.scroll').forEach(box => {{ box.scrollLeft = {end}; }})")
        places = page.evaluate(
            """() => [...document.querySelectorAll('caption:not(.sr)')].map(caption => {
              const range = document.createRange();
              range.selectNodeContents(caption);
              const box = range.getBoundingClientRect();
              return [caption.innerText, box.left, box.right];
            })"""
        )
        for text, left, right in places:
            assert left >= 0, text
            assert right <= PHONE["width"], text


def test_a_phone_shows_a_file_with_its_digest(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched(viewport=PHONE)
    for kind in (AUDIT, PROTOCOL, REPORT):
        page.goto(page_of(kind).as_uri())
        assert page.locator(".files .digest").count() > 2
        assert page.evaluate(BEYOND, ".files code, .files .digest, .files .number, .files .copy") == []


def test_a_phone_shows_the_start_of_every_chart(watched: Opened, page_of: PageOf) -> None:
    """Every chart begins with its labels, and keeps its size."""
    page, _ = watched(viewport=PHONE)
    page.goto(page_of(PROTOCOL).as_uri())
    starts = page.evaluate(
        """() => [...document.querySelectorAll('.chart')].map(chart => {
          const left = chart.getBoundingClientRect().left;
          const texts = [...chart.querySelectorAll('text')].map(text => text.getBoundingClientRect());
          return [Math.min(...texts.map(box => box.left)) - left, Math.max(...texts.map(box => box.height))];
        })"""
    )
    assert len(starts) == 4
    for start, height in starts:
        assert 0 < start < 60
        assert height >= 12


def test_a_phone_gives_every_text_of_a_table_room(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched(viewport=PHONE)
    page.goto(page_of(FAMILY).as_uri())
    widths = page.evaluate(
        "() => [...document.querySelectorAll('.step .plain td:not(.number)')].map(cell => cell.offsetWidth)"
    )
    assert widths
    assert min(widths) >= 120


def test_a_badge_keeps_its_size_on_a_phone(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched(viewport=PHONE)
    page.goto(page_of(REPORT).as_uri())
    assert page.locator(".badge").bounding_box()["width"] == 560
    assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize("kind", [PROTOCOL, REPORT, AUDIT])
@pytest.mark.parametrize("width", [390, 1280])
def test_targets_are_large_enough_and_the_file_input_stands_apart(
    watched: Opened, page_of: PageOf, kind: str, width: int
) -> None:
    page, _ = watched(viewport={"width": width, "height": 900})
    page.goto(page_of(kind).as_uri())
    small = page.evaluate(
        """() => [...document.querySelectorAll('button')].map(button => [button, button.getBoundingClientRect()])
          .filter(([button, box]) => box.width > 0 && (box.width < 24 || box.height < 24))
          .map(([button, box]) => [button.className, box.width, box.height])"""
    )
    assert small == []
    start = page.locator(".verify-start").bounding_box()
    for index in range(page.locator(".verify input").count()):
        box = page.locator(".verify input").nth(index).bounding_box()
        beside = box["x"] - (start["x"] + start["width"])
        below = box["y"] - (start["y"] + start["height"])
        assert max(beside, below) >= 4
    assert page.evaluate(OVERFLOW) <= 0


def test_headings_of_numbers_stand_over_them(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched(viewport={"width": 1280, "height": 900})
    heads = set()
    for kind in (PROTOCOL, REPORT, AUDIT, FAMILY):
        page.goto(page_of(kind).as_uri())
        sides = page.evaluate(
            """() => [...document.querySelectorAll('.plain')].flatMap(table => {
              const row = table.tBodies[0].rows[0];
              return [...table.tHead.rows[0].cells].map((head, at) => [head, row.cells[at]])
                .filter(([, cell]) => cell?.matches('.number'))
                .map(([head]) => [head.textContent, getComputedStyle(head).textAlign]);
            })"""
        )
        assert [(text, side) for text, side in sides if side != "right"] == [], kind
        heads |= {text for text, _ in sides}
    assert heads >= {"Tasks", "Size", "Difference", "Adjusted p"}


def test_equal_lines_of_a_difference_line_up(watched: Opened, page_of: PageOf) -> None:
    """Text starts at one place, whether the line is the same, gone or new."""
    page, _ = watched(viewport={"width": 1280, "height": 900})
    page.goto(page_of(REPORT).as_uri())
    page.evaluate(
        """() => {
          const body = document.querySelector('.diff tbody');
          body.innerHTML = '<tr><td>same</td><td>same</td></tr>'
            + '<tr class="changed"><td><del>gone</del></td><td><ins>new</ins></td></tr>';
          for (let box = body; box; box = box.parentElement) if (box.tagName === 'DETAILS') box.open = true;
        }"""
    )
    starts = page.evaluate(
        """() => [...document.querySelectorAll('.diff tbody')].slice(0, 1).flatMap(body =>
          [...body.rows].map(row => [...row.cells].map(cell => {
            const range = document.createRange();
            range.selectNodeContents(cell.querySelector('del, ins') || cell);
            return range.getBoundingClientRect().left - cell.getBoundingClientRect().left;
          })))"""
    )
    (same, other), (gone, new) = starts
    assert abs(same - gone) < 0.6
    assert abs(other - new) < 0.6
    signs = "['del', 'ins'].map(name => getComputedStyle(document.querySelector('.diff ' + name), '::before').content)"
    assert page.evaluate(signs) == ['"−"', '"+"']


def test_print_is_dark_on_white_whatever_theme_was_chosen(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched(color_scheme="light")
    page.goto(page_of(PROTOCOL).as_uri())
    page.get_by_role("button", name="Dark theme").click()
    page.emulate_media(media="print")
    colours = "['color', 'backgroundColor'].map(name => getComputedStyle(document.documentElement)[name])"
    assert page.evaluate(colours)[1] == "rgb(255, 255, 255)"
    for selector in ("body", "h1", ".comparison .figure b"):
        colour = page.evaluate("selector => getComputedStyle(document.querySelector(selector)).color", selector)
        assert colour == "rgb(27, 27, 24)", selector


@pytest.mark.parametrize("kind", [PROTOCOL, REPORT, AUDIT, FAMILY])
def test_paper_cuts_nothing_off(watched: Opened, page_of: PageOf, kind: str) -> None:
    page, _ = watched(viewport=PAPER)
    page.goto(page_of(kind).as_uri())
    page.emulate_media(media="print")
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert page.evaluate(BEYOND, "main *:not(.sr):not(.sr *):not(svg *)") == []


@pytest.mark.parametrize("kind", [PROTOCOL, REPORT])
def test_print_has_one_scale(watched: Opened, page_of: PageOf, kind: str) -> None:
    """Every size is the one on the screen, less by one factor, so that what is quieter is never the larger."""
    page, _ = watched(viewport=PAPER)
    page.goto(page_of(kind).as_uri())
    shown = ("body", ".id", "caption", ".of", ".ci", ".figure b", "h2", "summary", "td", ".digest")
    screen = {name: page.evaluate(SIZES, name) for name in shown}
    page.emulate_media(media="print")
    for name in shown:
        for before, after in zip(screen[name], page.evaluate(SIZES, name), strict=True):
            assert 0.7 <= after / before <= 0.8, name
    assert min(page.evaluate(SIZES, ".of")) >= max(page.evaluate(SIZES, ".ci"))
    assert max(page.evaluate(SIZES, "caption")) <= min(page.evaluate(SIZES, "body"))


def test_headings_of_cards_are_not_printed_beside_them(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched(viewport=PAPER)
    page.goto(page_of(CROWD).as_uri())
    page.emulate_media(media="print")
    heads = page.evaluate("[...document.querySelectorAll('.comparison thead th')].map(head => head.offsetWidth)")
    assert set(heads) == {1}
