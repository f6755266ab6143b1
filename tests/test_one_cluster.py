"""From end to end: exams in which a rate has a single task or a single common cluster, which leaves no interval.

Sealing allows them, and so does `verify`; the site is built, each run stands by itself with its own scorecard, and the
page and `sitegen compare` say in words why nothing more is told.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from sitegen.cli import main
from tests.compare.test_common_tasks import clustered_exams
from tests.sites import make_protocol, make_run, negative_tasks, ordinary_tasks

NO_INTERVAL = "An interval over repeated runs needs at least two tasks, and there is a single negative control"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page(path: str) -> str:
    """Verify and build the site, and return one of its pages."""
    assert main(["verify", "reports/demo.v1"]) == 0
    assert main(["build"]) == 0
    return Path("_site", path).read_text(encoding="utf-8")


def text_of(markup: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", markup)))


def scorecards(markup: str) -> set[str]:
    """The ids of the runs that have a row with all four rates."""
    rows = re.findall(r'<tr data-run="([^"]+)".*?</tr>', markup, flags=re.DOTALL)
    assert markup.count("Invalid completion</span>") == markup.count("False abstention</span>") == len(rows)
    return set(rows)


def test_a_second_run_of_a_contestant_where_there_is_one_control(site: Path) -> None:
    make_protocol(site, negative=1)
    runs = {make_run(site, "demo.v1", wrong=wrong).run_id for wrong in (["T-001", "T-002"], ["T-001"])}
    markup = page("protocols/demo.v1/index.html")
    assert scorecards(markup) == runs
    text = text_of(markup)
    assert all(figure in text for figure in ("18/20", "19/20", "1/1"))
    assert f"{NO_INTERVAL}: the two runs of this contestant are not put together" in text
    assert "together: none is left out" not in text


def test_two_contestants_with_two_runs_each_where_there_is_one_control(site: Path) -> None:
    make_protocol(site, negative=1)
    worse = [f"T-{i:03}" for i in range(1, 11)]
    runs = {
        make_run(site, "demo.v1", name, wrong=wrong, invalid=invalid).run_id
        for name, wrong, invalid in (("alpha", [], []), ("beta", worse, ["N-001"]))
        for _ in range(2)
    }
    markup = page("protocols/demo.v1/index.html")
    assert scorecards(markup) == runs
    text = text_of(markup)
    assert f"{NO_INTERVAL}: contestants are not compared by abstention accuracy, the two runs of each are not" in text
    assert "share a letter are not distinguishable by task success at n = 20: exact paired tests" in text
    assert "alpha-1.0 beta-1.0 10 : 0 +0.500" in text


def test_two_contestants_with_two_runs_each_where_there_is_one_ordinary_task(site: Path) -> None:
    make_protocol(site, ordinary=1, negative=10)
    for name, invalid in (("alpha", []), ("beta", [f"N-{i:03}" for i in range(1, 10)])):
        for _ in range(2):
            make_run(site, "demo.v1", name, invalid=invalid)
    markup = page("protocols/demo.v1/index.html")
    assert len(scorecards(markup)) == 4
    text = text_of(markup)
    assert "there is a single ordinary task: contestants are not compared by task success" in text
    assert "not distinguishable by abstention accuracy at n = 10: exact paired tests" in text
    assert "can never be distinguished" not in text
    assert "Pairs by abstention accuracy, of n = 10" in text
    assert "Pairs by task success" not in text


def compared(capsys: pytest.CaptureFixture[str], *run_ids: str) -> tuple[int, list[str]]:
    capsys.readouterr()
    code = main(["compare", *run_ids, "--format", "json", "--exit-code"])
    reasons: list[str] = json.loads(capsys.readouterr().out)["reasons"]
    return code, reasons


def test_versions_whose_common_tasks_are_in_one_cluster(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clustered_exams(site, common=4)
    runs = [make_run(site, name).run_id for name in ("demo.v1", "demo.v2")]
    reason = "The common ordinary tasks are all in one cluster; an interval needs at least two."
    assert reason in text_of(page("families/demo/index.html"))
    assert compared(capsys, *runs) == (1, [reason])


def test_versions_with_one_common_control_and_repeated_runs(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Single runs are compared on it, as those of `sitegen compare` are; repeated runs are not."""
    floors = {"publish": {"min_n": 2, "min_n_negative": 1}}
    for name, first in (("demo.v1", 2), ("demo.v2", 12)):
        controls = [*negative_tasks(1), *negative_tasks(2, first=first)]
        make_protocol(site, name, tasks=[*ordinary_tasks(20), *controls], changes=floors)
    runs = [make_run(site, name).run_id for name in ("demo.v1", "demo.v2", "demo.v1", "demo.v2")]
    text = text_of(page("families/demo/index.html"))
    assert "Runs by route alpha-1.0 are not compared, not even on common tasks." in text
    assert "Only 1 negative control is common; an interval over repeated runs needs at least 2." in text
    capsys.readouterr()
    assert main(["compare", *runs[:2]]) == 0
    assert "Common tasks only: 20 of 20 and 20 (success), 1 of 3 and 3 (abstention)" in capsys.readouterr().out
