"""Where a command works: the site's root, and the protocol or run that an argument names."""

from __future__ import annotations

from pathlib import Path

from sitegen.refusals import Misuse


def protocol_of(argument: str) -> tuple[Path, str]:
    """Return (root, protocol id) for ``protocols/ID``, a path to such a folder, or a bare id below the current folder.

    Raises:
        Misuse: it is not the path of a protocol's folder.
    """
    path = Path(argument)
    if path.name in ("", ".."):
        raise Misuse(f"{argument} names no protocol")
    if "/" not in argument.rstrip("/"):
        return Path(), path.name
    if path.parent.name != "protocols":
        raise Misuse(f"{argument} is not a folder below protocols/")
    return path.parent.parent, path.name


def run_of(argument: str) -> str:
    """Return the run id that a bare id, or the path of a run's folder or report, names."""
    return argument.rstrip("/").removesuffix("/report.json").rsplit("/", 1)[-1]


def root_of(argument: str | None) -> Path:
    """Return the site's root: the folder that was named, or the current one.

    Raises:
        Misuse: it is no folder.
    """
    root = Path(argument or ".")
    if not root.is_dir():
        raise Misuse(f"{root} is no folder")
    return root
