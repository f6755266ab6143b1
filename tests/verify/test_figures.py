"""Figures on pages: what stands there must be the recomputed scorecard, all of it, under its own run and protocol."""

from __future__ import annotations

import json

import pytest

from sitegen.digests import sha256
from sitegen.measure.rounding import rate4
from sitegen.measure.scorecard import Estimate, Scorecard, scorecard_of
from sitegen.read.files import SourceFile
from sitegen.read.report import TaskStated
from sitegen.verify.figures import Cards, figures_in, find_export_faults, find_page_faults


def row(number: int, kind: str, outcome: str) -> TaskStated:
    return TaskStated(
        id=str(number),
        kind=kind,
        outcome=outcome,
        retries=0,
        tool_calls=0,
        wall_clock_sec=0.1,  # type: ignore[arg-type]
    )


@pytest.fixture
def cards() -> Cards:
    rows = [row(i, "ordinary", "success" if i < 16 else "miss") for i in range(20)]
    rows += [row(i, "negative", "abstain_ok" if i < 27 else "invalid_completion") for i in range(20, 30)]
    return {"r-abcdef": {"p": scorecard_of(rows, (), "wilson")}}


def rates(card: Scorecard) -> dict[str, Estimate]:
    return {
        "success": card.success,
        "abstention": card.abstention,
        "invalid": card.invalid,
        "false": card.false_abstention,
    }


def cell(name: str, part: Estimate) -> str:
    low, high = part.stated
    numbers = f'data-k="{part.k}" data-n="{part.n}" data-low="{low:.4f}" data-high="{high:.4f}"'
    text = f"<b>{part.text}</b> {part.k}/{part.n}<br>95% CI {part.bounds[0]}–{part.bounds[1]}"
    return f'<td class="rate {name}" {numbers}>{text}</td>'


def page(cards: Cards, path: str = "protocols/p/index.html", **changed: str) -> SourceFile:
    card = cards["r-abcdef"]["p"]
    cells = {name: cell(name, part) for name, part in rates(card).items()} | changed
    text = f'<table><tr data-run="r-abcdef">{"".join(cells.values())}</tr></table>'
    return SourceFile(path=path, data=text.encode(), sha256=sha256(text.encode()))


def test_the_recomputed_figures_pass(cards: Cards) -> None:
    for path in ("protocols/p/index.html", "protocols/p/r-abcdef/index.html", "families/f/index.html"):
        assert list(find_page_faults(page(cards, path), cards)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('data-k="16"', 'data-k="17"'),
        ('data-low="0.5839"', 'data-low="0.6839"'),
        (">0.800<", ">0.900<"),
        ("16/20", "17/20"),
        ("0.583", "0.683"),
        ('data-high="0.9194"', 'data-high="x"'),
        ("rate success", "rate invalid"),
        ("rate success", "rate"),
    ],
)
def test_any_other_figure_is_a_fault(cards: Cards, old: str, new: str) -> None:
    success = cell("success", rates(cards["r-abcdef"]["p"])["success"])
    assert old in success
    faults = list(find_page_faults(page(cards, success=success.replace(old, new)), cards))
    assert {fault.slug for fault in faults} == {"page-number"}


def test_a_rate_that_stands_without_the_others_is_a_fault(cards: Cards) -> None:
    (fault,) = find_page_faults(page(cards, abstention=""), cards)
    assert fault.found == "3 of 4 rates"


def test_a_report_page_must_show_its_own_scorecard(cards: Cards) -> None:
    path = "protocols/p/r-abcdef/index.html"
    empty = SourceFile(path=path, data=b"<p>nothing</p>", sha256=sha256(b"<p>nothing</p>"))
    assert [fault.path for fault in find_page_faults(empty, cards)] == ["r-abcdef"]
    withdrawn = {"other-abcdef": cards["r-abcdef"]}
    assert list(find_page_faults(empty, withdrawn)) == []


def test_a_run_on_another_protocols_page_is_a_fault(cards: Cards) -> None:
    assert list(find_page_faults(page(cards, "protocols/q/index.html"), cards)) != []


@pytest.fixture
def record(cards: Cards) -> dict[str, object]:
    """The one run as an export shows it."""
    names = ("task_success", "abstention_accuracy", "invalid_completion", "false_abstention")
    record: dict[str, object] = {"protocol_id": "p", "run_id": "r-abcdef"}
    for name, part in zip(names, rates(cards["r-abcdef"]["p"]).values(), strict=True):
        low, high = part.stated
        record[name] = {"k": part.k, "n": part.n, "rate": rate4(part.k, part.n), "low": low, "high": high}
    return record


def places(cards: Cards, *records: object) -> list[str]:
    """Where the export of these records is at fault."""
    data = json.dumps({"reports": records}).encode()
    faults = list(find_export_faults(SourceFile(path="data/reports.json", data=data, sha256=sha256(data)), cards))
    assert {fault.slug for fault in faults} <= {"page-number"}
    return [fault.path for fault in faults]


