"""Every place where a site says a number: changed there alone, with all lists made right, audit.py says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sitegen.harness.opening import open_run
from sitegen.read.shipped import templates_dir
from tests.audit.published import Files, files_of, published, resealed_lists, script, script_says
from tests.sites import make_contestant, make_protocol, make_run, negative_tasks, ordinary_tasks

SCRIPT = {"audit.py": (templates_dir() / "site" / "audit.py").read_bytes()}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """One exam, three contestants that can be told apart by every number, with times that are not round."""
    root = tmp_path_factory.mktemp("numbers")
    make_protocol(root / "root", "demo.v1")
    slow = {f"T-{number:03}": {"wall_clock_sec": 0.25 + number / 16, "tool_calls": number} for number in range(1, 21)}
    make_run(root / "root", "demo.v1", "alpha", wrong=("T-001", "T-002", "T-003"), rows=slow)
    make_run(root / "root", "demo.v1", "beta", wrong=("T-002",), abstained=("T-004",), invalid=("N-001", "N-002"))
    make_run(root / "root", "demo.v1", "gamma", wrong=[f"T-{number:03}" for number in range(5, 17)], invalid=("N-003",))
    return files_of(published(root / "root", root / "site"))


PROTOCOL, REPORT = r"protocols/demo\.v1/index\.html", r"protocols/demo\.v1/[^/]+alpha[^/]+/index\.html"
PLACES = [
    ("description", REPORT, r'(<meta name="description" content="Task success 0\.)850', r"\g<1>950"),
    ("shared description", REPORT, r'(<meta property="og:description" content="Task success 0\.850 \()17', r"\g<1>19"),
    ("JSON-LD", REPORT, r'("description":"Task success 0\.850 \(17/20, 95% CI 0\.)\d', r"\g<1>9"),
    ("null pack in a description", REPORT, r'(content="Task[^"]*Null pack )3/3', r"\g<1>2/3"),
    ("wall-clock in a description", REPORT, r'(content="Task[^"]*Wall-clock )[\d.]+ s', r"\g<1>0.03 s"),
    ("retries in a description", REPORT, r'(content="Task[^"]*Retries )0', r"\g<1>7"),
    ("another run's rate in a description", REPORT, r'(content="Task success )0\.850 \(17/20', r"\g<1>0.900 (18/20"),
    ("a rate in a row", PROTOCOL, r"<b>0\.850</b>", "<b>0.900</b>"),
    ("k of n in a row", PROTOCOL, r'(<span class="of">)17/20', r"\g<1>18/20"),
    ("an interval in a row", PROTOCOL, r"(95% CI 0\.)\d", r"\g<1>0"),
    ("what a row is sorted by", PROTOCOL, r'data-k="17"', 'data-k="18"'),
    ("a rate among others", PROTOCOL, r'class="rate false" data-k', 'class="rate false" data-q'),
    ("the run of a row", PROTOCOL, r'data-run="[^"]+"', 'data-run="2026-11-30-other"'),
    ("null pack of a row", PROTOCOL, r"null pack 3/3 ✓", "null pack 2/3 ✓"),
    ("median wall-clock of a row", PROTOCOL, r"[\d.]+ s median", "0.01 s median"),
    ("quartiles of a row", PROTOCOL, r"Q1–Q3 [\d.]+ s", "Q1–Q3 0.02 s"),
    ("total of a row", PROTOCOL, r"(total )[\d.]+ s", r"\g<1>999.9 s"),
    ("maximum of a row", PROTOCOL, r"(max )[\d.]+ s", r"\g<1>999.9 s"),
    ("timeouts of a row", PROTOCOL, r"0 timed out", "1 timed out"),
    ("tool calls of a row", PROTOCOL, r"Q1–Q3 \d+–\d+", "Q1–Q3 0–99"),
    ("covariates of another run", REPORT, r"total 0, |(total )[\d.]+ s", "total 3.3 s"),
    ("a count of outcomes", REPORT, r'(data-count="success">)17', r"\g<1>18"),
    ("all outcomes", REPORT, r'(all</th><td class="number">)20', r"\g<1>21"),
    ("null pack of the steps", REPORT, r"3 of 3 rows", "2 of 3 rows"),
    ("BibTeX", PROTOCOL, r"(17/20, 95\\% CI 0\.\d{3}--0\.)\d", r"\g<1>1"),
    ("Markdown", PROTOCOL, r"0\.850 \\\(17/20", r"0.850 \\(16/20"),
    ("HTML to copy", PROTOCOL, r"(&lt;td&gt;)0\.850", r"\g<1>0.851"),
    ("LaTeX", PROTOCOL, r"(&amp; 0\.)850( \(17/20, 95\\%)", r"\g<1>950\g<2>"),
    ("another run's row to copy", PROTOCOL, r"(&lt;td&gt;)0\.850 \(17/20, 95% CI [^)]*\)", None),
    ("a chart's label", PROTOCOL, r"(<text[^>]*>)17/20", r"\g<1>19/20"),
    ("how many tasks", PROTOCOL, r"<dd>n = 20</dd>", "<dd>n = 40</dd>"),
    ("who did better in a pair", PROTOCOL, r'(<tr data-pair>.*?<td class="number">)(\d+) : ', r"\g<1>19 : "),
    ("the difference of a pair", PROTOCOL, r"(\d+ : \d+</td><td class=\"number\">)[^<]+", r"\g<1>+0.999"),
    ("the feed", r"feed\.xml", r"0\.850 \(17/20", "0.950 (19/20"),
    ("another run's rate in the feed", r"feed\.xml", r"0\.850 \(17/20, 95% CI [^)]*\)", None),
    ("a badge", r".*alpha.*/badge\.svg", r"(<text[^>]*>Task success 0\.)850", r"\g<1>950"),
    ("a badge's title", r".*alpha.*/badge\.svg", r"(<title>Task success 0\.850 \()17", r"\g<1>18"),
    ("a badge's wall-clock", r".*alpha.*/badge\.svg", r"wall-clock [\d.]+ s", "wall-clock 0.02 s"),
    ("the table", r"data/demo\.v1\.csv", r",17,20,0\.85,", ",18,20,0.85,"),
    ("a bound in the table", r"data/demo\.v1\.csv", r"(,17,20,0\.85,0\.)\d", r"\g<1>7"),
    ("the records", r"data/reports\.json", r'"k":17,', '"k":18,'),
    ("counts in the records", r"data/reports\.json", r'"success":17,', '"success":18,'),
    ("another page", r"index\.html", r"</main>", "<p>alpha: 0.999 (20/20)</p></main>"),
    ("the page of the audit", r"audit/index\.html", r"</main>", "<p>alpha solved 19/20</p></main>"),
]


def test_the_untouched_site_holds(files: Files) -> None:
    assert script_says(script(SCRIPT), files) == []
    assert resealed_lists(files, lambda made: None) == files


@pytest.mark.parametrize(("where", "pattern", "old", "new"), PLACES, ids=[place[0] for place in PLACES])
def test_a_number_changed_there_is_noticed(files: Files, where: str, pattern: str, old: str, new: str | None) -> None:
    """``None`` stands for the right rate of another run of the same exam."""
    (path,) = [name for name in files if re.fullmatch(pattern, name)]
    text = files[path].decode()
    other = re.search(r"0\.900 \(18/20, 95% CI [^)]*\)", text)
    if new is None:
        assert other is not None
        new = ("&lt;td&gt;" if "&lt;td" in old else "") + other[0]
    changed = re.sub(old, new, text, count=1, flags=re.DOTALL)
    assert changed != text, f"no such number: {where}"
    forged = resealed_lists(files, lambda made: made.update({path: changed.encode()}))
    assert any(path in fault for fault in script_says(script(SCRIPT), forged)), where


def test_notes_which_nobody_sealed_vouch_for_no_number(files: Files) -> None:
    """They may be written anew at any time, so what stands in them may stand in them alone."""
    path = "protocols/demo.v1/index.html"
    page = files[path].replace(b"</main>", b"<p>It is 0.999.</p></main>")

    def change(made: Files) -> None:
        made.update({path: page, "evidence/demo.v1/notes.md": b"It is 0.999.\n"})

    assert any(path in fault for fault in script_says(script(SCRIPT), resealed_lists(files, change)))


def test_what_looks_like_a_number_but_is_a_name_or_a_task_holds(tmp_path: Path) -> None:
    """Routes, titles, tasks, answers, notes and the site's own title may hold any figure."""
    said = "0.123 (4/5, 95% CI 0.100–0.900), n = 7, 3/4, max 5, 2 median"
    tasks = [
        {**task, "prompt": f"{task['prompt']} {said}\n1/2 <b>0.500</b>"}
        for task in [*ordinary_tasks(20), *negative_tasks(10)]
    ]
    root = tmp_path / "root"
    notes = f"# Notes\n\n{said}\n\n*8*/9 and **n = 12**, 0.**777**\n"
    make_protocol(root, "demo.v1", tasks=tasks, files={"notes.md": notes})
    make_run(root, "demo.v1", "alpha", route="1/2", title="A 0.123 <3/4>", answers={"T-001": "9/8 \\ 0.125\t7/6"})
    make_run(
        root,
        "demo.v1",
        "beta",
        route="b-0.5",
        title="0.123 (4/5), n = 7, max 5, 2 median, 0.12345678901234567890, 1/2345678901234567890",
    )
    (root / "sitegen.toml").write_text('title = "Results 2025/26"\norganisation = "Lab 0.111"\n', encoding="utf-8")
    assert script_says(script(SCRIPT), files_of(published(root, tmp_path / "site"))) == []


