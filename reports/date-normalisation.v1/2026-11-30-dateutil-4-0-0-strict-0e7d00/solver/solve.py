"""Read one date phrase with python-dateutil and abstain unless the phrase alone fixes the date.

`dateutil.parser.parse` fills whatever a phrase leaves out (year, month, day) from a default date. Parsing
twice, with defaults that differ in all three, shows what was filled in: the two results then disagree.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import date, datetime
from importlib.metadata import version
from pathlib import Path

from dateutil import parser

DEFAULTS = (datetime.fromisoformat("2000-01-01"), datetime.fromisoformat("2003-02-02"))
ORDERS = {
    "day-month-year": {"dayfirst": True},
    "month-day-year": {"dayfirst": False},
    "year-month-day": {"yearfirst": True},
}


def read_date(phrase: str, number_order: str | None) -> date | None:
    """Return the date on which both readings agree, or None."""
    options = ORDERS.get(number_order or "", {})
    try:
        first, second = (parser.parse(phrase, default=default, **options) for default in DEFAULTS)
    except (parser.ParserError, OverflowError):
        return None
    return first.date() if first.date() == second.date() else None


def main() -> None:
    """Solve the task named by TASK_JSON."""
    task = json.loads(Path(os.environ["TASK_JSON"]).read_text(encoding="utf-8"))
    found = read_date(task["phrase"], task.get("number_order"))
    outcome = {
        "abstained": found is None,
        "retries": 0,
        "tool_calls": 0,
        "tools_used": [],
        "route": f"dateutil-{version('python-dateutil')}-strict",
    }
    Path(os.environ["RESULT_JSON"]).write_text(json.dumps(outcome), encoding="utf-8")
    if found is not None:
        sys.stdout.write(found.isoformat())


if __name__ == "__main__":
    main()