def test_the_export_is_of_the_same_runs_and_figures(cards: Cards, record: dict[str, object]) -> None:
    assert places(cards, record) == []
    assert places(cards) == ["/reports"]
    assert places(cards, {**record, "run_id": "x-abcdef"}) == ["/reports"]
    assert places(cards, {**record, "task_success": {"k": 20, "n": 20}}) == ["r-abcdef task_success"]
    assert list(find_export_faults(SourceFile(path="x", data=b"[", sha256=sha256(b"[")), cards)) != []


def test_a_run_stands_in_the_export_once(cards: Cards, record: dict[str, object]) -> None:
    """Or a reader who takes the first record would see another figure than one who takes the last."""
    better = {**record, "task_success": {"k": 20, "n": 20, "rate": 1.0, "low": 0.8, "high": 1.0}}
    assert places(cards, better, record) == places(cards, record, better) == ["/reports", "r-abcdef task_success"]
    assert places(cards, record, record) == ["/reports"]


@pytest.mark.parametrize("wrong", [7, None, True, ["r-abcdef"], {"r-abcdef": 1}])
@pytest.mark.parametrize("name", ["run_id", "protocol_id"])
def test_an_id_that_is_no_text_is_a_fault(wrong: object, name: str, cards: Cards, record: dict[str, object]) -> None:
    assert places(cards, {**record, name: wrong}) != []
    assert places(cards, record, {**record, name: wrong}) != []


@pytest.mark.parametrize("wrong", [[1], "16/20", 0.8, None, True, []])
def test_a_rate_that_is_no_object_is_a_fault(wrong: object, cards: Cards, record: dict[str, object]) -> None:
    assert places(cards, {**record, "task_success": wrong}) == ["r-abcdef task_success"]


@pytest.mark.parametrize("reports", ["7", "{}", '"text"', "[7]", '["text"]', "[[]]", "null"])
def test_what_is_no_list_of_records_is_a_fault(reports: str, cards: Cards) -> None:
    data = f'{{"reports":{reports}}}\n'.encode()
    faults = find_export_faults(SourceFile(path="x", data=data, sha256=sha256(data)), cards)
    assert [fault.slug for fault in faults] == ["page-number"]


HOSTILE = ("<![x[y]]>", f"&#{'9' * 5000};", f"<p title='&#{'9' * 5000};'>")
"""Markup that browsers do not mind, and that Python's own parser does."""


@pytest.mark.parametrize("markup", HOSTILE, ids=range(len(HOSTILE)))
def test_a_page_that_cannot_be_read_is_a_fault(markup: str, cards: Cards) -> None:
    data = page(cards).data + markup.encode()
    (fault,) = find_page_faults(SourceFile(path="protocols/p/index.html", data=data, sha256=sha256(data)), cards)
    assert (fault.slug, fault.expected) == ("page-number", "a page that can be read")


def test_a_run_of_two_protocols_has_the_figures_of_either_where_no_protocol_is_named(cards: Cards) -> None:
    rows = [row(i, "ordinary", "success") for i in range(20)]
    rows += [row(i, "negative", "abstain_ok") for i in range(20, 30)]
    both = {"r-abcdef": {**cards["r-abcdef"], "q": scorecard_of(rows, (), "wilson")}}
    places = ("families/f/index.html", "protocols/p/index.html", "protocols/q/index.html")
    assert [list(find_page_faults(page(cards, path), both)) == [] for path in places] == [True, True, False]


def test_the_figures_of_another_run_are_not_those_of_this_one(cards: Cards) -> None:
    rows = [row(i, "ordinary", "success") for i in range(20)]
    rows += [row(i, "negative", "abstain_ok") for i in range(20, 30)]
    better = scorecard_of(rows, (), "wilson")
    source = page({"r-abcdef": {"p": better}})
    both = {**cards, "r-better": {"p": better}}
    assert {fault.path for fault in find_page_faults(source, both)} >= {"r-abcdef success"}


def test_an_end_without_a_beginning_ends_nothing(cards: Cards) -> None:
    data = b"</b></table>" + page(cards).data.replace(b"</tr>", b"</p></tr></tr>") + b"</html>" * 3 + b"<p>end</p>"
    source = SourceFile(path="protocols/p/index.html", data=data, sha256=sha256(data))
    assert list(find_page_faults(source, cards)) == []


@pytest.mark.parametrize(
    ("path", "text", "figures"),
    [
        ("p/index.html", "<p>mean 0.800 16/20, above &gt;0.999</p>", ["0.800", "16/20", ">0.999"]),
        ("p/index.html", '<b data-n="20" data-count="3">3</b>', ['data-n="20"', 'data-count="3">3']),
        ("p/index.html", "n = 20, 3 : 1 and 0.9", ["n = 20", "3 : 1"]),
        ("p/index.html", '<b data-k="16"> 0.8000</b>', ["0.800", 'data-k="16"']),
        ("p/badge.svg", "0.8000 12.5 16/20 n = 20", ["0.8000", "12.5", "16/20"]),
        ("data/reports.csv", "demo,16,20,0.8000", ["0.8000"]),
    ],
)
def test_the_figures_of_a_file_are_those_of_its_kind(path: str, text: str, figures: list[str]) -> None:
    """Pages show three decimals and counts, of which a drawing or a table has none by these names."""
    assert figures_in(path, text.encode()) == figures
