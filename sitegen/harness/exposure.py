"""Which paths the manifest lets through to a solver under bubblewrap: those that its environment variables name.

A variable that holds the path of a program (``CONTESTANT_PYTHON=/srv/venv/bin/python``) shows the installation that the
program belongs to, and the one it links to; a folder shows itself. Nothing that holds the exam is ever shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from sitegen.harness.isolation import is_below, is_system

_OF_THE_EXAM = ("protocols", "reports", ".git", "_site")


def exposed_paths(env: Mapping[str, str], root: Path) -> tuple[str, ...]:
    """Return what the values of ``env`` show to a solver, sorted, without what the system shows anyway.

    Args:
        env: the variables that the manifest lets through.
        root: the site's root; it, its exams, its reports and its history stay out of sight.
    """
    top = str(root.resolve())
    found = {path for value in env.values() if value.startswith("/") for path in _shown_by(value, top)}
    return tuple(sorted(path for path in found if not is_system(path)))


def _shown_by(value: str, top: str) -> Iterator[str]:
    if os.path.isdir(value):
        folders = [os.path.abspath(value)]
    elif os.path.isfile(value):
        folders = [_installation(os.path.abspath(value), top)]
        target = os.path.realpath(value)
        if target != os.path.abspath(value):
            folders.append(_installation(target, top))
    else:
        return
    yield from (path for path in folders if _is_harmless(path, top))


def _installation(program: str, top: str) -> str:
    """Return the folder above the program's ``bin``; the program alone where that folder is somebody's home."""
    above, name = os.path.split(os.path.dirname(program))
    if name == "bin" and above != os.path.expanduser("~") and _is_harmless(above, top):
        return above
    return program


def _is_harmless(path: str, top: str) -> bool:
    real = os.path.realpath(path)
    if any(is_below(top, seen) for seen in (path, real)):
        return False
    return not any(is_below(seen, f"{top}/{part}") for seen in (path, real) for part in _OF_THE_EXAM)
