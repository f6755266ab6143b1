"""A control group that bounds how many processes a solver can have, where the system lets this process make one.

It is the only limit on forks that binds root, and it binds at once. Both versions of control groups are known
(cgroups(7)); where neither can be used, the processes are only counted (:mod:`sitegen.harness.attending`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONTROLLER = "pids"
_TRIES = 50
_PAUSE_SEC = 0.02


@contextmanager
def at_most(processes: int) -> Iterator[bool]:
    """Keep this process and all that descend from it to so many ``processes``; yield whether that is possible."""
    above = _own_group()
    group = None if above is None else above / _name(os.getpid())
    bound = group is not None and _enter(group, processes)
    try:
        yield bound
    finally:
        if bound and above is not None and group is not None:
            _leave(group, above)


def end_group_of(pid: int) -> None:
    """Kill everything in the group of a process that died before it could, and remove the group."""
    above = _own_group()
    group = None if above is None else above / _name(pid)
    if group is None or not group.is_dir():
        return
    for _ in range(_TRIES):
        with contextlib.suppress(OSError):
            for left in (group / "cgroup.procs").read_text().split():
                os.kill(int(left), signal.SIGKILL)
            group.rmdir()
        if not group.is_dir():
            return
        time.sleep(_PAUSE_SEC)


def _name(pid: int) -> str:
    return f"sitegen-{pid}"


def _enter(group: Path, processes: int) -> bool:
    try:
        group.mkdir()
    except OSError:
        return False
    try:
        (group / "pids.max").write_text(str(processes))
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError:
        group.rmdir()
        return False
    return True


def _leave(group: Path, above: Path) -> None:
    with contextlib.suppress(OSError):
        (above / "cgroup.procs").write_text(str(os.getpid()))
    for _ in range(_TRIES):
        try:
            group.rmdir()
        except OSError:  # what was killed last is still on its way out
            time.sleep(_PAUSE_SEC)
        else:
            return


def _own_group() -> Path | None:
    """Return the folder of this process's group in the hierarchy that has the controller; the first version first."""
    try:
        groups = _groups(Path("/proc/self/cgroup").read_text(encoding="utf-8"))
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    except OSError:  # not Linux
        return None
    for kind, name in (("cgroup", CONTROLLER), ("cgroup2", "")):
        for root, place in _mounts(mounts, kind):
            inside = groups.get(name, "").removeprefix(root.rstrip("/"))
            folder = place / inside.lstrip("/")
            if name in groups:
                return folder
    return None


def _groups(text: str) -> dict[str, str]:
    """Return the group's path by controller; version 2 has no name."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        found |= dict.fromkeys(controllers.split(","), path)
    return found


def _mounts(text: str, kind: str) -> Iterator[tuple[str, Path]]:
    """Yield (root, place) of the mounts of a kind that have the controller, by proc_pid_mountinfo(5)."""
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, (found, _, options) = before.split(), after.split(" ", 2)
        if found == kind and (kind == "cgroup2" or CONTROLLER in options.split(",")):
            yield fields[3], Path(fields[4])
