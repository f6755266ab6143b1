"""No byte of the evidence can change unnoticed: every changed byte is refused, or changes no byte of any page.

Each place of each file has each of its bits flipped, its byte deleted, and one byte inserted before it. The site is
changed in memory and judged whole. Pages of what is not refused are compared byte by byte.
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.digests import sha256
from sitegen.present.look import NO_RELATIONS, Look
from sitegen.present.site import unit_pages
from sitegen.read.files import SourceFile, Tree
from sitegen.read.library import UnitFiles, gather_unit, parse_unit
from sitegen.read.settings import Settings
from sitegen.refusals import faults
from sitegen.verify.verified import VerifiedUnit
from sitegen.verify.verifier import verify_unit
from tests.reliability.scenes import make_site, note

LEFT_OUT = ("notes.md",)
"""The owner's prose is no evidence: it is not sealed, and pages say so."""


def sources(files: UnitFiles) -> list[SourceFile]:
    assert files.protocol is not None
    folders = [files.protocol, *files.runs]
    return [source for folder in folders for source in folder.files.values()] + list(files.ledger)


def with_bytes(files: UnitFiles, old: SourceFile, data: bytes) -> UnitFiles:
    """The unit in which one file holds other bytes."""
    assert files.protocol is not None
    new = SourceFile(path=old.path, data=data, sha256=sha256(data))

    def swapped(of: dict[str, SourceFile]) -> dict[str, SourceFile]:
        return {path: new if source is old else source for path, source in of.items()}

    return dataclasses.replace(
        files,
        protocol=dataclasses.replace(files.protocol, files=swapped(files.protocol.files)),
        runs=tuple(dataclasses.replace(run, files=swapped(run.files)) for run in files.runs),
        ledger=tuple(new if source is old else source for source in files.ledger),
    )


def mutants(data: bytes, draw: random.Random) -> Iterator[bytes]:
    """Every one-byte change of ``data``: eight flips, a deletion and an insertion at each place."""
    for place in range(len(data)):
        head, byte, tail = data[:place], data[place], data[place + 1 :]
        for bit in range(8):
            yield head + bytes([byte ^ 1 << bit]) + tail
        yield head + tail
        yield head + bytes([draw.randrange(256), byte]) + tail
    yield data + b"\n"
    yield b""


def pages(look: Look, unit: VerifiedUnit) -> dict[str, bytes]:
    return {page.path: page.data for page in unit_pages(look, unit)}


@pytest.mark.parametrize("every", [97, pytest.param(1, marks=pytest.mark.slow)], ids=["short", "long"])
def test_every_changed_byte_is_refused_or_changes_no_page(every: int, tmp_path: Path) -> None:
    with Tree(make_site(tmp_path)) as tree:
        files = gather_unit(tree, "demo.v1")
    look = Look.open(Settings(), None, tmp_path / "figures", NO_RELATIONS)
    unchanged = verify_unit(parse_unit(files))
    assert not faults(unchanged.all_refusals)
    published = pages(look, unchanged)
    draw = random.Random(8)
    refused: Counter[str] = Counter()
    neutral: list[str] = []
    wrong: list[str] = []
    tried = 0
    for source in sources(files):
        assert not source.path.endswith(LEFT_OUT)
        for number, data in enumerate(mutants(source.data, draw)):
            if (number + draw.randrange(every)) % every or data == source.data:
                continue
            tried += 1
            judged = verify_unit(parse_unit(with_bytes(files, source, data)))
            found = faults(judged.all_refusals)
            if found:
                refused[found[0].slug] += 1
            elif pages(look, judged) == published:
                neutral.append(f"{source.path} change {number}")
            else:
                wrong.append(f"{source.path} change {number}")
    note(
        "mutation",
        "short" if every > 1 else "long",
        files=len(sources(files)),
        bytes=sum(len(source.data) for source in sources(files)),
        tried=tried,
        refused=dict(sorted(refused.items())),
        neutral=len(neutral),
        wrong=len(wrong),
    )
    assert wrong == []
    assert neutral == []
    assert sum(refused.values()) == tried
