"""Another program is asked: its answer, its no, and its silence."""

from __future__ import annotations

import sys

import pytest

from sitegen.harness import asking
from sitegen.harness.asking import asked

PYTHON = [sys.executable, "-c"]


def test_it_is_given_the_data_and_its_answer_is_returned() -> None:
    echo = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])"
    assert asked([*PYTHON, echo], b"\xffabc") == b"cba\xff"
    assert asked([*PYTHON, echo]) == b""


def test_no_is_none_whatever_it_prints() -> None:
    assert asked([*PYTHON, "print('half'); raise SystemExit(1)"]) is None


def test_a_program_that_is_missing_or_silent_is_an_error_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="no-such-program"):
        asked(["no-such-program"])
    monkeypatch.setattr(asking, "DEADLINE_SEC", 0.1)
    with pytest.raises(OSError, match=r"gave no answer within 0.1 s"):
        asked([*PYTHON, "import time; time.sleep(60)"])
