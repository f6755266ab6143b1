"""`sitegen status` says what there is and the next command to type."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen.cli import main
from sitegen.harness.opening import open_run
from tests.sites import make_contestant, make_protocol, make_run


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("site")
    make_protocol(site, "draft.v1", seal=False)
    make_protocol(site, "empty.v1")
    make_protocol(site, "full.v1")
    make_run(site, "full.v1", "alpha")
    make_run(site, "full.v1", "stub", answers={"NP-REFUSE": "always"})
    open_run(site, "full.v1", make_contestant(site, "waiting"))
    return site


def test_each_state_comes_with_its_next_command(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(root)]) == 0
    said = capsys.readouterr().out
    assert "sitegen seal protocols/draft.v1" in said
    assert "sitegen run protocols/empty.v1 --manifest MANIFEST" in said
    assert "sitegen explain null-pack-failed" in said
    assert "--resume, or sitegen end" in said


def test_a_program_reads_the_same(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(root), "--format", "json"]) == 0
    units = {unit["protocol_id"]: unit for unit in json.loads(capsys.readouterr().out)}
    assert [units[name]["state"] for name in ("draft.v1", "empty.v1", "full.v1")] == ["draft", "sealed", "sealed"]
    assert sorted(run["state"] for run in units["full.v1"]["runs"]) == ["published", "recorded", "recorded"]


def test_a_pull_request_gets_a_table(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(root), "--format", "markdown"]) == 0
    assert "| full.v1 |" in capsys.readouterr().out


def test_an_empty_folder_is_told_how_to_begin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(tmp_path)]) == 0
    assert "sitegen init" in capsys.readouterr().out


def test_what_belongs_to_no_protocol_is_told_to_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "protocols" / "My-Draft").mkdir(parents=True)
    (tmp_path / "reports").mkdir()
    assert main(["status", str(tmp_path)]) == 0
    assert "protocol-id-form  protocols/My-Draft" in capsys.readouterr().err
    assert main(["status", str(tmp_path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
