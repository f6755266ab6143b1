"""The wheel alone builds a site: nothing of the checkout is needed once it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# One worker builds the wheel and its environment for all tests of this file.
pytestmark = pytest.mark.xdist_group("wheel")


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command outside the checkout, without what would let it see the checkout."""
    env = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=600)


def succeed(*command: str | Path, cwd: Path) -> str:
    """Run a command that must exit 0 and return what it printed."""
    ran = run(*command, cwd=cwd)
    assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built with the locked backend."""
    out = tmp_path_factory.mktemp("dist")
    succeed(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that holds the locked runtime and the wheel, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    succeed(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    pip = (python, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check")
    succeed(*pip, "--require-hashes", "--only-binary=:all:", "-r", ROOT / ".ci" / "runtime.txt", cwd=folder)
    succeed(*pip, "--no-deps", "--no-index", wheel, cwd=folder)
    return python.parent


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
