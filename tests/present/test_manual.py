"""A page of the manual is its source, in order, with its links turned into addresses."""

from __future__ import annotations

import pytest

from sitegen.present.look import NO_RELATIONS, Look
from sitegen.present.manual import ORDER, address_of, leaves_of, manual_pages
from sitegen.read.settings import Settings

SOURCES = {
    "zebra.md": b"# Last\n\nIt has no place in the order.\n",
    "reading.md": b"# Second\n\nA *first* paragraph\nover `two` [lines](tutorial.md).\n\n## Part one\n\nMore.\n",
    "tutorial.md": b"# First\n\nGo to [part one](reading.md#part-one).\n\n```sh\nsitegen init demo\n```\n",
}


def rendered() -> dict[str, str]:
    look = Look.open(Settings(title="Manual"), None, None, NO_RELATIONS)
    pages = manual_pages(look, SOURCES, {"report": {"title": "report.json"}})
    return {page.path: page.data.decode("utf-8", "replace") for page in pages if not page.path.startswith("assets/")}


def test_the_order_is_the_stated_one_and_others_follow() -> None:
    assert [leaf.name for leaf in leaves_of(SOURCES)] == ["tutorial", "reading", "zebra"]


def test_the_summary_is_the_first_paragraph_without_marks() -> None:
    assert leaves_of(SOURCES)[1].summary == "A first paragraph over two lines."


def test_a_source_without_a_title_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"untitled\.md"):
        leaves_of({"untitled.md": b"Just text.\n"})


def test_links_lead_to_pages_and_places() -> None:
    address = address_of(ORDER)
    assert address("reading.md") == "../reading/index.html"
    assert address("reading.md#part-one") == "../reading/index.html#part-one"
    assert address("#here") == "#here"
    assert address("https://example.org/") == "https://example.org/"


@pytest.mark.parametrize("target", ["nowhere.md", "../../etc/passwd", "javascript:alert(1)", "data:text/html,x"])
def test_any_other_link_is_dropped(target: str) -> None:
    assert address_of(ORDER)(target) is None


def test_a_page_has_its_title_once_and_its_headings_have_names() -> None:
    page = rendered()["reading/index.html"]
    assert page.count("<h1") == 1
    assert '<h2 id="part-one">' in page


def test_every_page_leads_on_and_the_front_leads_to_all() -> None:
    pages = rendered()
    assert 'href="../reading/index.html" rel="next"' in pages["tutorial/index.html"]
    assert 'href="../tutorial/index.html" rel="prev"' in pages["reading/index.html"]
    for leaf in leaves_of(SOURCES):
        assert f'href="{leaf.path}"' in pages["index.html"]


def test_schemas_are_files() -> None:
    assert '"title": "report.json"' in rendered()["schemas/report.json"]
