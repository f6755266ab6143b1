"""The wheel alone builds a site: nothing of the checkout is needed once it is installed."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.wheels import ROOT, succeed

# One worker builds the wheel and its environment for all tests that need them.
pytestmark = pytest.mark.xdist_group("wheel")


def test_the_wheel_is_typed_and_carries_the_templates(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    templates = subprocess.run(
        ["git", "ls-files", "-z", "templates"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert templates
    expected = {f"sitegen/{path}" for path in templates.split("\0") if path} | {"sitegen/py.typed"}
    assert expected - held == set()
    assert {path.split("/")[0] for path in held} == {"sitegen", wheel.name.split("-py3")[0] + ".dist-info"}


def test_the_environment_has_what_the_wheel_asks_for(installed: Path, tmp_path: Path) -> None:
    succeed(installed / "python", "-m", "pip", "check", cwd=tmp_path)


def test_an_empty_folder_becomes_a_site(installed: Path, tmp_path: Path) -> None:
    succeed(installed / "sitegen", "build", "-o", "_site", cwd=tmp_path)
    for page in ("index.html", "refused/index.html", "audit/index.html", "SHA256SUMS", "site.json"):
        assert (tmp_path / "_site" / page).stat().st_size > 0


def test_a_starter_is_sealed_and_built(installed: Path, tmp_path: Path) -> None:
    """`init` needs the starter's templates and `seal` the shipped metrics: both travel in the wheel."""
    sitegen = installed / "sitegen"
    succeed(sitegen, "init", "starter", cwd=tmp_path)
    (draft,) = (tmp_path / "starter" / "protocols").glob("*/protocol.yaml")
    succeed(sitegen, "seal", draft.parent, cwd=tmp_path)
    succeed(sitegen, "build", "starter", "-o", "_site", cwd=tmp_path)
    assert draft.parent.name in (tmp_path / "_site" / "index.html").read_text(encoding="utf-8")


def test_the_module_runs_as_the_command_does(installed: Path, tmp_path: Path) -> None:
    as_command = succeed(installed / "sitegen", "--version", cwd=tmp_path)
    as_module = succeed(installed / "python", "-m", "sitegen", "--version", cwd=tmp_path)
    assert as_command == as_module
