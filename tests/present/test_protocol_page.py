"""A protocol's page: a row for each published run with everything in it, and what is sealed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitegen.measure.intervals import wilson
from sitegen.present.look import NO_RELATIONS, Look
from sitegen.present.protocol_page import protocol_pages, sealed_lines
from sitegen.present.summary import summarise
from sitegen.read.settings import Settings
from sitegen.verify.verified import VerifiedUnit
from tests.sites import judge, make_protocol, make_run


@pytest.fixture(scope="module")
def tree(built: Path, parse: Any) -> Any:
    return parse(built / "protocols/demo.v1/index.html")


def text_of(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def test_each_published_run_has_one_whole_row(tree: Any, unit: VerifiedUnit) -> None:
    for report in unit.reports:
        (row,) = [element for element in tree.iter() if element.get("data-run") == report.run_id]
        text = text_of(row)
        card = report.card
        for rate in (card.success, card.abstention, card.invalid, card.false_abstention):
            cells = [
                cell for cell in row.iter() if cell.get("data-k") == str(rate.k) and cell.get("data-n") == str(rate.n)
            ]
            assert cells
            low, high = wilson(rate.k, rate.n)
            assert low - 1e-4 <= float(cells[0].get("data-low")) <= low + 1e-9
            assert high - 1e-9 <= float(cells[0].get("data-high")) <= high + 1e-4
            assert f"{rate.text} {rate.k}/{rate.n}" in text
        for word in (
            "retries",
            "tool calls",
            "wall-clock",
            "null pack 3/3",
            "level: re-scored",
            "started under this protocol",
        ):
            assert word in text


def test_rows_with_other_conditions_stand_in_tables_of_their_own(tree: Any) -> None:
    tables = [element for element in tree.iter("table") if element.get("class") == "comparison"]
    assert len(tables) == 3
    assert all("retry limit" in text_of(table.find("caption")) for table in tables)


def test_the_limits_of_the_method_are_on_the_page(tree: Any) -> None:
    text = text_of(tree)
    for words in (
        "not for procurement",
        "detects only the faults that it encodes",
        "It does not prove that the contestant made",
    ):
        assert words in text


def test_notes_are_shown_as_unsealed_and_harmless(tree: Any) -> None:
    notes = next(element for element in tree.iter("div") if element.get("class") == "prose")
    assert {element.tag for element in notes.iter()} <= {
        "div",
        "h3",
        "p",
        "a",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    assert "not sealed" in text_of(tree)


def test_many_pairs_get_a_page_of_their_own(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    for number in range(9):
        make_run(tmp_path, "demo.v1", f"c{number}", wrong=[f"T-{i:03}" for i in range(1, number + 1)])
    unit = judge(tmp_path, "demo.v1")
    assert unit.protocol is not None
    look = Look.open(Settings(), None, None, NO_RELATIONS)
    pages = {
        page.path: page.data.decode() for page in protocol_pages(look, unit.protocol, unit.reports, summarise(unit))
    }
    assert set(pages) == {"protocols/demo.v1/index.html", "protocols/demo.v1/pairs.html"}
    assert pages["protocols/demo.v1/pairs.html"].count("data-pair") == 36
    assert "data-pair" not in pages["protocols/demo.v1/index.html"]


def test_every_sealed_file_is_listed_parts_first(unit: VerifiedUnit) -> None:
    assert unit.protocol is not None
    lines = sealed_lines(unit.protocol)
    assert [line.file.role for line in lines] == ["dataset", "metric", "null pack", "draft"]
    assert all(line.href for line in lines)
