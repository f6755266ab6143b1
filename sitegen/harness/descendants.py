"""The processes that descend from this one, however they tried to get away, and their end.

On Linux this process adopts orphans (a child subreaper), so that a grandchild that left its session and process group
is still found. Elsewhere only the process that was started is known.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time

_PR_SET_CHILD_SUBREAPER = 36
_PAGE = os.sysconf("SC_PAGE_SIZE")
PATIENCE_SEC = 60.0
_SHORTEST_PAUSE_SEC = 0.00025
_GRACE_SEC = 0.001
_LONGEST_PAUSE_SEC = 0.2


def adopt_orphans() -> None:
    """Make orphaned descendants children of this process, on Linux.

    Raises:
        OSError: the kernel refuses.
    """
    if sys.platform == "linux" and ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot adopt orphaned processes")


def descendants() -> list[int]:
    """Return the process ids of everything that descends from this process, on Linux."""
    children: dict[int, list[int]] = {}
    for pid in all_processes():
        children.setdefault(_parent(pid), []).append(pid)
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def resident_bytes(pids: list[int]) -> int:
    """Return the resident memory of these processes together; one that ended counts nothing."""
    pages = 0
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/statm", encoding="ascii") as file:
            pages += int(file.read().split()[1])
    return pages * _PAGE


def kill_descendants() -> None:
    """Kill everything that descends from this process and wait until it is gone.

    Raises:
        OSError: something cannot be killed.
    """
    give_up = time.monotonic() + PATIENCE_SEC
    pause = _SHORTEST_PAUSE_SEC
    while _reap():
        if pause > _GRACE_SEC:  # until then it is mostly what bubblewrap left, which is killed and on its way out
            alive = descendants()
            _kill(alive)
            if time.monotonic() > give_up:
                raise OSError(f"{len(alive)} processes of the solver cannot be killed")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_SEC)


def _kill(pids: list[int]) -> None:
    for group in {_group(pid) for pid in pids} - {os.getpgrp()}:
        kill_group(group)
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def kill_group(group: int) -> None:
    """Kill a process group at once, so that no member forks in between; nothing where it is gone."""
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)


def _reap() -> bool:
    """Collect what has ended; tell whether any child is left."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _group(pid: int) -> int:
    """Return a process's group; this process's own, which is never killed, where it ended meanwhile."""
    with contextlib.suppress(OSError):
        return os.getpgid(pid)
    return os.getpgrp()


def count_tasks() -> int:
    """Return how many processes and threads this machine has, on Linux, and 0 elsewhere; it costs next to nothing."""
    try:
        with open("/proc/loadavg", "rb") as file:
            return int(file.read().split()[3].partition(b"/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def all_processes() -> list[int]:
    """Return the ids of all processes that can be seen, on Linux."""
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:  # not Linux
        return []


def _parent(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):  # it ended meanwhile
        return 0
