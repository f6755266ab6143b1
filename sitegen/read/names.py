"""Which names files and folders may have, and what is said of one that may not be read."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from sitegen.refusals import Refusal, Refused

PATH_LIMIT = 512
"""Most bytes of a path below its protocol's or run's folder; it bounds how deep folders may lie too."""

IDENTIFIER = "[a-z0-9][a-z0-9._-]{0,99}"
"""The form of a protocol's and of a run's id, which is a folder's name and part of an address."""

_IDENTIFIER = re.compile(IDENTIFIER)
_COMPONENT = re.compile(r"(?!-)[A-Za-z0-9_.+@=-]{1,128}")
_IGNORED = re.compile(r"__pycache__|\.DS_Store|.*~|\.#.*|#.*#|\..*\.sw[a-p]")
_LOOK_ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l", "_": "-", ".": "-"})


def is_ignored(name: str) -> bool:
    """Tell whether a file or folder of this name is a tool's leaving (caches, editors' backups) and no input."""
    return (name[0] in "_.#" or name[-1] == "~") and _IGNORED.fullmatch(name) is not None


@lru_cache(maxsize=4096)  # the same few names stand in every run's folder
def is_component(name: str) -> bool:
    """Tell whether a file or folder of this name may be an input: a plain name in ASCII."""
    return _COMPONENT.fullmatch(name) is not None


def is_identifier(name: str) -> bool:
    """Tell whether this may be the id of a protocol or a run."""
    return _IDENTIFIER.fullmatch(name) is not None


def folders_above(path: str) -> list[str]:
    """Return the paths of all folders that ``path`` lies in, the topmost first."""
    return [path[:end] for end, char in enumerate(path) if char == "/"]


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
                faults.append(unsafe(f"{path}/{plain}", "another name than", other))
    return faults


def confusable_ids(protocol_ids: Iterable[str]) -> Iterator[Refusal]:
    """Yield ``protocol-id-confusable`` for ids that differ only in characters easily taken for each other."""
    seen: dict[str, str] = {}
    for protocol_id in sorted(protocol_ids):
        look = protocol_id.translate(_LOOK_ALIKE)
        first = seen.setdefault(look, protocol_id)
        if first != protocol_id:
            file = f"protocols/{protocol_id}"
            expected = "an id that nobody takes for another"
            yield Refusal(slug="protocol-id-confusable", file=file, expected=expected, found=first)


def unsafe(file: str, expected: str, found: str) -> Refusal:
    """Return ``path-unsafe`` for a file that may not be read."""
    return Refusal(slug="path-unsafe", file=file, expected=expected, found=found)


def cannot_open(path: str, error: OSError) -> Refused:
    """Return the refusal of what the system will not open: ``path-unsafe`` or ``file-missing``."""
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
        return Refused([unsafe(path, "no symbolic link and no special file", error.strerror or "")])
    expected, found = "a file that can be read", error.strerror or ""
    return Refused([Refusal(slug="file-missing", file=path, expected=expected, found=found)])
