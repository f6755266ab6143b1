"""`sitegen adopt`: the protocol is here, ready to run, or nothing is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sitegen.cli import main
from sitegen.pipeline.build import build_site
from tests.sites import make_protocol, make_run


def test_it_prints_the_identity_and_the_next_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_protocol(tmp_path / "root", "demo.v1")
    make_run(tmp_path / "root", "demo.v1", "alpha")
    build_site(tmp_path / "root", tmp_path / "site")
    ours = tmp_path / "ours"
    ours.mkdir()
    arguments = ["adopt", str(tmp_path / "site"), "--root", str(ours)]
    assert main([*arguments, "--format", "json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["protocol_id"] == "demo.v1"
    assert "sitegen run protocols/demo.v1" in said.err
    assert main(["verify", str(ours)]) == 0
    assert main(arguments) == 2  # it is here already


def test_an_address_that_its_notes_cannot_say_is_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_protocol(tmp_path / "root", "demo.v1")
    site = tmp_path / os.fsdecode(b"\xff")
    build_site(tmp_path / "root", site)
    ours = tmp_path / "ours"
    ours.mkdir()
    assert main(["adopt", str(site), "--root", str(ours)]) == 2
    assert "UTF-8" in capsys.readouterr().err
    assert list(ours.iterdir()) == []
