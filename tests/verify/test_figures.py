"""Figures on pages: what stands there must be the recomputed scorecard, all of it, under its own run and protocol."""

from __future__ import annotations

import json

import pytest

from sitegen.digests import sha256
from sitegen.measure.rounding import rate4
from sitegen.measure.scorecard import Estimate, Scorecard, scorecard_of
from sitegen.read.files import SourceFile
from sitegen.read.report import TaskStated
from sitegen.verify.figures import Cards, find_export_faults, find_page_faults


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
    return {("p", "r-abcdef"): scorecard_of(rows, (), "wilson")}


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
    ((_, card),) = cards.items()
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
    success = cell("success", rates(cards["p", "r-abcdef"])["success"])
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
    withdrawn = {("p", "other-abcdef"): cards["p", "r-abcdef"]}
    assert list(find_page_faults(empty, withdrawn)) == []


def test_a_run_on_another_protocols_page_is_a_fault(cards: Cards) -> None:
    assert list(find_page_faults(page(cards, "protocols/q/index.html"), cards)) != []


def test_the_export_is_of_the_same_runs_and_figures(cards: Cards) -> None:
    ((key, card),) = cards.items()
    names = ("task_success", "abstention_accuracy", "invalid_completion", "false_abstention")
    record: dict[str, object] = {"protocol_id": key[0], "run_id": key[1]}
    for name, part in zip(names, rates(card).values(), strict=True):
        low, high = part.stated
        record[name] = {"k": part.k, "n": part.n, "rate": rate4(part.k, part.n), "low": low, "high": high}

    def export(*records: object) -> SourceFile:
        data = json.dumps({"reports": records}).encode()
        return SourceFile(path="data/reports.json", data=data, sha256=sha256(data))

    assert list(find_export_faults(export(record), cards)) == []
    assert list(find_export_faults(export(), cards)) != []
    assert list(find_export_faults(export({**record, "run_id": "x-abcdef"}), cards)) != []
    assert list(find_export_faults(export({**record, "task_success": {"k": 20, "n": 20}}), cards)) != []
    assert list(find_export_faults(SourceFile(path="x", data=b"[", sha256=sha256(b"[")), cards)) != []


def test_the_figures_of_another_run_are_not_those_of_this_one(cards: Cards) -> None:
    rows = [row(i, "ordinary", "success") for i in range(20)]
    rows += [row(i, "negative", "abstain_ok") for i in range(20, 30)]
    better = scorecard_of(rows, (), "wilson")
    source = page({("p", "r-abcdef"): better})
    both = {**cards, ("p", "r-better"): better}
    assert {fault.path for fault in find_page_faults(source, both)} >= {"r-abcdef success"}


def test_an_end_without_a_beginning_ends_nothing(cards: Cards) -> None:
    data = b"</b></table>" + page(cards).data.replace(b"</tr>", b"</p></tr></tr>") + b"</html>" * 3 + b"<p>end</p>"
    source = SourceFile(path="protocols/p/index.html", data=data, sha256=sha256(data))
    assert list(find_page_faults(source, cards)) == []
