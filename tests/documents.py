"""Documents that are kept true by running them: their fenced blocks, and a shell that runs them one after the other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run_blocks(shell_blocks: list[str], cwd: Path, bin_folder: Path = BIN) -> str:
    """Run blocks in one shell, stopping at the first command that fails; return all that was said.

    The programs of ``bin_folder`` come first; nothing of the checkout is on Python's path.
    """
    env = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    env["PATH"] = f"{bin_folder}{os.pathsep}{env.get('PATH', os.defpath)}"
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(shell_blocks)],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout
