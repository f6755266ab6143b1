"""Every kind of page in a real browser: nothing from elsewhere, no error, accessible, whole without script."""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import KINDS

Opened = Callable[..., Any]

TEXTS = """() => [...document.querySelectorAll('[data-k]')].map(cell => {
  const box = cell.getBoundingClientRect();
  return [cell.dataset.k + '/' + cell.dataset.n, cell.innerText, box.width > 0 && box.height > 0];
})"""
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
SHIFT = """() => new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => { for (const e of list.getEntries()) sum += e.value; })
    .observe({type: 'layout-shift', buffered: true});
  requestAnimationFrame(() => setTimeout(() => done(sum), 200));
})"""
PAINT = """async () => {
  for (;;) {
    const paint = performance.getEntriesByName('first-contentful-paint')[0];
    if (paint) return paint.startTime;
    await new Promise(requestAnimationFrame);
  }
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    return (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_in_either_theme_and_no_page_errs(
    watched: Opened, page_of: Callable[[str], Path], axe: str, kind: str
) -> None:
    page, troubles = watched(viewport={"width": 1280, "height": 900})
    page.goto(page_of(kind).as_uri())
    page.evaluate("() => document.querySelectorAll('details').forEach((d, i) => { if (i < 8) d.open = true; })")
    page.evaluate(axe)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        found = page.evaluate("() => axe.run(document, {resultTypes: ['violations'], preload: false})")
        assert [(v["id"], [node["html"][:120] for node in v["nodes"][:3]]) for v in found["violations"]] == [], theme
    assert troubles == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_is_there_without_script_at_every_width(
    watched: Opened, page_of: Callable[[str], Path], kind: str
) -> None:
    page, troubles = watched(java_script_enabled=False)
    page.goto(page_of(kind).as_uri())
    for width in (1440, 768, 375):
        page.set_viewport_size({"width": width, "height": 800})
        cells = page.evaluate(TEXTS)
        for counts, text, visible in cells:
            assert visible
            assert counts in text
            assert "95% CI" in text
        if kind == "protocols/demo.v1/index.html":
            assert len(cells) == 20
        assert page.evaluate(OVERFLOW) <= 0
    assert troubles == []


def test_a_phone_hides_no_column(watched: Opened, page_of: Callable[[str], Path]) -> None:
    page, _ = watched(viewport={"width": 375, "height": 800})
    page.goto(page_of("protocols/demo.v1/index.html").as_uri())
    row = page.locator("tr[data-run]").first.inner_text().lower()
    words = ("task success", "abstention accuracy", "invalid completion", "false abstention", "retries", "tool calls")
    for word in (*words, "wall-clock", "null pack", "level", "route", "started under this protocol"):
        assert word in row


@pytest.mark.parametrize(
    "kind", ["index.html", "protocols/demo.v1/index.html", "protocols/demo.v1/*-alpha-*/index.html"]
)
def test_nothing_moves_and_the_first_paint_is_soon(watched: Opened, page_of: Callable[[str], Path], kind: str) -> None:
    page, _ = watched(viewport={"width": 1280, "height": 900})
    page.goto(page_of(kind).as_uri())
    assert least_of_three(page, SHIFT) == 0
    assert least_of_three(page, PAINT) < 500


def least_of_three(page: Any, measured: str) -> float:
    """The best of three loads: what else the machine does only adds, to a paint and to what comes after it."""
    found = []
    for _ in range(3):
        page.reload()
        found.append(page.evaluate(measured))
    return min(found)


def test_print_shows_every_row_on_paper_white(watched: Opened, page_of: Callable[[str], Path]) -> None:
    page, _ = watched(color_scheme="dark", viewport={"width": 1000, "height": 800})
    page.goto(page_of("protocols/demo.v1/index.html").as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    paper, body = page.evaluate(
        "() => [document.documentElement, document.body].map((element) => getComputedStyle(element).backgroundColor)"
    )
    assert paper == "rgb(255, 255, 255)"
    assert body == "rgba(0, 0, 0, 0)"
    assert page.locator("nav[aria-label=Site]").is_hidden()
    assert all(visible for _, _, visible in page.evaluate(TEXTS))
