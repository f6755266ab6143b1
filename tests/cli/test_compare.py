"""`sitegen compare`: what its arguments name, its three formats, and its exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from tests.sites import judge, make_protocol, make_run, ordinary_tasks


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_protocol(tmp_path, "demo.v1")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["compare", *arguments, "--exit-code"])
    out = capsys.readouterr().out
    assert main(["compare", *arguments]) == (code if code == 2 or not out else 0)
    return code, capsys.readouterr().out


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code, out = compare(capsys, *arguments, "--format", "json")
    value: dict[str, Any] = json.loads(out)
    return code, value


def test_versions_that_are_the_same_but_for_labels_exit_0(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_protocol(site, "demo.v2", changes={"title": "Another title", "follows": "demo.v1"})
    code, value = as_json(capsys, "demo.v1", "demo.v2")
    assert (code, value["verdict"]) == (0, "same")
    assert {change["kind"] for change in value["changes"]} == {"label"}


def test_versions_that_differ_exit_1_by_id_by_folder_and_by_file(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_protocol(site, "demo.v2", ordinary=22)
    for first, second in (
        ("demo.v1", "demo.v2"),
        ("protocols/demo.v1", "protocols/demo.v2/"),
        (str(site / "protocols/demo.v1/protocol.sealed.yaml"), str(site / "protocols/demo.v2")),
    ):
        code, value = as_json(capsys, first, second)
        assert (code, value["verdict"], value["dataset"]["added"]) == (1, "re-run", ["T-021", "T-022"])
        assert (value["dataset"]["removed"], len(value["dataset"]["same"])) == ([], 30)
    _, text = compare(capsys, "demo.v1", "demo.v2")
    assert "verdict  re-run" in text
    _, text = compare(capsys, "demo.v1", "demo.v2", "--format", "markdown")
    assert text.startswith("## `demo.v1` → `demo.v2`: re-run")


def test_protocols_of_two_sites_can_be_compared(
    site: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path_factory.mktemp("other")
    make_protocol(other, "demo.v1", tasks=None, negative=11)
    code, value = as_json(capsys, "protocols/demo.v1", str(other / "protocols/demo.v1"))
    assert (code, value["dataset"]["added"]) == (1, ["N-011"])


def test_reports_exit_0_only_where_every_outcome_is_the_same(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, same = make_run(site, "demo.v1", "alpha"), make_run(site, "demo.v1", "beta")
    other = make_run(site, "demo.v1", "gamma", wrong=["T-001"])
    code, value = as_json(capsys, one.run_id, same.run_id)
    assert (code, value["identical"]) == (0, True)
    code, value = as_json(capsys, f"reports/demo.v1/{one.run_id}/report.json", f"reports/demo.v1/{other.run_id}")
    assert (code, value["rates"]["success"]["only_a"]) == (1, ["T-001"])
    assert not value["rates"]["success"]["distinguishable"]


def test_reports_under_other_conditions_are_not_compared(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = make_run(site, "demo.v1", "alpha"), make_run(site, "demo.v1", "beta", retry_limit=3)
    code, value = as_json(capsys, one.run_id, other.run_id)
    assert (code, value["compared"]) == (1, False)
    assert "retry_limit" in value["reasons"][0]


def test_reports_of_two_exams_are_compared_on_common_tasks_or_not_at_all(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_protocol(site, "demo.v2", ordinary=25)
    make_protocol(site, "demo.v3", ordinary=25, changes={"budget": {"timeout_sec": 5}})
    one = make_run(site, "demo.v1", wrong=["T-001"])
    other, third = make_run(site, "demo.v2"), make_run(site, "demo.v3")
    code, value = as_json(capsys, one.run_id, other.run_id)
    assert (code, value["heading"]) == (1, "Common tasks only: 20 of 20 and 25 (success), 10 of 10 and 10 (abstention)")
    code, value = as_json(capsys, one.run_id, third.run_id)
    assert (code, value["reasons"]) == (1, ["The budgets differ."])


def test_a_refused_run_shows_no_number(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = make_run(site, "demo.v1", "alpha")
    failed = make_run(site, "demo.v1", "beta", answers={"NP-REFUSE": "invented"})
    code, out = compare(capsys, one.run_id, failed.run_id)
    assert code == 1
    assert out == ""
    assert judge(site, "demo.v1").reports[0].run_id == one.run_id


def test_wrong_usage(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(site, "demo.v1")
    assert compare(capsys, "demo.v1", run.run_id)[0] == 2
    assert compare(capsys, "demo.v1", "demo.v9")[0] == 2
    make_protocol(site, "demo.v2", tasks=ordinary_tasks(20), seal=False)
    assert compare(capsys, "demo.v1", "demo.v2")[0] == 1  # a draft is no version yet


def test_a_report_is_named_by_its_path_though_its_folder_is_gone(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(site, "demo.v1")
    shutil.rmtree(site / "reports" / "demo.v1" / run.run_id)
    for named in (run.run_id, f"reports/demo.v1/{run.run_id}", f"reports/demo.v1/{run.run_id}/report.json"):
        assert main(["compare", named, named]) == 2
        assert f"{run.run_id} has no files under demo.v1" in capsys.readouterr().err
