"""Whether what was published still stands as it was published, without reading it.

When a site is published, the state of its files (inode, size, times) is noted in the user's cache, part by part: one
part for each protocol, and one for the rest. A part of which no file was touched, added or removed since is known to
hold what was published, and by the key of what it was made of it is known whether that is what it would hold again.

Of a protocol's part it is known what there is, and nothing has to be listed: a folder's own state changes with every
name that comes, goes or changes in it.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.digests import Digest, sha256
from sitegen.pipeline.cache import Memory
from sitegen.read.library import PROTOCOLS, REPORTS
from sitegen.read.published import EVIDENCE
from sitegen.write.folders import states_below

WHOLE = ""
"""The name of the part that belongs to no single protocol."""
DATA = "data"
_NOTHING = (0, 0, 0, 0)


def places_of(protocol_id: str) -> tuple[str, ...]:
    """Return where a site keeps the files of one protocol: two folders and one file."""
    return f"{PROTOCOLS}/{protocol_id}", f"{EVIDENCE}/{protocol_id}", f"{DATA}/{protocol_id}.csv"


def is_of(path: str, protocol_id: str) -> bool:
    """Tell whether a site's file is one of this protocol's."""
    *folders, table = places_of(protocol_id)
    return path == table or path.startswith(tuple(f"{folder}/" for folder in folders))


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a published site as it was noted: the key of what it was made of, and the state of its files."""

    key: Digest
    state: Digest
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingSite:
    """The published site in ``output``, and what was noted of it by the name of the part."""

    output: Path
    parts: Mapping[str, Part] = field(repr=False)

    def knows(self, protocol_id: str, key: Digest) -> bool:
        """Tell whether the protocol's part was made of what has this key."""
        part = self.parts.get(protocol_id)
        return part is not None and part.key == key

    def holds(self, protocol_id: str, key: Digest, names: bytes) -> bool:
        """Tell whether the protocol's part, whose :func:`names_of` these are, also stands as it was published."""
        return self.knows(protocol_id, key) and self.parts[protocol_id].state == unit_state(self.output, names)

    def holds_whole(self, protocol_ids: Iterable[str], key: Digest) -> bool:
        """Tell the same of the part that is of no single protocol; nothing else may stand there."""
        part = self.parts.get(WHOLE)
        return part is not None and part.key == key and part.state == whole_state(self.output, protocol_ids)


def standing_site(output: Path, memory: Memory) -> StandingSite:
    """Return the published site in ``output`` with what was noted of it."""
    return StandingSite(output=output, parts=memory.get("outputs", _key(output)) or {})


def note_site(output: Path, parts: Mapping[str, Part], memory: Memory) -> None:
    """Note the parts of the site that was just published in ``output``."""
    memory.put("outputs", _key(output), dict(parts))


def names_of(protocol_id: str, files: Iterable[str]) -> bytes:
    """Return the paths of one protocol's files in a site, and of the folders that are its own, deflated."""
    names = set(places_of(protocol_id))
    for path in files:
        name = path
        while "/" in name and name not in names:  # the uppermost folders are those of all protocols
            names.add(name)
            name = name.rpartition("/")[0]
    return zlib.compress("\n".join(sorted(names)).encode(), 1)


def unit_state(output: Path, names: bytes) -> Digest:
    """Return the state of what has these :func:`names_of` a protocol in a published site, or is not there."""
    top, numbers = f"{output}/", array("Q")
    for name in zlib.decompress(names).decode().split("\n"):
        try:
            status = os.lstat(top + name)
        except OSError:
            numbers.extend(_NOTHING)
        else:
            numbers.extend((status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return hashlib.sha256(numbers).hexdigest()


def input_state(root: Path, protocol_id: str) -> Digest:
    """Return the state of all files of one protocol among the inputs."""
    folders = (f"{PROTOCOLS}/{protocol_id}", f"{REPORTS}/{protocol_id}")
    return _digest(
        _line(f"{folder}/{path}", status) for folder in folders for path, status in states_below(f"{root}/{folder}")
    )


def whole_state(output: Path, protocol_ids: Iterable[str]) -> Digest:
    """Return the state of all files but those of these protocols."""
    others = frozenset(place for protocol_id in protocol_ids for place in places_of(protocol_id))
    return _digest(_line(path, status) for path, status in states_below(str(output), others))


def _digest(lines: Iterable[str]) -> Digest:
    return hashlib.sha256("\n".join(sorted(lines)).encode("utf-8", "surrogateescape")).hexdigest()


def _line(path: str, status: os.stat_result) -> str:
    return f"{path} {status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def _key(output: Path) -> Digest:
    return sha256(os.fsencode(output.absolute()))
