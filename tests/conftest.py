"""Options of the test run, and what is made once for all tests: the wheel, and an environment that holds it."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import hypothesis
import pytest

from tests.wheels import build_wheel, install

hypothesis.settings.register_profile("house", deadline=None)  # a busy machine is no counter-example
hypothesis.settings.load_profile("house")


def pytest_configure() -> None:
    """Hear again the signals that this run was started to ignore, in the background or under nohup.

    What the tests start inherits it: a command that ignores an interrupt cannot be tested with one.
    """
    if threading.current_thread() is threading.main_thread():
        for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
            if signal.getsignal(number) is signal.SIG_IGN:
                signal.signal(number, handler)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build_wheel(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the locked runtime and the wheel, and nothing else."""
    return install(wheel, tmp_path_factory.mktemp("environment"))


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
