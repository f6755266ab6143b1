"""What the machine has is looked up, and nothing is run for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.harness.machine import parts


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
