"""Work on many items in forked processes, the results in the order of the items.

A worker that dies ends the whole with an error, never with a wait; an interrupt ends the workers first. They are
forked, so that what was made once (compiled templates, an open tree) is inherited; no other thread may run at that
moment, since a lock that it holds would stay locked in the worker.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from sitegen.refusals import Refused

if TYPE_CHECKING:  # small sites never start a second process
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTH_TWO_PROCESSES = 100
"""Protocols from which on a second process pays for its start."""

_HELD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a worker quietly, and that wait while one is forked."""


def side_by_side(function: Callable[[Item], Result], items: Sequence[Item]) -> Generator[Result, None, None]:
    """Yield ``function(item)`` of each item in order; in two processes where there are enough items to pay for it.

    Where another thread runs (a preview is served while it is built again) all is done in this process.
    """
    pays = len(items) >= WORTH_TWO_PROCESSES and (os.cpu_count() or 1) > 1
    if pays and threading.active_count() == 1:
        yield from map_forked(function, items, 2)
    else:
        yield from map(function, items)


def map_forked(function: Callable[[Item], Result], items: Sequence[Item], count: int) -> Iterator[Result]:
    """Yield ``function(item)`` for each item in order, worked on by ``count`` processes.

    Whoever is through with an item gets the next one, so that one that takes long holds up no more than that.

    Raises:
        ChildProcessError: a worker was killed.
        OSError, MemoryError, Refused: what ``function`` raised in a worker.
        RuntimeError: it raised anything else, which this tells of.
    """
    from multiprocessing.connection import Connection, wait

    done: dict[int, Result] = {}
    waiting = iter(range(len(items)))
    with _workers(function, items, min(count, len(items))) as ends:
        for end in (*ends, *ends):  # one to work on, and one to go on with at once
            _hand(end, waiting)
        for index in range(len(items)):
            while index not in done:
                for ready in wait(ends):
                    assert isinstance(ready, Connection)
                    done.update(_receive(ready))
                    _hand(ready, waiting)
            yield done.pop(index)


def _hand(end: Connection, waiting: Iterator[int]) -> None:
    """Give a worker the number of the next item, if there is one."""
    index = next(waiting, None)
    if index is None:
        return
    try:
        end.send(index)
    except ConnectionError:
        raise _killed() from None


def _receive(end: Connection) -> dict[int, Any]:
    """Return what a worker made of an item, by its number."""
    try:
        index, result, error = end.recv()
    except (EOFError, ConnectionError):
        raise _killed() from None
    if error is not None:
        raise error
    return {index: result}


def _killed() -> ChildProcessError:
    return ChildProcessError("a worker process was killed; is there enough memory?")


@contextmanager
def _workers(function: Callable[[Any], Any], items: Sequence[Any], count: int) -> Iterator[list[Connection]]:
    """Start the workers, give our ends of the lines to them, and leave none behind."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    ends: list[Connection] = []
    processes = []
    held = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
    try:
        try:
            for _ in range(count):
                ours, theirs = context.Pipe()
                ends.append(ours)
                process = context.Process(target=_work, args=(function, items, theirs, tuple(ends)), daemon=True)
                process.start()
                processes.append(process)
                theirs.close()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
        yield ends
    finally:
        for end in ends:
            end.close()
        for process in processes:
            process.kill()
        for process in processes:
            process.join()


def _work(
    function: Callable[[Any], Any], items: Sequence[Any], line: Connection, inherited: Sequence[Connection]
) -> None:
    """Work on the items whose numbers come, until nobody sends or waits for any."""
    for number in _HELD:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal's group; the parent ends us
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD)
    for end in inherited:  # else we would keep open what tells of the parent's end
        end.close()
    try:
        while True:
            index = line.recv()
            line.send((index, *_tried(function, items[index])))
    except (EOFError, ConnectionError):
        return  # there is no more to do, or the parent is gone


def _tried(function: Callable[[Item], Result], item: Item) -> tuple[Result | None, Exception | None]:
    try:
        return function(item), None
    except (OSError, MemoryError, Refused) as error:
        return None, error
    except Exception as error:  # noqa: BLE001 (any other may not survive being sent)
        return None, RuntimeError(f"{type(error).__name__}: {error}")
