"""Read one date phrase with dateparser's default settings.

Relative phrases count from the task's reference date, or from 1 January 2000 where it has none, so that
no result depends on the day of the run. The program abstains where dateparser returns None.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import date, datetime
from importlib.metadata import version
from pathlib import Path

import dateparser

ORDERS = {"day-month-year": "DMY", "month-day-year": "MDY", "year-month-day": "YMD"}


def read_date(phrase: str, number_order: str | None, reference: str | None) -> date | None:
    """Return the date that dateparser reads, or None."""
    settings: dict[str, object] = {"RELATIVE_BASE": datetime.fromisoformat(reference or "2000-01-01")}
    if number_order in ORDERS:
        settings["DATE_ORDER"] = ORDERS[number_order]
    found = dateparser.parse(phrase, settings=settings)
    return None if found is None else found.date()


def main() -> None:
    """Solve the task named by TASK_JSON."""
    task = json.loads(Path(os.environ["TASK_JSON"]).read_text(encoding="utf-8"))
    found = read_date(task["phrase"], task.get("number_order"), task.get("reference_date"))
    outcome = {
        "abstained": found is None,
        "retries": 0,
        "tool_calls": 0,
        "tools_used": [],
        "route": f"dateparser-{version('dateparser')}",
    }
    Path(os.environ["RESULT_JSON"]).write_text(json.dumps(outcome), encoding="utf-8")
    if found is not None:
        sys.stdout.write(found.isoformat())


if __name__ == "__main__":
    main()
