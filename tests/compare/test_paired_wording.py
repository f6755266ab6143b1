"""What is said of two runs: b, c and n always, a verdict that is the test's, and never that two are equal."""

from __future__ import annotations

from pathlib import Path

from sitegen.compare.paired_wording import as_markdown, as_object, as_text
from sitegen.compare.reports import NotCompared, PairedReports, compare_reports
from tests.compare.test_common_tasks import COMMON, compared, exams, ids
from tests.compare.test_reports import compared as compared_reports
from tests.sites import judge, make_protocol, make_run


def test_two_reports_in_three_forms(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1", "alpha", invalid=["N-001"])
    make_run(tmp_path, "demo.v1", "beta", wrong=[f"T-{i:03}" for i in range(1, 9)])
    found = compared_reports(tmp_path)
    assert isinstance(found, PairedReports)
    text = as_text(found)
    assert "task success: distinguishable: A ahead" in text
    assert "A did better on 8 tasks, B on 0; both passed 12, neither 0; n = 20" in text
    assert "exact p 0.008 (mcnemar-exact)" in text
    assert "abstention accuracy: not distinguishable at n = 10; fewer than 6 disagreements" in text
    assert "9 of 30 tasks have different outcomes" in text
    assert "equal" not in text
    assert "| task success | 12 | 8 | 0 | 0 | 20 | +0.400, 95% " in as_markdown(found)
    value = as_object(found)
    assert (value["rates"]["success"]["b"], value["rates"]["success"]["p"]) == (8, 2 / 2**8)
    assert value["rates"]["abstention"]["only_b"] == ["N-001"]
    assert len(value["tasks"]) == 30


def test_common_tasks_say_so_and_show_no_headline_rate(tmp_path: Path) -> None:
    exams(tmp_path)
    make_run(tmp_path, "demo.v1", wrong=ids(COMMON)[:6])
    make_run(tmp_path, "demo.v2", wrong=ids(COMMON)[:3])
    found = compared(tmp_path)
    for text in (as_text(found), as_markdown(found)):
        assert "Common tasks only: 30 of 40 and 50 (success)" in text
        assert "says nothing about tasks outside" in text
        assert "34/40" not in text
        assert "0.850" not in text
    assert as_object(found)["protocols"] == ["demo.v1", "demo.v2"]


def test_a_refusal_to_compare_gives_its_reasons() -> None:
    foreign = 'The manifests differ in decoder: {"a": "@all"} and {}.'
    found = NotCompared(reasons=("The budgets differ.", foreign))
    assert as_object(found) == {"compared": False, "reasons": ["The budgets differ.", foreign]}
    assert "The budgets differ." in as_text(found)
    assert as_markdown(found).splitlines()[2:] == ["- The budgets differ.", f"- `{foreign}`"]


def test_a_route_can_neither_steer_a_terminal_nor_start_markup(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1", "alpha", route="x`|[a](b)\x1b[2J")
    make_run(tmp_path, "demo.v1", "beta")
    unit = judge(tmp_path, "demo.v1")
    assert unit.protocol is not None
    found = compare_reports(unit.protocol, *unit.reports)
    assert "\x1b" not in as_text(found)
    assert "`x'/[a](b)\\x1b[2J`" in as_markdown(found)
