"""`sitegen audit`: exit 0 with what holds, 1 with every fault, 3 without a verdict; one object for a program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen.cli import main
from sitegen.pipeline.build import build_site
from tests.sites import make_protocol, make_run


@pytest.fixture
def site(tmp_path: Path) -> Path:
    make_protocol(tmp_path / "root", "demo.v1")
    make_run(tmp_path / "root", "demo.v1", "alpha")
    build_site(tmp_path / "root", tmp_path / "site")
    return tmp_path / "site"


def test_an_untouched_site_exits_0(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(site)]) == 0
    assert "verified again" in capsys.readouterr().out
    assert main(["audit", str(site), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["faults"] == 0


def test_a_changed_site_exits_1_and_names_the_file(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = site / "index.html"
    page.write_bytes(page.read_bytes() + b"\n")
    assert main(["audit", str(site)]) == 1
    said = capsys.readouterr()
    assert "site-drift  index.html" in said.err
    assert said.out == ""


def test_a_site_that_cannot_be_reached_is_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "http://127.0.0.1:9", "--quiet"]) == 3
    said = capsys.readouterr()
    assert said.err == "sitegen audit: http://127.0.0.1:9/site.json: [Errno 111] Connection refused\n"
    assert said.out == ""


def test_what_is_no_site_exits_1_without_a_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(tmp_path)]) == 1
    assert "Traceback" not in capsys.readouterr().err
    assert main(["audit"]) == 2
