"""`sitegen seal`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from tests.sites import make_protocol


@pytest.fixture
def draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_protocol(tmp_path, ordinary=3, negative=1, seal=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "protocols" / "demo.v1"


def test_checking_writes_nothing_and_sealing_does(draft: Path, capsys: Any) -> None:
    assert main(["seal", "protocols/demo.v1", "--check"]) == 0
    assert not (draft / "protocol.sealed.yaml").exists()
    assert "may be sealed  demo.v1" in capsys.readouterr().out
    assert main(["seal", "protocols/demo.v1"]) == 0
    assert (draft / "protocol.sealed.yaml").is_file()
    assert capsys.readouterr().out.startswith("sealed  demo.v1  sha256 ")
    assert main(["seal", "protocols/demo.v1"]) == 0
    assert capsys.readouterr().out.startswith("was sealed already")


def test_it_says_what_the_exam_can_distinguish(draft: Path, capsys: Any) -> None:
    main(["seal", "protocols/demo.v1", "--check", "--want", "0.80:0.87"])
    said = capsys.readouterr().out
    assert "with n = 3 a lead below" in said
    assert "0.8 against 0.87" in said
    assert "below the founding floor" in said


def test_a_program_gets_the_identity(draft: Path, capsys: Any) -> None:
    assert main(["seal", "protocols/demo.v1", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["protocol_id"], said["n"], said["sealed"]) == ("demo.v1", 3, True)


@pytest.mark.parametrize("want", ["0.8", "0.8:x", "0.8:0.8", "0:0.5", "80:87"])
def test_two_different_rates_are_wanted(want: str, draft: Path) -> None:
    assert main(["seal", "protocols/demo.v1", "--check", "--want", want]) == 2


def test_a_refused_exam_is_not_sealed(draft: Path) -> None:
    (draft / "tasks.jsonl").write_bytes(b"")
    assert main(["seal", "protocols/demo.v1"]) == 1
    assert not (draft / "protocol.sealed.yaml").exists()
    assert main(["seal", "protocols/nowhere"]) == 2
