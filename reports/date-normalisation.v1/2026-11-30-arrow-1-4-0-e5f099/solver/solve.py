"""Read one date phrase with arrow: ISO 8601 first, then common written-out forms, then humanised phrases.

The written-out forms all name a day, a month and a year. All-number forms with the year last are tried only
in an order that the task states. Humanised phrases ("in 3 days") are tried only where the task gives a
reference date. The program abstains where none of these reads the phrase.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

import arrow

WRITTEN = [
    "D MMMM YYYY",
    "D MMM YYYY",
    "Do MMMM YYYY",
    "Do MMM YYYY",
    "MMMM D, YYYY",
    "MMM D, YYYY",
    "MMMM Do, YYYY",
    "MMMM D YYYY",
    "MMM D YYYY",
    "D-MMM-YYYY",
    "YYYY MMMM D",
    "YYYY-MMM-DD",
]
NUMBERS = {
    "day-month-year": ["D/M/YYYY", "D.M.YYYY", "D-M-YYYY"],
    "month-day-year": ["M/D/YYYY", "M.D.YYYY", "M-D-YYYY"],
    "year-month-day": ["YYYY/M/D", "YYYY.M.D", "YYYY-M-D"],
}


def read_date(phrase: str, number_order: str | None, reference: str | None) -> date | None:
    """Return the date of the first reading that succeeds, or None."""
    try:
        return arrow.get(phrase).date()
    except (arrow.ParserError, ValueError):
        pass
    try:
        return arrow.get(phrase, WRITTEN + NUMBERS.get(number_order or "", [])).date()
    except (arrow.ParserError, ValueError):
        pass
    if reference is None:
        return None
    try:
        return arrow.get(reference).dehumanize(phrase).date()
    except ValueError:
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
        "route": f"arrow-{version('arrow')}",
    }
    Path(os.environ["RESULT_JSON"]).write_text(json.dumps(outcome), encoding="utf-8")
    if found is not None:
        sys.stdout.write(found.isoformat())


if __name__ == "__main__":
    main()
