"""Read one date phrase with python-dateutil's fuzzy mode, as a program does that searches free text.

Unknown words are skipped. What the phrase leaves out is taken from the default date: the task's reference
date where it has one, else 1 January 2000. The program abstains only where dateutil raises.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import date, datetime
from importlib.metadata import version
from pathlib import Path

from dateutil import parser

ORDERS = {
    "day-month-year": {"dayfirst": True},
    "month-day-year": {"dayfirst": False},
    "year-month-day": {"yearfirst": True},
}


def read_date(phrase: str, number_order: str | None, reference: str | None) -> date | None:
    """Return the date that fuzzy parsing finds, or None where it raises."""
    default = datetime.fromisoformat(reference or "2000-01-01")
    options = ORDERS.get(number_order or "", {})
    try:
        return parser.parse(phrase, fuzzy=True, default=default, **options).date()
    except (parser.ParserError, OverflowError):
        return None


def main() -> None:
    """Solve the task named by TASK_JSON."""
    task = json.loads(Path(os.environ["TASK_JSON"]).read_text(encoding="utf-8"))
    found = read_date(task["phrase"], task.get("number_order"), task.get("reference_date"))
    outcome = {
        "abstained": found is None,
        "retries": 0,
        "tool_calls": 0,
        "tools_used": [],
        "route": f"dateutil-{version('python-dateutil')}-fuzzy",
    }
    Path(os.environ["RESULT_JSON"]).write_text(json.dumps(outcome), encoding="utf-8")
    if found is not None:
        sys.stdout.write(found.isoformat())


if __name__ == "__main__":
    main()
