"""What script adds: sorting, finding, filtering, copying, a theme that is remembered. All by keyboard as well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.browser.test_pages import PAINT, least_of_three

Opened = Callable[..., Any]
PageOf = Callable[[str], Path]


def test_the_first_key_leads_past_the_header(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched()
    page.goto(page_of("protocols/demo.v1/index.html").as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_tables_are_sorted_by_key_and_say_so(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched(viewport={"width": 1280, "height": 900})
    page.goto(page_of("protocols/crowd.v1/index.html").as_uri())
    head = page.locator("table.comparison th", has_text="Task success").first
    rates = (
        "[...document.querySelectorAll('.comparison tbody tr')].map(r => Number(r.querySelector('.success').dataset.k))"
    )
    assert page.evaluate(rates) == sorted(page.evaluate(rates), reverse=True)
    for direction in ("descending", "ascending"):
        head.locator("button").focus()
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == direction
        assert page.evaluate(rates) == sorted(page.evaluate(rates), reverse=direction == "descending")


def test_the_theme_is_remembered(watched: Opened, served: tuple[str, Path]) -> None:
    page, troubles = watched(color_scheme="light")
    page.goto(served[0])
    page.get_by_role("button", name="Dark theme").click()
    page.goto(f"{served[0]}audit/index.html")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 20, 18)"
    assert troubles == []


def test_finding_narrows_protocols_and_runs_and_knows_no_refused_one(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched()
    page.goto(page_of("index.html").as_uri())
    shown = page.locator(".protocol:visible")
    every = shown.count()
    page.fill("#find", "gamma")
    assert shown.count() == 1
    assert page.locator("[data-find-run]:visible").all_inner_texts()[0].startswith("gamma")
    page.fill("#find", "rehearsal")
    assert shown.count() == 0
    page.fill("#find", "")
    assert shown.count() == every


def test_tasks_are_filtered_by_outcome(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched()
    page.goto(page_of("protocols/demo.v1/*-gamma-*/index.html").as_uri())
    page.get_by_label("miss", exact=True).check()
    visible = page.locator("#tasks ~ .tasks .task:visible")
    assert visible.count() == 5
    page.get_by_label("invalid completion", exact=True).check()
    assert visible.count() == 6
    page.get_by_label("miss", exact=True).uncheck()
    page.get_by_label("invalid completion", exact=True).uncheck()
    assert visible.count() == 52


def test_an_address_opens_the_task_that_it_names(watched: Opened, page_of: PageOf) -> None:
    page, _ = watched()
    page.goto(f"{page_of('protocols/demo.v1/*-gamma-*/index.html').as_uri()}#task-T-001")
    assert page.locator("#task-T-001[open] ins").inner_text() == "wrong"


def test_a_digest_is_copied_whole(watched: Opened, served: tuple[str, Path]) -> None:
    page, _ = watched(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{served[0]}protocols/demo.v1/index.html")
    digest = page.locator(".identity .digest").get_attribute("data-sha256")
    page.locator(".identity .copy").click()
    page.wait_for_function("document.querySelector('.identity .copy').textContent === 'copied'")
    assert page.evaluate("navigator.clipboard.readText()") == digest


def test_five_thousand_tasks_stay_usable(watched: Opened, tmp_path: Path) -> None:
    """First paint and a jump to the last task of the page, on a report of five thousand tasks."""
    from sitegen.present.look import NO_RELATIONS, Look
    from sitegen.present.site import unit_pages
    from sitegen.read.settings import Settings
    from tests.sites import judge, make_protocol, make_run

    make_protocol(tmp_path, "long.v1", ordinary=4900, negative=100)
    make_run(tmp_path, "long.v1", "alpha", wrong=[f"T-{i:03}" for i in range(1, 4901, 7)])
    unit = judge(tmp_path, "long.v1")
    look = Look.open(Settings(), None, None, NO_RELATIONS)
    for file in unit_pages(look, unit):
        (tmp_path / file.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file.path).write_bytes(file.data)
    for name, data in look.assets.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    page, _ = watched(viewport={"width": 1280, "height": 900})
    (first,) = tmp_path.glob("protocols/long.v1/*/index.html")
    page.goto(first.as_uri())
    assert least_of_three(page, PAINT) < 500
    assert len(list(first.parent.glob("tasks-*.html"))) == 19
    spent = page.evaluate(
        "() => { const t = performance.now(); scrollTo(0, document.body.scrollHeight); document.body.offsetHeight;"
        " return performance.now() - t; }"
    )
    assert spent < 200