def test_repeated_runs_and_open_runs_hold(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make_protocol(root, "demo.v1")
    for wrong in ("T-001", "T-002"):
        make_run(root, "demo.v1", "alpha", wrong=(wrong,))
        make_run(root, "demo.v1", "beta", wrong=(wrong, "T-004"), invalid=("N-001",))
    open_run(root, "demo.v1", make_contestant(root, "gamma"))
    files = files_of(published(root, tmp_path / "site"))
    assert b"data-repeated" in files["protocols/demo.v1/index.html"]
    assert script_says(script(SCRIPT), files) == []


def test_clustered_tasks_hold(tmp_path: Path) -> None:
    root = tmp_path / "root"
    tasks = [
        {**task, "topic": f"t{place % 4}"} for place, task in enumerate([*ordinary_tasks(20), *negative_tasks(10)])
    ]
    make_protocol(root, "demo.v1", tasks=tasks, changes={"dataset": {"cluster": "topic"}})
    make_run(root, "demo.v1", "alpha", wrong=("T-001", "T-002"), invalid=("N-001",))
    make_run(root, "demo.v1", "beta", abstained=("T-003",))
    files = files_of(published(root, tmp_path / "site"))
    assert b"clusters" in files["protocols/demo.v1/index.html"]
    assert script_says(script(SCRIPT), files) == []


def test_timeouts_and_values_that_were_not_recorded_hold(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make_protocol(root, "demo.v1")
    late = {f"T-{number:03}": {"status": "timeout", "wall_clock_sec": 60.0 + number} for number in range(1, 13)}
    nothing = {"retries": None, "tool_calls": None, "wall_clock_sec": None}
    every = [f"T-{number:03}" for number in range(1, 21)] + [f"N-{number:03}" for number in range(1, 11)]
    make_run(root, "demo.v1", "alpha", rows=late)
    make_run(root, "demo.v1", "beta", rows=dict.fromkeys(every, nothing))
    make_run(root, "demo.v1", "gamma", rows={"T-001": nothing})
    files = files_of(published(root, tmp_path / "site"))
    assert "≥ " in files["protocols/demo.v1/index.html"].decode()
    assert script_says(script(SCRIPT), files) == []


def test_a_draft_of_which_nothing_is_published_holds(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make_protocol(root, "demo.v1")
    make_run(root, "demo.v1", "alpha")
    make_protocol(root, "draft.v1", seal=False)
    files = files_of(published(root, tmp_path / "site"))
    assert not any(path.startswith("evidence/draft.v1") for path in files)
    assert script_says(script(SCRIPT), files) == []


HOSTILE = {
    "signs": "<" * 100_000,
    "attributes": '<p title="' * 20_000,
    "rows": "<tr data-pair>" * 20_000,
    "references": "&#x110000;" * 20_000,
    "digits": "1" * 300_000,
    "thousands": "1,111" + ",111" * 100_000,
    "records": '{"k":' * 100_000,
    "counts": '"ordinary":{' * 30_000,
    "pairs": "1 : " * 100_000,
    "digests": f"{'a' * 64} " * 5_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_page_ends_in_a_traceback_or_in_endless_work(files: Files, text: str) -> None:
    path = "protocols/demo.v1/index.html"
    forged = resealed_lists(files, lambda made: made.update({path: text.encode()}))
    assert any(path in fault for fault in script_says(script(SCRIPT), forged))
