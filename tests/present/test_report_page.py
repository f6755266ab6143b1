"""A report's pages: counts that sum, every task with an anchor, further pages that keep the scorecard, tombstones."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sitegen.present.report_page import RunFile, _files, page_name
from sitegen.read.files import LargeFile
from sitegen.verify.verified import VerifiedUnit


def text_of(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def test_counts_sum_to_n_and_every_task_has_its_anchor(built: Path, unit: VerifiedUnit, parse: Any) -> None:
    for report in unit.reports:
        tree = parse(built / f"protocols/demo.v1/{report.run_id}/index.html")
        for table, n in zip([t for t in tree.iter("table") if t.get("class") == "plain counts"], (40, 12), strict=True):
            counts = [int(cell.text) for cell in table.iter("td")]
            assert sum(counts[:-1]) == counts[-1] == n
        tasks = [element for element in tree.iter("details") if element.get("class") == "task"]
        dataset = [task for task in tasks if task.get("id").startswith("task-")]
        assert [task.get("data-outcome") for task in dataset] == [row.outcome for row in report.rows]
        assert len(tasks) - len(dataset) == 3


def test_pages_of_tasks_keep_the_whole_scorecard(built: Path, parse: Any) -> None:
    (page,) = built.glob("protocols/long.v1/*/tasks-2.html")
    tree = parse(page)
    (card,) = [element for element in tree.iter() if element.get("data-run")]
    assert "298/300" in text_of(card)
    first = parse(page.with_name(page_name(1)))
    shown = [[e.get("id") for e in t.iter("details") if (e.get("id") or "").startswith("task-")] for t in (first, tree)]
    assert [len(part) for part in shown] == [250, 70]
    links = [e.get("href") for e in first.iter("a") if "tasks-2.html#" in (e.get("href") or "")]
    assert {link.split("#")[1] for link in links} == set(shown[1])


def test_a_wrong_answer_stands_beside_its_oracle(built: Path, unit: VerifiedUnit, parse: Any) -> None:
    report = next(r for r in unit.reports if r.report.route == "gamma-1.0")
    tree = parse(built / f"protocols/demo.v1/{report.run_id}/index.html")
    task = next(element for element in tree.iter("details") if element.get("id") == "task-T-001")
    assert [element.text for element in task.iter("del")] == ["1"]
    assert [element.text for element in task.iter("ins")] == ["wrong"]


def test_a_large_file_of_the_run_is_listed_without_its_bytes() -> None:
    def opened() -> int:
        raise AssertionError("it was read again")

    large = LargeFile(path="solver/weights.bin", sha256="0" * 64, size=1 << 40, open_=opened)
    folder = SimpleNamespace(files={"solver/weights.bin": large})
    run: Any = SimpleNamespace(
        summary=SimpleNamespace(evidence_folder="evidence/p/r"), report=SimpleNamespace(folder=folder), files={}
    )
    assert _files(run) == [RunFile(path="solver/weights.bin", size=1 << 40, sha256="0" * 64, href=None)]


def test_a_withdrawn_report_keeps_a_page_without_numbers(built: Path, unit: VerifiedUnit, parse: Any) -> None:
    (run,) = [run for run in unit.refused if run.withdrawn]
    tree = parse(built / f"protocols/demo.v1/{run.run_id}/index.html")
    text = text_of(tree)
    assert "the wrong model was served" in text
    assert not [element for element in tree.iter() if element.get("data-k")]
    assert not (built / f"evidence/demo.v1/{run.run_id}").exists()


def test_a_protocol_that_keeps_its_tasks_back_shows_outcomes_only(built: Path) -> None:
    (page,) = built.glob("protocols/kept.v1/*/index.html")
    text = page.read_text()
    assert "task-T-007" in text
    assert "Say 7." not in text
    assert "bytes withheld" in text


def test_a_page_leads_to_what_is_made_for_other_programs(built: Path, unit: VerifiedUnit, parse: Any) -> None:
    for report in unit.reports:
        page = built / f"protocols/demo.v1/{report.run_id}/index.html"
        linked = {link.get("href") for link in parse(page).iter("a")}
        for name in ("statement.json", "every_eval_ever.json"):
            assert name in linked
            assert report.sha256 in (page.parent / name).read_text()
