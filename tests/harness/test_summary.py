"""A scorecard in the terminal: every rate with k/n and its interval, and the rest beside it."""

from __future__ import annotations

import re
from pathlib import Path

from sitegen.harness.summary import scorecard_lines
from tests.sites import make_protocol, make_run


def test_no_rate_stands_alone(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    card = make_run(tmp_path, "demo.v1", wrong=("T-002",)).card
    assert card is not None
    lines = scorecard_lines(card)
    assert [line[:20].strip() for line in lines[:8]] == [
        "task success",
        "abstention accuracy",
        "invalid completion",
        "false abstention",
        "null pack",
        "retries",
        "tool calls",
        "wall-clock",
    ]
    for line in lines[:4]:
        assert re.fullmatch(r".{20} \d\.\d{3}  \d+/\d+  95% \d\.\d{3}-\d\.\d{3} \(wilson\)", line)
    assert lines[0] == f"{'task success':<20} 0.667  2/3  95% 0.207-0.939 (wilson)"
    assert lines[-1].startswith("below the founding floor")


def test_what_was_not_recorded_is_said(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=20, negative=10)
    ids = [f"T-{i:03}" for i in range(1, 21)] + [f"N-{i:03}" for i in range(1, 11)]
    rows = {task_id: {"retries": None} for task_id in ids}
    card = make_run(tmp_path, "demo.v1", rows=rows).card
    assert card is not None
    assert f"{'retries':<20} not recorded in all" in scorecard_lines(card)
    assert not any("founding floor" in line for line in scorecard_lines(card))
