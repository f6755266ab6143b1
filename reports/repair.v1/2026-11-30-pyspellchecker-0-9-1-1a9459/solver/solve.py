"""Mend misspellings with pyspellchecker: each unknown word becomes the likeliest known one.

Words are runs of small letters, with a capital first letter or without, that touch no digit, underscore,
back-quote, apostrophe, hyphen, full stop within a name, or slash. A word without a candidate stays as it is.
"""

from __future__ import annotations

import json
import os
import re
from importlib.metadata import version
from pathlib import Path

from prose import mend_parts
from spellchecker import SpellChecker

WORD = re.compile(r"(?<![\w`'/.@-])[A-Za-z]?[a-z]+(?![\w`'/@-]|\.\w|\()")


def main() -> None:
    """Solve the task named by TASK_JSON in the current folder."""
    task = json.loads(Path(os.environ["TASK_JSON"]).read_text(encoding="utf-8"))
    checker = SpellChecker(language="en")

    def mend_word(match: re.Match[str]) -> str:
        word = match.group()
        if word.lower() in checker:
            return word
        right = checker.correction(word.lower()) or word
        return right.capitalize() if word[0].isupper() else right

    changed = False
    for path, text in task["files"].items():
        mended = mend_parts(path, text, lambda part: WORD.sub(mend_word, part))
        if mended != text:
            Path(path).write_bytes(mended.encode())
            changed = True
    outcome = {
        "abstained": not changed,
        "retries": 0,
        "tool_calls": 0,
        "tools_used": [],
        "route": f"pyspellchecker-{version('pyspellchecker')}",
    }
    Path(os.environ["RESULT_JSON"]).write_text(json.dumps(outcome), encoding="utf-8")


if __name__ == "__main__":
    main()
