"""What the machine has is looked up, and nothing is run for it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sitegen.harness import machine
from sitegen.harness.machine import parts
from tests.test_house import requirement

ROOT = Path(__file__).resolve().parents[2]


def test_what_is_looked_for_is_what_the_project_depends_on() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    assert sorted(machine._REQUIRED) == sorted(map(requirement, project["dependencies"]))
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name != "dev"}
    assert sorted(machine._OPTIONAL) == sorted(requirement(line) for lines in extras.values() for line in lines)


def test_a_program_is_found_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {part.name: part for part in parts()}
    assert found["bwrap"].present
    assert not found["git"].present
    assert found["jinja2"].present
    assert found["jinja2"].required
