"""Attend to one solver's process: take its output under a cap, watch its descendants, stop it at the deadline."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from dataclasses import dataclass, field

from sitegen.harness.assignment import Stop
from sitegen.harness.descendants import count_tasks, descendants, kill_descendants, kill_group, resident_bytes
from sitegen.harness.limits import Caps

TAIL = 64 * 1024
"""Bytes of standard error that are kept, the last ones."""

_CHUNK = 1 << 16
_WATCH_SEC = 0.1
_COUNT_SEC = 0.5
_POLL_SEC = 0.02
_SIGNALLED = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a process ended; ``exit_code`` is ``None`` where it was stopped."""

    exit_code: int | None
    stop: Stop | None
    seconds: float
    stdout: bytes = field(repr=False)
    stderr: bytes = field(repr=False)


def attend(process: subprocess.Popen[bytes], timeout_sec: float, caps: Caps, abort: int | None = None) -> Ended:
    """Return how ``process`` ended, once it and everything that descends from it is gone.

    Args:
        process: just started, with pipes for its output.
        timeout_sec: seconds from now until it is killed.
        caps: its limits.
        abort: a descriptor that becomes readable when nobody waits for the answer any more.

    Raises:
        OSError: something cannot be killed.
    """
    attendance = _Attendance(process, timeout_sec, caps, abort)
    try:
        stop = attendance.until_it_ends()
        seconds = time.monotonic() - attendance.started
        kill_group(process.pid)  # not yet waited for, so that the number is still its own
        code = process.wait()
        stop = attendance.rest() or stop
    finally:
        attendance.close()
        kill_descendants()
    exit_code = None if stop else (code if code >= 0 else _SIGNALLED - code)
    return Ended(
        exit_code=exit_code, stop=stop, seconds=seconds, stdout=bytes(attendance.out), stderr=bytes(attendance.err)
    )


class _Attendance:
    """The descriptors of one process and what came out of them so far."""

    def __init__(self, process: subprocess.Popen[bytes], timeout_sec: float, caps: Caps, abort: int | None) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self.started = time.monotonic()
        self.out, self.err = bytearray(), bytearray()
        self._process, self._caps = process, caps
        self._deadline = self.started + timeout_sec
        self._watch, self._count = self.started + _WATCH_SEC, self.started + _COUNT_SEC
        self._crowd = count_tasks() + caps.processes
        self._pipes = (process.stdout.fileno(), process.stderr.fileno())
        self._selector = selectors.DefaultSelector()
        for pipe in self._pipes:
            os.set_blocking(pipe, False)
            self._selector.register(pipe, selectors.EVENT_READ)
        self._abort = abort
        if abort is not None:
            self._selector.register(abort, selectors.EVENT_READ)
        self._ended = os.pidfd_open(process.pid) if hasattr(os, "pidfd_open") else None
        if self._ended is not None:
            self._selector.register(self._ended, selectors.EVENT_READ)

    def until_it_ends(self) -> Stop | None:
        """Wait for the process; return why it must be stopped, or ``None`` when it ended."""
        while True:
            now = time.monotonic()
            if now >= self._deadline:
                return "timeout"
            if now >= self._watch:
                self._watch = now + _WATCH_SEC
                if (over := self._over(now)) is not None:
                    return over
            wait = min(self._deadline, self._watch) - now
            ready = {key.fd for key, _ in self._selector.select(wait if self._ended is not None else _POLL_SEC)}
            if self._abort in ready:
                return "aborted"
            for pipe in ready.intersection(self._pipes):
                self._take(pipe)
            if len(self.out) > self._caps.output:
                return "output"
            if self._ended in ready or (self._ended is None and self._process.poll() is not None):
                return None

    def rest(self) -> Stop | None:
        """Take what the ended process left in its pipes, and no more than the cap of it."""
        taken = 0
        for pipe in self._pipes:
            while taken <= 2 * self._caps.output and (part := self._take(pipe)):
                taken += part
        return "output" if len(self.out) > self._caps.output else None

    def close(self) -> None:
        """Let go of all descriptors."""
        self._selector.close()
        if self._ended is not None:
            os.close(self._ended)
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def _take(self, pipe: int) -> int:
        """Take one part from a pipe; return its size, 0 at the end or when nothing is there."""
        try:
            part = os.read(pipe, _CHUNK)
        except BlockingIOError:
            return 0
        if not part:
            if pipe in self._selector.get_map():
                self._selector.unregister(pipe)
        elif pipe == self._pipes[0]:
            self.out += part
        else:
            self.err = (self.err + part)[-TAIL:]
        return len(part)

    def _over(self, now: float) -> Stop | None:
        """Return which limit the descendants are over; counted now and then, at once where there is a crowd."""
        if now < self._count and count_tasks() <= self._crowd:
            return None
        self._count = now + _COUNT_SEC
        alive = descendants()
        if len(alive) > self._caps.processes:
            return "processes"
        return "memory" if resident_bytes(alive) > self._caps.memory else None
