"""`sitegen build` says what it published and what it did not, in both formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen.cli import main
from tests.sites import make_protocol, make_run


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_person_and_a_program_are_told_what_was_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1")
    command = ["build", str(tmp_path), "-o", str(tmp_path / "_site")]
    assert main(command) == 0
    assert "1 report of 1 protocol published" in capsys.readouterr().out
    assert main([*command, "--format", "json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "output": str(tmp_path / "_site"),
        "protocols": 1,
        "reports": 1,
    }


def test_an_unreadable_history_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["build", str(tmp_path), "-o", str(tmp_path / "_site"), "--previous", str(tmp_path / "nowhere")]
    assert main(command) == 1
    assert "history-unreadable" in capsys.readouterr().err
    assert not (tmp_path / "_site").exists()


def test_a_root_that_is_no_folder_is_misuse(tmp_path: Path) -> None:
    assert main(["build", str(tmp_path / "nowhere"), "-o", str(tmp_path / "_site")]) == 2
