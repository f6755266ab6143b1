"""Rate and time left are of this sitting alone, and unknown before its first row."""

from __future__ import annotations

import pytest

from sitegen.harness.progress import Progress


def at(done: int, resumed: int, seconds: float) -> Progress:
    return Progress(
        phase="dataset",
        total=100,
        done=done,
        resumed=resumed,
        passed=0,
        abstained=0,
        errors=0,
        seconds=seconds,
    )


def test_rate_and_time_left() -> None:
    assert at(30, 10, 4.0).rate == pytest.approx(5)
    assert at(30, 10, 4.0).left == pytest.approx(14)


def test_both_are_unknown_before_the_first_row() -> None:
    assert (at(10, 10, 4.0).rate, at(10, 10, 4.0).left) == (None, None)
    assert at(11, 10, 0.0).rate is None
