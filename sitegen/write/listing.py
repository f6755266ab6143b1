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

from sitegen.digests import Listed, canonical_json
from sitegen.read.published import SITE_NAME, SITE_SCHEMA, SITE_SUMS

MARKER = SITE_NAME
"""The file by which a folder is known to be a site of ours."""
_PIECE = 1 << 16
SUMS = SITE_SUMS


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The entries of all files of one folder (its path ends in ``/``), or of one file, kept small.

    ``named`` are their paths and sizes, deflated, and ``digests`` their digests, 32 bytes each, both in order. No file
    of another block lies below the folder, so that blocks in the order of their paths are files in order.
    """

    path: str
    count: int
    named: bytes
    digests: bytes


def blocks_of(files: Iterable[Listed], folders: Iterable[str] = ()) -> list[Block]:
    """Return the blocks of these files: one for each of ``folders`` that has any, and one for each other file."""
    own: dict[str, list[Listed]] = {folder: [] for folder in folders}
    for file in files:
        owner = next((folder for folder in own if file.path.startswith(folder)), file.path)
        own.setdefault(owner, []).append(file)
    return [_block(path, listed) for path, listed in own.items() if listed]


def listed_in(block: Block) -> Iterator[Listed]:
    """Yield the files of a block."""
    sizes, paths = zip(*(line.split(" ", 1) for line in _lines(block)), strict=True)
    yield from map(Listed, paths, map(int, sizes), _digests(block))


def paths_in(block: Block) -> Iterator[str]:
    """Yield the paths of the files of a block."""
    return (line.partition(" ")[2] for line in _lines(block))


def site_json(blocks: Iterable[Block], facts: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield ``site.json``: ``facts``, and the files of all ``blocks``, which are all but itself and SHA256SUMS."""
    # The list is nearly all of it and its form is simple: written here, it takes a tenth of the time.
    around = canonical_json({"schema": SITE_SCHEMA, "files": [], **facts})
    before, empty, after = around.partition(b'"files":[]')
    yield before + empty[:-1]
    for number, block in enumerate(_in_order(blocks)):
        rows = ",".join(
            [f'{{"path":{_text(file.path)},"sha256":"{file.sha256}","size":{file.size}}}' for file in listed_in(block)]
        )
        yield (b"," if number else b"") + rows.encode()
    yield b"]" + after


def sums(blocks: Iterable[Block]) -> Iterator[bytes]:
    """Yield ``SHA256SUMS`` over the files of all ``blocks``, in the form that ``sha256sum -c`` reads."""
    for block in _in_order(blocks):
        yield "".join([f"{file.sha256}  {file.path}\n" for file in listed_in(block)]).encode()


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
    lines = "\n".join([f"{file.size} {file.path}" for file in ordered])
    digests = bytes.fromhex("".join([file.sha256 for file in ordered]))
    return Block(path=path, count=len(ordered), named=zlib.compress(lines.encode(), 1), digests=digests)


def _lines(block: Block) -> list[str]:
    return zlib.decompress(block.named).decode().split("\n")  # no path of a site has a line feed


def _digests(block: Block) -> Iterator[str]:
    digests = block.digests.hex()
    return (digests[at : at + 64] for at in range(0, len(digests), 64))


def _in_order(blocks: Iterable[Block]) -> list[Block]:
    return sorted(blocks, key=lambda block: block.path.encode())


_text = json.JSONEncoder(ensure_ascii=False).encode
