"""What an argument names: the site's root, a protocol, a run, or a text that will be written."""

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
    """Return the run id that a bare id, or the path of a run's folder or report, names.

    Raises:
        Misuse: it can be none of these.
    """
    name = Path(argument.rstrip("/").removesuffix("/report.json")).name
    if name in ("", ".."):
        raise Misuse(f"{argument or 'an empty text'} names no run")
    return name


def root_of(argument: str | None) -> Path:
    """Return the site's root: the folder that was named, or the current one.

    Raises:
        Misuse: it is no folder.
    """
    root = Path(argument or ".")
    if not root.is_dir():
        raise Misuse(f"{root} is no folder")
    return root


def text_of(argument: str, option: str) -> str:
    """Return the text that ``option`` was given, which goes into a record.

    Raises:
        Misuse: it is not in UTF-8, as every record is.
    """
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise Misuse(f"{option} {argument} is not in UTF-8") from None
    return argument
