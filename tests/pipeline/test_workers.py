"""Forked workers: results in order, errors handed on, and no worker left behind."""

from __future__ import annotations

import os
import signal

import pytest

from sitegen.pipeline.workers import map_forked
from sitegen.refusals import Refusal, Refused


def test_results_come_in_the_order_of_the_items() -> None:
    assert list(map_forked(lambda number: number * number, range(50), 2)) == [n * n for n in range(50)]


def test_the_work_is_done_in_other_processes() -> None:
    assert os.getpid() not in set(map_forked(lambda _: os.getpid(), range(4), 2))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_more_workers_than_items_are_no_harm(count: int) -> None:
    assert list(map_forked(str, [1, 2], count)) == ["1", "2"]


def test_a_refusal_and_a_system_error_are_handed_on() -> None:
    def refuse(number: int) -> int:
        if number == 3:
            raise Refused([Refusal(slug="file-missing", file="x")])
        return number

    with pytest.raises(Refused, match="file-missing"):
        list(map_forked(refuse, range(6), 2))


def test_any_other_error_is_told_of() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        list(map_forked(lambda number: 1 // number, [1, 0], 2))


def test_a_killed_worker_is_an_error_and_not_a_wait() -> None:
    def die(number: int) -> int:
        if number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(ChildProcessError):
        list(map_forked(die, range(8), 2))
