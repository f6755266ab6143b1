"""Walking a folder by its descriptor: what lies below it, no link followed, and why something may not be read."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter

from sitegen.refusals import Refusal, Refused

PATH_LIMIT = 512
"""Most bytes of a path below its protocol's or run's folder; it bounds how deep folders may lie too."""

OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Never through a link, and never waiting for a pipe's other end."""

_COMPONENT = re.compile(r"(?!-)[A-Za-z0-9_.+@=-]{1,128}")
_IGNORED = re.compile(r"__pycache__|\.DS_Store|.*~|\.#.*|#.*#|\..*\.sw[a-p]")
_by_name = attrgetter("name")


@lru_cache(maxsize=4096)  # the same few names stand in every run's folder
def is_ignored(name: str) -> bool:
    """Tell whether a file or folder of this name is a tool's leaving (caches, editors' backups) and no input."""
    return _IGNORED.fullmatch(name) is not None


@lru_cache(maxsize=4096)
def is_component(name: str) -> bool:
    """Tell whether a file or folder of this name may be an input: a plain name in ASCII."""
    return _COMPONENT.fullmatch(name) is not None


def walk(
    descriptor: int, top: str, below: str, without: tuple[str, ...], faults: list[Refusal]
) -> Iterator[tuple[int, str, str]]:
    """Yield (descriptor of its folder, path below ``top``, name) of every regular file, and add to ``faults``.

    Args:
        descriptor: of the open folder; it is closed in the end.
        top: path of the folder where the walk began, for messages.
        below: path of this folder below it, empty or ending in ``/``.
        without: folders below ``top`` that are not entered, each ending in ``/``.
        faults: gets ``path-unsafe`` for a link, a special file, or a name outside the grammar.

    Raises:
        Refused: a folder cannot be opened or listed.
    """
    try:
        for entry in scan(descriptor, f"{top}/{below}".strip("/")):
            last = entry.name
            name = f"{below}{last}"
            if not is_component(last):
                faults.append(_refusal("path-unsafe", f"{top}/{name}", "a plain name", last))
            elif len(name) > PATH_LIMIT:
                expected = f"a path of at most {PATH_LIMIT} bytes"
                faults.append(_refusal("path-unsafe", f"{top}/{name[:PATH_LIMIT]}…", expected, f"{len(name)} bytes"))
            elif entry.is_dir(follow_symlinks=False):
                if f"{name}/" not in without:
                    deeper = open_in(descriptor, last, f"{top}/{name}".strip("/"), os.O_DIRECTORY)
                    yield from walk(deeper, top, f"{name}/", without, faults)
            elif entry.is_file(follow_symlinks=False):
                yield descriptor, name, last
            else:
                faults.append(_refusal("path-unsafe", f"{top}/{name}", "a regular file", "a link or special file"))
    finally:
        os.close(descriptor)


def scan(descriptor: int, path: str, ignored: bool = False) -> list[os.DirEntry[str]]:
    """Return what lies in an open folder, sorted; tools' leavings too where ``ignored`` are asked for."""
    try:
        with os.scandir(descriptor) as entries:
            return sorted((entry for entry in entries if ignored or not is_ignored(entry.name)), key=_by_name)
    except OSError as error:
        raise cannot_open(path, error) from None


def open_in(folder: int, name: str, path: str, extra: int = 0) -> int:
    """Open what lies in an open folder; a refusal names it by ``path``."""
    try:
        return os.open(name, OPEN_FLAGS | extra, dir_fd=folder)
    except OSError as error:
        raise cannot_open(path, error) from None


def case_faults(path: str, names: list[str]) -> list[Refusal]:
    """Return a fault for each of the sorted ``names`` that differs from an earlier one in case only."""
    together = "\n".join(names)
    if together == together.lower():
        return []
    faults: list[Refusal] = []
    folded: dict[str, str] = {}
    for name in names:
        parts = name.split("/")
        for size in range(1, len(parts) + 1):
            plain = "/".join(parts[:size])
            other = folded.setdefault(plain.casefold(), plain)
            if other != plain:
                faults.append(_refusal("path-unsafe", f"{path}/{plain}", "another name than", other))
    return faults


def cannot_open(path: str, error: OSError) -> Refused:
    """Return the refusal of what the system will not open: ``path-unsafe`` or ``file-missing``."""
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
        return _refused("path-unsafe", path, "no symbolic link and no special file", error.strerror or "")
    return _refused("file-missing", path, "a file that can be read", error.strerror or "")


def _refused(slug: str, file: str, expected: str, found: str) -> Refused:
    return Refused([_refusal(slug, file, expected, found)])


def _refusal(slug: str, file: str, expected: str, found: str) -> Refusal:
    return Refusal(slug=slug, file=file, expected=expected, found=found)
