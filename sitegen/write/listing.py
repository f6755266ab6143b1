"""What a site says of itself: ``site.json`` (every file with size and digest) and ``SHA256SUMS``.

Both list every file by the bytes of its path, and a large site has hundreds of thousands. They are therefore put
together of blocks: the entries of one folder, made where its pages are made, and never taken apart again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitegen.digests import Listed, canonical_json, sums_listing
from sitegen.read.published import SITE_NAME, SITE_SCHEMA, SITE_SUMS

MARKER = SITE_NAME
"""The file by which a folder is known to be a site of ours."""
_PIECE = 1 << 16
SUMS = SITE_SUMS


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The entries of all files of one folder (its path ends in ``/``), or of one file, kept small.

    ``rows`` are their objects in ``site.json`` with commas between them, ``sums`` their lines in ``SHA256SUMS``, both
    deflated. No file of another block lies below the folder, so that blocks in the order of their paths are files in
    order.
    """

    path: str
    count: int
    rows: bytes
    sums: bytes


def blocks_of(files: Iterable[Listed], folders: Iterable[str] = ()) -> list[Block]:
    """Return the blocks of these files: one for each of ``folders`` that has any, and one for each other file."""
    own: dict[str, list[Listed]] = {folder: [] for folder in folders}
    for file in files:
        owner = next((folder for folder in own if file.path.startswith(folder)), file.path)
        own.setdefault(owner, []).append(file)
    return [_block(path, listed) for path, listed in own.items() if listed]


def listed_in(block: Block) -> Iterator[Listed]:
    """Yield the files of a block."""
    for row in json.loads(b"[" + zlib.decompress(block.rows) + b"]"):
        yield Listed(path=row["path"], size=row["size"], sha256=row["sha256"])


def paths_in(block: Block) -> Iterator[str]:
    """Yield the paths of the files of a block."""
    return (line[66:].decode() for line in zlib.decompress(block.sums).split(b"\n")[:-1])


def site_json(blocks: Iterable[Block], facts: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield ``site.json``: ``facts``, and the files of all ``blocks``, which are all but itself and SHA256SUMS."""
    # The list is nearly all of it and its form is simple: written here, it takes a tenth of the time.
    around = canonical_json({"schema": SITE_SCHEMA, "files": [], **facts})
    before, empty, after = around.partition(b'"files":[]')
    yield before + empty[:-1]
    for number, block in enumerate(_in_order(blocks)):
        yield (b"," if number else b"") + zlib.decompress(block.rows)
    yield b"]" + after


def sums(blocks: Iterable[Block]) -> Iterator[bytes]:
    """Yield ``SHA256SUMS`` over the files of all ``blocks``, in the form that ``sha256sum -c`` reads."""
    for block in _in_order(blocks):
        yield zlib.decompress(block.sums)


def is_marker(path: Path) -> bool:
    """Tell whether this file is a ``site.json`` of ours. It may be large, and is not parsed."""
    sought = f'"schema":"{SITE_SCHEMA}"'.encode()
    try:
        with path.open("rb") as file:
            window = file.read(_PIECE)
            if not window.startswith(b'{"files":['):
                return False
            while sought not in window:
                more = file.read(_PIECE)
                if not more:
                    return False
                window = window[-len(sought) :] + more
    except OSError:
        return False
    return True


def _block(path: str, files: Sequence[Listed]) -> Block:
    ordered = sorted(files, key=lambda file: file.path.encode())
    rows = ",".join(f'{{"path":{_text(file.path)},"sha256":"{file.sha256}","size":{file.size}}}' for file in ordered)
    lines = sums_listing({file.path: file.sha256 for file in ordered})
    return Block(path=path, count=len(ordered), rows=_deflated(rows.encode()), sums=_deflated(lines))


def _deflated(data: bytes) -> bytes:
    return zlib.compress(data, 1)


def _in_order(blocks: Iterable[Block]) -> list[Block]:
    return sorted(blocks, key=lambda block: block.path.encode())


_text = json.JSONEncoder(ensure_ascii=False).encode
