"""Forked workers: results in order, errors as they were, and no wait for the dead."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from sitegen.pipeline import workers
from sitegen.pipeline.workers import map_forked, side_by_side
from sitegen.refusals import Refusal, Refused


def square(number: int) -> int:
    time.sleep(0.01 * (number % 3))
    return number * number


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("items", [0, 1, 2, 17])
def test_results_come_in_order(items: int, count: int) -> None:
    assert list(map_forked(square, range(items), count)) == [number**2 for number in range(items)]


def test_a_large_result_and_a_slow_first_item_do_not_block() -> None:
    def large(number: int) -> bytes:
        time.sleep(0.3 if number == 0 else 0)
        return bytes([number]) * 1_000_000

    assert [data[0] for data in map_forked(large, range(8), 2)] == list(range(8))


def test_one_slow_item_keeps_no_other_waiting_but_the_next() -> None:
    def slow(number: int) -> int:
        time.sleep(0.5 if number == 0 else 0)
        return os.getpid()

    first, *others = map_forked(slow, range(20), 2)
    assert others.count(first) <= 1


def test_refusals_and_errors_of_the_system_arrive_as_they_were() -> None:
    def refuse(number: int) -> int:
        raise Refused([Refusal(slug="file-changed", file=f"{number}")])

    def fail(number: int) -> int:
        raise OSError(28, "No space left on device")

    with pytest.raises(Refused) as refused:
        list(map_forked(refuse, [7], 2))
    assert refused.value.refusals == (Refusal(slug="file-changed", file="7"),)
    with pytest.raises(OSError, match="No space") as failed:
        list(map_forked(fail, [7], 2))
    assert failed.value.errno == 28


def test_any_other_error_is_told() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        list(map_forked(lambda number: 1 // number, [0], 2))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_is_killed_ends_it_all(number: signal.Signals) -> None:
    def die(item: int) -> int:
        if item == 5:
            os.kill(os.getpid(), number)
        return item

    with pytest.raises(ChildProcessError):
        list(map_forked(die, range(10), 2))


def test_no_worker_outlives_the_one_who_stops_listening() -> None:
    def slow(number: int) -> int:
        time.sleep(0 if number < 2 else 30)
        return os.getpid()

    began = time.monotonic()
    results: Iterator[int]
    with closing(map_forked(slow, range(10), 2)) as results:  # type: ignore[type-var]
        pids = {next(results), next(results)}
    assert time.monotonic() - began < 20
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_lack_of_memory_arrives_as_it_was() -> None:
    def swell(number: int) -> int:
        raise MemoryError

    with pytest.raises(MemoryError):
        list(map_forked(swell, [7], 2))


def process_of(number: int) -> int:
    return os.getpid()


def test_many_items_are_worked_on_in_two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(workers.threading, "active_count", lambda: 1)  # whatever other tests left behind
    pids = list(side_by_side(process_of, range(100)))
    assert len(set(pids)) == 2
    assert os.getpid() not in pids
    assert set(side_by_side(process_of, range(99))) == {os.getpid()}


def test_nothing_is_forked_while_another_thread_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may hold a lock, which would stay locked in the worker."""
    monkeypatch.setattr(workers.os, "cpu_count", lambda: 2)
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert set(side_by_side(process_of, range(100))) == {os.getpid()}
    finally:
        done.set()
        thread.join()
