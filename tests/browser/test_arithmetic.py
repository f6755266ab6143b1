"""The arithmetic of the browser's check: the reference vectors, and the same answers as Python's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from sitegen.measure.intervals import wilson
from sitegen.measure.order import censored_quantile
from sitegen.measure.rounding import rate4, round_out, show_bounds, show_rate
from sitegen.present.wording import amount, seconds
from sitegen.read.shipped import templates_dir

VECTORS = Path(__file__).parents[3] / "shared/reference/statistics_vectors.json"
COUNTS = [(k, n) for n in (*range(1, 41), 240, 600, 4321) for k in sorted({0, 1, n // 3, n // 2, n - 1, n})]


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.add_script_tag(content=(templates_dir() / "site/static/arithmetic.js").read_text(encoding="utf-8"))
    page.evaluate("globalThis.math = scorecardArithmetic")
    yield page
    page.close()


def test_wilson_and_what_is_shown_equal_python(page: Page) -> None:
    script = """counts => counts.map(([k, n]) => {
      const w = math.wilson(k, n);
      return [w, math.roundOut(w[0], w[1], 4), math.rate4(k, n), math.showRate(k, n), math.showBounds(w[0], w[1])];
    })"""
    for (k, n), found in zip(COUNTS, page.evaluate(script, COUNTS), strict=True):
        low, high = wilson(k, n)
        assert found[0] == pytest.approx([low, high], abs=1e-15)
        assert found[1:] == [
            list(round_out(low, high, 4)),
            rate4(k, n),
            show_rate(k, n),
            "–".join(show_bounds(low, high)),
        ]


def test_quantiles_with_censoring_equal_python(page: Page) -> None:
    cases = [[(float(i * 7 % 11), (i * 5) % 3 == 0) for i in range(size)] for size in range(1, 30)]
    found = page.evaluate("cases => cases.map(pairs => math.quantile(pairs, 1, 2))", cases)
    for case, made in zip(cases, found, strict=True):
        values, marks = zip(*case, strict=True)
        expected = censored_quantile(values, marks, "0.5")
        assert (made["value"], made["atLeast"]) == (expected.value, expected.at_least)


def test_words_equal_python(page: Page) -> None:
    values = [0, 0.004, 0.005, 0.1, 1, 1.125, 8.345, 9.99, 10, 12.75, 123.25, 1234.5, 37734.3, 1234567.25]
    assert page.evaluate("v => v.map(math.showSeconds)", values) == [seconds(value) for value in values]
    assert page.evaluate("v => v.map(math.showAmount)", [0, 1.5, 2, 12000]) == [amount(v) for v in (0, 1.5, 2, 12000)]


def test_the_reference_vectors_hold(page: Page) -> None:
    if not VECTORS.is_file():
        pytest.skip(f"the reference vectors are not at {VECTORS}")
    held = 0
    for vector in json.loads(VECTORS.read_text(encoding="utf-8"))["vectors"]:
        given = vector["input"]
        if vector["function"] == "wilson" and given.get("level") == 0.95 and isinstance(vector["expected"], list):
            found = page.evaluate("v => math.wilson(v.k, v.n)", given)
        elif vector["function"] == "round_out" and isinstance(vector["expected"], list):
            found = page.evaluate("v => math.roundOut(v.low, v.high, v.digits)", given)
        else:
            continue
        assert found == pytest.approx(vector["expected"], abs=1e-9), vector["id"]
        held += 1
    assert held > 10
