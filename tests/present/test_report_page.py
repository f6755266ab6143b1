"""A report's pages: counts that sum, every task with an anchor, further pages that keep the scorecard, tombstones."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sitegen.harness.opening import open_run
from sitegen.harness.records import withdraw
from sitegen.pipeline.build import build_site
from sitegen.present.report_page import RunFile, _files, page_name
from sitegen.read.files import LargeFile
from sitegen.verify.verified import VerifiedUnit
from tests.sites import make_contestant, make_protocol, make_run


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


def withdrawn_text(root: Path, run_id: str) -> str:
    build_site(root, root / "_site")
    page = (root / f"_site/protocols/demo.v1/{run_id}/index.html").read_text(encoding="utf-8")
    assert "data-k" not in page
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_a_run_of_a_withdrawn_protocol_keeps_a_page_without_numbers(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    closed = make_run(tmp_path, "demo.v1", wrong=("T-001",))
    failed = make_run(tmp_path, "demo.v1", "stub", answers={"NP-REFUSE": "always"})
    build_site(tmp_path, tmp_path / "before")
    withdraw(tmp_path, "demo.v1", "T-001 has a wrong oracle")
    text = withdrawn_text(tmp_path, closed.run_id)
    assert "The protocol of this run, demo.v1 ( demo.v1 ), was withdrawn, and the report of this run with it." in text
    assert re.search(r"withdraw, of the protocol 20\S+Z T-001 has a wrong oracle [0-9a-f ]{79}", text)
    assert not (tmp_path / f"_site/protocols/demo.v1/{failed.run_id}").exists()  # it never had a page
    assert not (tmp_path / f"_site/evidence/demo.v1/{closed.run_id}").exists()
    build_site(tmp_path, tmp_path / "_site", previous=str(tmp_path / "before"))


def test_a_run_that_was_withdrawn_before_its_protocol_keeps_its_own_reason(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    closed = make_run(tmp_path, "demo.v1")
    withdraw(tmp_path, closed.run_id, "the wrong model was served")
    withdraw(tmp_path, "demo.v1", "T-001 has a wrong oracle")
    text = withdrawn_text(tmp_path, closed.run_id)
    assert "The report of this run under" in text
    assert "the wrong model was served" in text
    assert "T-001 has a wrong oracle" in text


def test_a_withdrawn_run_without_a_report_is_not_said_to_have_had_one(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    opened = open_run(tmp_path, "demo.v1", make_contestant(tmp_path, "alpha"))
    withdraw(tmp_path, opened.run_id, "started by mistake")
    text = withdrawn_text(tmp_path, opened.run_id)
    assert "This run under demo.v1 ( demo.v1 ) was withdrawn; it never had a report." in text
    assert "The report" not in text


def test_digests_of_a_run_lead_to_the_bytes_that_they_are_of(built: Path, unit: VerifiedUnit) -> None:
    for report in unit.reports:
        text = (built / f"protocols/demo.v1/{report.run_id}/index.html").read_text(encoding="utf-8")
        folder = f"../../../evidence/demo.v1/{report.run_id}"
        assert f'href="{folder}/solver.sums" data-sha256="{report.report.digests.solver}"' in text
        assert f'in its line of <a href="{folder}/transcripts.jsonl">' in text
        assert (built / f"evidence/demo.v1/{report.run_id}/solver.sums").is_file()


def test_a_report_says_of_which_version_it_is(built: Path, unit: VerifiedUnit, parse: Any) -> None:
    tree = parse(built / f"protocols/demo.v1/{unit.reports[0].run_id}/index.html")
    (line,) = [element for element in tree.iter("p") if element.get("class") == "id"]
    assert "on Say the number demo.v1 · route" in text_of(line)
    assert "Intervals: Wilson, 95%." in text_of(tree)


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
