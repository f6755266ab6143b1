"""Other generators on corpora of the same size: Hugo and Eleventy, where somebody has set them up.

A peer's folder holds, for each number of protocols, ``w/<protocols>/`` with ``corpus/`` (``pNNNN/reports/rNN/``),
``hugo/`` and ``eleventy/`` (projects that render a page a report, a page a protocol and an index from that corpus),
and the programs below ``v/hugo`` and ``npm``. They verify nothing and compute nothing.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.bench.timing import Cost, timed

_VERSION = re.compile(rb'("version": ")(\d)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """One generator at one size: its command, where it runs, and what a fresh build removes first."""

    name: str
    command: tuple[str, ...]
    cwd: Path
    output: Path
    caches: tuple[Path, ...]
    corpus: Path

    def build(self, fresh: bool) -> Cost:
        """Build once, from nothing or over the last site."""
        if fresh:
            for folder in (self.output, *self.caches):
                shutil.rmtree(folder, ignore_errors=True)
        return timed(self.command, cwd=self.cwd, env={"CORPUS": str(self.corpus)})

    def change(self) -> None:
        """Change one report of the corpus."""
        protocols = sorted(self.corpus.iterdir())
        path = next(iter(sorted((protocols[len(protocols) // 2] / "reports").iterdir()))) / "report.json"
        changed, count = _VERSION.subn(_next_version, path.read_bytes(), count=1)
        if count != 1:
            raise RuntimeError(f"{path} states no version to change")
        path.write_bytes(changed)


def peers_in(folder: Path, protocols: int) -> list[Peer]:
    """Return the peers that are laid out for this number of protocols; none where there are none."""
    place = folder / "w" / str(protocols)
    hugo, eleventy = place / "hugo", place / "eleventy"
    found: list[Peer] = []
    binaries = sorted(folder.glob("v/hugo/lib/python3*/site-packages/hugo/binaries/hugo*"))
    if hugo.is_dir() and binaries:
        output = place / "out" / "hugo"
        command = (str(binaries[0]), "--quiet", "-d", str(output))
        found.append(_peer("Hugo", command, hugo, output, (hugo / "resources",)))
    program = eleventy / "node_modules" / "@11ty" / "eleventy" / "cmd.cjs"
    if program.is_file():
        output = eleventy / "_site"
        found.append(_peer("Eleventy", ("node", str(program), "--quiet", "--output", "_site"), eleventy, output, ()))
    return found


def _peer(name: str, command: tuple[str, ...], cwd: Path, output: Path, caches: tuple[Path, ...]) -> Peer:
    return Peer(name=name, command=command, cwd=cwd, output=output, caches=caches, corpus=cwd.parent / "corpus")


def _next_version(match: re.Match[bytes]) -> bytes:
    return match[1] + str(int(match[2]) % 9 + 1).encode()
