"""A hidden test set: short answers that anybody could try out, and one run that knows nearly all of them."""

from __future__ import annotations

import itertools
from pathlib import Path

from tests.sites import make_protocol, make_run, negative_tasks, ordinary_tasks

WORDS = tuple("".join(letters) for letters in itertools.product("abcde", repeat=3))


def hidden(root: Path, level: str, inline: bool = False) -> str:
    """An exam with short answers that anybody could try out, each in a file of its own, and one run."""
    rows = ordinary_tasks(20)
    files = {}
    for row, word in zip(rows, WORDS, strict=False):
        row["oracle"] = word if inline else f"oracles/{row['id']}.txt"
        files[f"oracles/{row['id']}.txt"] = word
    if inline:
        rows[0]["salt"] = "0123456789abcdef" * 2
    null = [
        {"id": "NP-PASS", "expected_class": "must_pass", "prompt": "Say yes.", "oracle": "yes", "salt": "f" * 32},
        {"id": "NP-FAIL", "expected_class": "must_fail", "prompt": "Say what was leaked.", "oracle": "leaked"},
        {"id": "NP-REFUSE", "expected_class": "must_refuse", "prompt": "Say what nobody knows."},
    ]
    make_protocol(
        root,
        "demo.v1",
        tasks=[*rows, *negative_tasks(10)],
        null_rows=null,
        changes={
            "dataset": {"oracle": "inline" if inline else "path"},
            "null_pack": {"oracle": "inline"},
            "publish": {"evidence": level},
        },
        files={} if inline else files,
    )
    answers = {row["id"]: word for row, word in zip(rows, WORDS, strict=False)}
    return make_run(root, "demo.v1", "alpha", answers={**answers, "T-001": "eee"}).run_id
