"""Run a command under ``strace``: see which system calls it makes, or let one of them fail or kill it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

WRITING = (
    "write", "pwrite64", "writev", "openat", "mkdir", "mkdirat", "link", "linkat", "symlink", "symlinkat", "rename",
    "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "ftruncate", "fsync", "fdatasync", "syncfs", "flock",
)  # fmt: skip
"""System calls that change what is on the disk, or promise that it stays."""

_LINE = re.compile(r"(?P<pid>\d+) +(?P<name>\w+)\((?P<rest>.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One system call: its name, that it was the ``number``-th of this name in its process, and its line."""

    name: str
    number: int
    line: str

    @property
    def opens_to_read(self) -> bool:
        """Whether it only opens something to read it."""
        return self.name == "openat" and not re.search(r"O_WRONLY|O_RDWR|O_CREAT", self.line)


@cache
def _works() -> bool:
    program = shutil.which("strace")
    if program is None:
        return False
    command = [program, "-f", "-qq", "-e", "inject=renameat2:error=ENOSYS", "true"]
    return subprocess.run(command, capture_output=True, check=False, timeout=20).returncode == 0


def need_strace() -> None:
    """Skip, and say so, where calls cannot be traced."""
    if not _works():
        pytest.skip("strace is not installed or may not trace here; what it would show was not tested")


def under_strace(log: Path, names: Iterable[str], *more: str) -> list[str]:
    """Return the command to put before another one, so that calls of these names are logged with full paths.

    Without ``--seccomp-bpf``, which is faster but delivers no injected signal.
    """
    return ["strace", "-f", "-qq", "-y", "-s", "4096", "-o", str(log), "-e", f"trace={','.join(names)}", *more]


def failing(call: Call, fault: str) -> tuple[str, ...]:
    """Return the options that let ``call`` meet ``fault``: ``error=EIO`` or ``signal=KILL``."""
    return "-e", f"inject={call.name}:{fault}:when={call.number}"


def was_met(log: Path, fault: str) -> bool:
    """Tell whether the fault really happened in the run that this is the log of."""
    return ("+++ killed by SIGKILL" if fault == "signal=KILL" else "(INJECTED)") in log.read_text(errors="replace")


def calls_of(log: Path) -> list[Call]:
    """Return the calls of a log in order."""
    return list(_numbered(log.read_text(encoding="utf-8", errors="replace").splitlines()))


def _numbered(lines: Sequence[str]) -> Iterator[Call]:
    seen: Counter[tuple[str, str]] = Counter()
    for line in lines:
        found = _LINE.match(line)
        if found is None or "resumed>" in line.split("(")[0]:
            continue
        key = found["pid"], found["name"]
        seen[key] += 1
        yield Call(name=found["name"], number=seen[key], line=line)


def touching(calls: Iterable[Call], *places: Path) -> list[Call]:
    """Return the calls whose line names something below one of ``places``."""
    folders = [str(place) for place in places]
    return [call for call in calls if any(folder in call.line for folder in folders)]
