"""Mend misspellings with typos, which writes a correction where it has exactly one.

The program runs over the task's folder as it would over a checkout. Its exit code says only whether words were
left that it did not correct, so the files themselves show whether it proposed a change.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

PROGRAM = Path(sys.executable).parent / "typos"
LEFT_WORDS = 2


def mend(files: dict[str, str]) -> bool:
    """Run the program in the workspace and say whether a file was changed."""
    done = subprocess.run([PROGRAM, "--write-changes", "."], capture_output=True, text=True, check=False)
    if done.returncode not in (0, LEFT_WORDS):
        raise RuntimeError(f"typos ended with {done.returncode}: {done.stderr}")
    return any(Path(path).read_bytes() != text.encode() for path, text in files.items())


def main() -> None:
    """Solve the task named by TASK_JSON in the current folder."""
    task = json.loads(Path(os.environ["TASK_JSON"]).read_text(encoding="utf-8"))
    outcome = {
        "abstained": not mend(task["files"]),
        "retries": 0,
        "tool_calls": 0,
        "tools_used": [],
        "route": f"typos-{version('typos')}",
    }
    Path(os.environ["RESULT_JSON"]).write_text(json.dumps(outcome), encoding="utf-8")


if __name__ == "__main__":
    main()
