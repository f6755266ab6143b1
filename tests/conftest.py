"""Options of the test run."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--vectors", metavar="PATH", help="reference vectors of the statistics (JSON) to run instead")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says in every summary which reference vectors were left out, because nothing here offers their functions."""
    left_out: dict[str, None] = {}
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "vectors not offered":
                left_out[str(value)] = None
    for text in left_out:
        terminalreporter.write_line(f"reference vectors not offered: {text}")
