"""A protocol's page: a row for each published run with everything in it, and what is sealed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sitegen.harness.records import withdraw
from sitegen.measure.intervals import wilson
from sitegen.present.citing import MOST_CITED
from sitegen.present.look import NO_RELATIONS, Look
from sitegen.present.page_check import find_page_faults
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
    assert pages["protocols/demo.v1/pairs.html"].count("data-pair") == 2 * 36  # by success and by abstention
    assert "Pairs by abstention accuracy, of n = 10" in pages["protocols/demo.v1/pairs.html"]
    assert "data-pair" not in pages["protocols/demo.v1/index.html"]


def test_a_row_has_letters_and_no_rank(tree: Any) -> None:
    standings = [element for element in tree.iter("p") if element.get("class") == "standing"]
    assert {text_of(standing) for standing in standings} == {"tie letters a", "tie letters b"}
    assert "rank" not in " ".join(text_of(table) for table in tree.iter("table"))


def test_where_letters_do_not_suffice_a_row_has_a_range_of_ranks_and_the_page_says_so(look: Look) -> None:
    table = look.pages.environment.get_template("comparison.html").module.table
    analysis = SimpleNamespace(letters=None, tasks=40, alpha=0.05)
    group = SimpleNamespace(
        rows=[], runs=1, contestants=30, conditions=(), success=analysis, abstention=None, floor=14, unsaid=None
    )
    text = str(table(group, "", SimpleNamespace(dataset=SimpleNamespace(cluster=None)), 1, 1))
    assert "each row has the range of ranks that the tests leave open by task success at n = 40" in text


def test_the_page_says_how_to_cite_the_exam_and_every_run(built: Path, tree: Any, unit: VerifiedUnit) -> None:
    forms = {form.find("summary").text: form for form in tree.iter("details") if form.get("class") == "cite"}
    assert list(forms) == ["Text", "BibTeX", "Markdown", "HTML", "LaTeX", "Badges"]
    assert unit.protocol is not None
    badges = [image.get("src") for image in forms.pop("Badges").iter("img")]
    assert sorted(badges) == sorted(f"{report.run_id}/badge.svg" for report in unit.reports)
    assert all((built / "protocols/demo.v1" / badge).is_file() for badge in badges)
    for name, form in forms.items():
        text = "".join(form.itertext())
        assert unit.protocol.sha256 in text, name
        for report in unit.reports:
            assert report.sha256 in text, name
            assert f"{report.card.success.k}/{report.card.success.n}" in text, name


def test_the_table_of_data_is_called_what_it_is(built: Path, tree: Any, unit: VerifiedUnit) -> None:
    assert "The scorecards of this page as data, a row for each published run: CSV." in text_of(tree)
    assert len((built / "data/demo.v1.csv").read_text().splitlines()) == 1 + len(unit.reports)


def test_of_many_runs_the_page_cites_the_exam_alone(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    for number in range(MOST_CITED + 1):
        make_run(tmp_path, "demo.v1", f"c{number}")
    unit = judge(tmp_path, "demo.v1")
    assert unit.protocol is not None
    look = Look.open(Settings(), None, None, NO_RELATIONS)
    text = next(protocol_pages(look, unit.protocol, unit.reports, summarise(unit))).data.decode()
    cited = text[text.index('id="cite"') : text.index('id="limits"')]
    assert f"The forms of its {MOST_CITED + 1} runs stand on their own pages" in cited
    assert unit.protocol.sha256 in cited
    assert not any(report.sha256 in cited for report in unit.reports)


def test_a_withdrawn_protocol_says_when_and_why(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    closed = make_run(tmp_path, "demo.v1")
    event = withdraw(tmp_path, "demo.v1", "T-001 has a wrong oracle")
    unit = judge(tmp_path, "demo.v1")
    time = unit.ledger.events[event].time
    look = Look.open(Settings(), None, None, NO_RELATIONS)
    assert unit.protocol is not None
    page = next(protocol_pages(look, unit.protocol, unit.reports, summarise(unit)))
    text = page.data.decode()
    assert f'<span class="sealed">withdrawn</span> <time datetime="{time}">{time}</time>' in text
    assert f'sealed <time datetime="{unit.protocol.sealed_at}">' in text
    assert "Reason: <bdi>T-001 has a wrong oracle</bdi>" in text
    assert f'<a href="{closed.run_id}/index.html">' in text
    assert "0 published, 0 not published, 1 withdrawn" in text
    assert f'href="../../evidence/demo.v1/ledger/{event}.json"' in text
    assert find_page_faults(page) == []


def test_every_sealed_file_is_listed_parts_first(unit: VerifiedUnit) -> None:
    assert unit.protocol is not None
    lines = sealed_lines(unit.protocol)
    assert [line.file.role for line in lines] == ["dataset", "metric", "null pack", "draft"]
    assert all(line.href for line in lines)
