"""The wheel of this checkout, and an environment that holds it and nothing of the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command outside the checkout, without what would let it see the checkout."""
    env = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=600)


def succeed(*command: str | Path, cwd: Path) -> str:
    """Run a command that must exit 0 and return what it printed."""
    ran = run(*command, cwd=cwd)
    assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def build_wheel(out: Path) -> Path:
    """Build the wheel with the locked backend into ``out`` and return it."""
    succeed(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    (built,) = out.glob("*.whl")
    return built


def install(wheel: Path, folder: Path) -> Path:
    """Make an environment of the locked runtime and the wheel in ``folder`` and return its folder of programs."""
    succeed(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    pip = (python, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check")
    succeed(*pip, "--require-hashes", "--only-binary=:all:", "-r", ROOT / ".ci" / "runtime.txt", cwd=folder)
    succeed(*pip, "--no-deps", "--no-index", wheel, cwd=folder)
    return python.parent
