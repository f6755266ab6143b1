"""Look the key up with configparser, and abstain where it knows none."""

from __future__ import annotations

import configparser
import json
import os
import sys
from pathlib import Path


def look_up(settings: str, key: str) -> str | None:
    """Return the value of ``key``; ``None`` where there is none or the settings cannot be read."""
    parser = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    try:
        parser.read_string("[settings]\n" + settings)
    except configparser.Error:
        return None
    return parser["settings"].get(key) or None


def main() -> None:
    """Solve the task named by TASK_JSON; the answer goes to standard output, how it went to RESULT_JSON."""
    task = json.loads(Path(os.environ["TASK_JSON"]).read_text(encoding="utf-8"))
    value = look_up(task["files"]["settings.conf"], task["key"])
    result = {"abstained": value is None, "retries": 0, "tool_calls": 0}
    Path(os.environ["RESULT_JSON"]).write_text(json.dumps(result), encoding="utf-8")
    if value is not None:
        sys.stdout.write(value)


if __name__ == "__main__":
    main()
