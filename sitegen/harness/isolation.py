"""How far a solver is kept apart: with bubblewrap it sees neither the disk nor the network; without, only its limits.

Under ``bwrap`` the solver sees the system's programs, its own files, its workspace and what the manifest lets through,
in namespaces of its own. Under ``none`` it can read whatever the user can read, and the report's page says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Level = Literal["bwrap", "none"]

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store")
_SETTINGS = (
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/fonts",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/pki/tls/certs",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
)
_NETWORK_SETTINGS = ("/etc/gai.conf", "/etc/hosts", "/etc/resolv.conf", "/etc/services")
_TRIAL_SEC = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """How one run's solver is kept apart.

    ``exposed`` are paths that the solver sees, read-only, besides its own; ``hidden`` are folders (the site) that are
    covered where they lie in something that it sees.
    """

    level: Level
    network: bool = False
    exposed: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How the report records it."""
        return f"{self.level}+network" if self.level == "bwrap" and self.network else self.level


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """One task's folders: the solver's files, its workspace, task and result, home, and temporary files."""

    solver: str
    task: str
    exchange: str
    home: str
    temporary: str

    @property
    def task_json(self) -> str:
        """The file with the task."""
        return f"{self.exchange}/task.json"

    @property
    def result_json(self) -> str:
        """The file into which the solver may write how it went."""
        return f"{self.exchange}/result.json"


INSIDE = Places(
    solver="/exam/solver", task="/exam/task", exchange="/exam/exchange", home="/exam/home", temporary="/tmp"
)
"""The folders as a solver under bubblewrap sees them: the same for every task, on every machine."""


def seen_by_solver(places: Places, isolation: Isolation) -> Places:
    """Return the folders under the names that the solver knows."""
    return INSIDE if isolation.level == "bwrap" else places


def wrapped(command: Sequence[str], places: Places, isolation: Isolation) -> list[str]:
    """Return the command that runs ``command`` under ``isolation``; its working folder is the workspace."""
    if isolation.level == "none":
        return list(command)
    own = [
        *("--ro-bind", places.solver, INSIDE.solver),
        *("--bind", places.task, INSIDE.task),
        *("--bind", places.exchange, INSIDE.exchange),
        *("--bind", places.home, INSIDE.home),
        *("--bind", places.temporary, INSIDE.temporary),
    ]
    # What is exposed comes last, since it may lie in /tmp, which is the task's own.
    exposed = [part for path in isolation.exposed for part in ("--ro-bind-try", path, path)]
    return [*_namespaces(isolation), *own, *exposed, "--remount-ro", "/", "--chdir", INSIDE.task, "--", *command]


def bwrap_fault() -> str | None:
    """Return why bubblewrap cannot be used here, or ``None`` where it works: it is tried, not guessed."""
    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    command = [*_namespaces(Isolation(level="bwrap")), "--remount-ro", "/", "--", "/bin/sh", "-c", "exit 0"]
    try:
        tried = subprocess.run(command, capture_output=True, check=False, timeout=_TRIAL_SEC)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap does not run: {error}"
    if tried.returncode != 0:
        return tried.stderr.decode("utf-8", "replace").strip() or f"bwrap ended with {tried.returncode}"
    return None


def _namespaces(isolation: Isolation) -> list[str]:
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--hostname", "exam"]
    command += ["--cap-drop", "ALL"]
    if isolation.network:
        command.append("--share-net")
    command += _system(isolation)
    return [*command, "--proc", "/proc", "--dev", "/dev"]


def _system(isolation: Isolation) -> Iterator[str]:
    settings = (*_SETTINGS, *(_NETWORK_SETTINGS if isolation.network else ()))
    for path in _SYSTEM:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    for path in settings:
        if os.path.exists(path):
            yield from ("--ro-bind", os.path.realpath(path), path)
    for path in isolation.hidden:
        if os.path.isdir(path) and any(is_below(path, seen) for seen in _SYSTEM):
            yield from ("--tmpfs", path)


def is_below(path: str, folder: str) -> bool:
    """Tell whether ``path`` is ``folder`` or lies below it; both absolute."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def is_system(path: str) -> bool:
    """Tell whether a solver under bubblewrap sees ``path`` anyway, as part of the system."""
    return any(is_below(path, folder) for folder in _SYSTEM)
