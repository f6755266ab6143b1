"""What one task may take of the machine, beyond the protocol's budget. The same for every contestant."""

from __future__ import annotations

import resource
from dataclasses import dataclass

MEBIBYTE = 1 << 20
_THREADS_AT_MOST = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Limits of one task; over one of them, its processes are killed and the row is an ``error``.

    Attributes:
        processes: processes alive at once.
        memory: bytes of writable memory of one process, and of resident memory of all together.
        file: bytes of one file that the solver writes.
        output: bytes on standard output.
        entries: files and folders in the workspace.
        diff: bytes of changed files that are compared line by line.
        steps: comparisons of lines for one file's diff.
    """

    processes: int = 256
    memory: int = 8192 * MEBIBYTE
    file: int = 256 * MEBIBYTE
    output: int = 8 * MEBIBYTE
    entries: int = 100_000
    diff: int = 8 * MEBIBYTE
    steps: int = 20_000_000


def set_limits(caps: Caps) -> None:
    """Lower this process's limits, which every process that it starts inherits and cannot raise.

    The limit on threads counts all of the user's and does not bind root, so that it is only a backstop to the control
    group (:mod:`sitegen.harness.cgroup`) and to the count (:mod:`sitegen.harness.attending`).
    """
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, caps.file)
    _lower(resource.RLIMIT_DATA, caps.memory)
    _lower(resource.RLIMIT_NPROC, _threads_of_the_machine() + _THREADS_AT_MOST)


def _lower(limit: int, most: int) -> None:
    _, hard = resource.getrlimit(limit)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(limit, (bound, bound))


def _threads_of_the_machine() -> int:
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            return int(file.read().split()[3].partition("/")[2])
    except OSError:  # not Linux
        return 0
