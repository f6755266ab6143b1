"""`sitegen docs` writes the manual and says where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen.cli import main


def test_it_says_where_to_begin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "-o", str(tmp_path / "manual")]) == 0
    assert f"{tmp_path / 'manual'}/index.html" in capsys.readouterr().err
    assert (tmp_path / "manual" / "index.html").is_file()


def test_a_program_reads_the_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "-o", str(tmp_path / "manual"), "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["output"] == str(tmp_path / "manual")
    assert said["files"] > 0
