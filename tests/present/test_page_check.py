"""The check of a finished page bites: whatever hides a part of a scorecard, or lets something in, is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.present.look import NO_RELATIONS, Look
from sitegen.present.page import Page
from sitegen.present.page_check import find_page_faults
from sitegen.present.site import unit_pages
from sitegen.read.settings import Settings
from sitegen.verify.verified import VerifiedUnit


@pytest.fixture(scope="module")
def protocol_page(unit: VerifiedUnit, look: Look) -> str:
    return next(unit_pages(look, unit)).data.decode()


@pytest.fixture(scope="module")
def report_page(unit: VerifiedUnit, look: Look) -> str:
    return next(
        p for p in unit_pages(look, unit) if p.path.count("/") == 3 and p.path.endswith("index.html")
    ).data.decode()


def slugs(text: str) -> set[str]:
    return {fault.slug for fault in find_page_faults(Page(path="x.html", data=text.encode()))}


def once(pattern: str, replacement: str) -> Callable[[str], str]:
    def changed(text: str) -> str:
        found, count = re.subn(pattern, replacement, text, count=1, flags=re.S)
        assert count == 1, pattern
        return found

    return changed


MUTATIONS = {
    "a rate without its count": (once(r'<span class="of">\d+/\d+</span>', ""), "page-shape"),
    "a rate without its interval": (once(r'<p class="ci">95% CI.*?</p>', ""), "page-shape"),
    "a rate without abstention": (
        once(r'(<td|<div) class="rate abstention".*?</p>\n?(</td>|</div>)', ""),
        "page-shape",
    ),
    "a rate without invalid completion": (once(r' data-k="\d+"( data-n="12")', r"\1"), "page-shape"),
    "no covariates": (once(r'<dl class="covariates">.*?</dl>', ""), "page-shape"),
    "one covariate less": (once(r"<div><dt>retries</dt>.*?</div>", ""), "page-shape"),
    "no null pack": (once(r'<span class="null">.*?</span>', ""), "page-shape"),
    "no level": (once(r'<span class="level">.*?</span>', ""), "page-shape"),
    "a rate by itself": (once("</main>", "<p>It solved 0.950 of them.</p></main>"), "page-shape"),
    "a percentage by itself": (once("</main>", "<p>It solved 82.5% of them.</p></main>"), "page-shape"),
    "marks outside a scorecard": (
        once("</main>", '<p data-k="1" data-n="2" data-low="0" data-high="1">x</p></main>'),
        "page-shape",
    ),
    "an inline script": (once("</main>", "<script>alert(1)</script></main>"), "page-shape"),
    "a handler": (once("<main ", '<main onclick="x()" '), "page-shape"),
    "a style": (once("<main ", '<main style="color:red" '), "page-shape"),
    "a style element": (once("</head>", "<style>*{}</style></head>"), "page-shape"),
    "a frame": (once("</main>", '<iframe src="x.html"></iframe></main>'), "page-shape"),
    "a remote script": (once("</head>", '<script src="https://example.org/x.js"></script></head>'), "page-remote"),
    "a remote image": (once("</main>", '<img src="//example.org/x.png" alt="x"></main>'), "page-remote"),
    "a remote style": (
        once("</head>", '<link rel="stylesheet" href="http://example.org/x.css"></head>'),
        "page-remote",
    ),
    "a link that runs": (once("</main>", '<a href=" javascript:alert(1)">x</a></main>'), "page-shape"),
    "another policy": (once("default-src &#39;none&#39;", "default-src *"), "page-shape"),
    "a comment": (once("</main>", "<!-- x --></main>"), "page-shape"),
    "a second heading": (once("</main>", "<h1>x</h1></main>"), "page-shape"),
    "an element left open": (once("</section>", ""), "page-shape"),
    "an attribute twice": (once("<main ", '<main id="other" '), "page-shape"),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_check_bites(protocol_page: str, report_page: str, name: str) -> None:
    mutate, slug = MUTATIONS[name]
    for page in (protocol_page, report_page):
        assert slugs(page) == set()
        assert slug in slugs(mutate(page)), name


@pytest.mark.parametrize("markup", ["<![x[y]]>", f"&#{'9' * 5000};", f'<a title="&#{"9" * 5000};">x</a>'], ids=range(3))
def test_a_page_that_cannot_be_read_is_refused_with_what_was_found_before(protocol_page: str, markup: str) -> None:
    text = protocol_page.replace("<main ", '<main onclick="x()" ').replace("</main>", f"{markup}</main>")
    faults = find_page_faults(Page(path="x.html", data=text.encode()))
    assert [(fault.slug, fault.expected) for fault in faults] == [
        ("page-shape", "an attribute of <main>"),
        ("page-shape", "a page that can be read"),
    ]
    assert faults[1].path.startswith("line ")


def test_other_files_are_not_pages() -> None:
    assert find_page_faults(Page(path="data/reports.json", data=b"<script>")) == []


def test_an_override_that_shows_a_rate_alone_is_refused(unit: VerifiedUnit, tmp_path: Path) -> None:
    shipped = (Path(__file__).parents[2] / "templates/site/protocol.html").read_text()
    lone = "<p>{{ groups[0].rows[0].report.card.success.text }}</p>"
    (tmp_path / "protocol.html").write_text(
        shipped.replace('<section aria-labelledby="results">', f'{lone}<section aria-labelledby="results">')
    )
    own = Look.open(Settings(), tmp_path, None, NO_RELATIONS)
    page = next(unit_pages(own, unit))
    assert {fault.slug for fault in find_page_faults(page)} == {"page-shape"}
