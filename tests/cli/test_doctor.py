"""`sitegen doctor` says what the machine has."""

from __future__ import annotations

import json

import pytest

from sitegen.cli import main
from sitegen.harness import machine


def test_everything_required_is_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--format", "json"]) == 0
    parts = {part["name"]: part for part in json.loads(capsys.readouterr().out)}
    assert parts["msgspec"]["present"]
    assert not parts["bwrap"]["required"]


def test_a_missing_required_part_is_exit_3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(machine._REQUIRED, "no-such-package", "does nothing")
    assert main(["doctor"]) == 3
    assert "NEEDS no-such-package" in capsys.readouterr().out
