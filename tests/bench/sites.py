"""The rounds of one size: sitegen, the plain loop and the peers, one after the other, so that their ratios hold.

Each round builds from nothing, builds again with nothing changed, and builds after one report was added (here) or
changed (there). The first round draws every figure; the others find the figures drawn and nothing else.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.peers import Peer, peers_in
from tests.bench.timing import Cost, ratio, spread, timed

KINDS = ("full", "no-op", "one")
Costs = dict[str, list[Cost]]


@dataclass(kw_only=True)
class Rounds:
    """The costs of one size, by contender and kind of build. ``cold`` is the one build that drew every figure."""

    protocols: int
    reports: int
    tasks: int
    work: Path
    cold: Cost | None = None
    figures: int = 0
    costs: dict[str, Costs] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    @property
    def corpus(self) -> Path:
        """The corpus of this size."""
        return self.work / f"corpus-{self.protocols}x{self.reports}x{self.tasks}"

    @property
    def output(self) -> Path:
        """Where the site goes."""
        return self.work / "site"

    @property
    def cache(self) -> Path:
        """sitegen's cache, a folder of this bench alone."""
        return self.work / "cache"

    def run(self, rounds: int, peers_folder: Path | None) -> None:
        """Make the corpus and run every round."""
        size = (f"--protocols={self.protocols}", f"--reports={self.reports}", f"--tasks={self.tasks}")
        timed((sys.executable, "-m", "tests.bench.corpus", str(self.corpus), *size))
        shutil.rmtree(self.cache, ignore_errors=True)
        self._forget()
        self.cold = self._build()
        self.figures = sum(1 for path in (self.cache / "sitegen" / "figures").rglob("*") if path.is_file())
        for number in range(rounds):
            say(f"{self.protocols}×{self.reports}: round {number + 1} of {rounds}")
            self._round(peers_in(peers_folder, self.protocols) if peers_folder else [])

    def _round(self, peers: Sequence[Peer]) -> None:
        self._forget()
        self._note("sitegen", "full", self._build())
        self._note("sitegen", "no-op", self._build())
        timed((sys.executable, "-m", "tests.bench.corpus", str(self.corpus), "--add-run"))
        self._note("sitegen", "one", self._build())
        self._note("sitegen", "verify", self._sitegen("verify", str(self.corpus)))
        self._note("hashing", "verify", timed((sys.executable, "-m", "tests.bench.hashing", str(self.corpus))))
        loop = self.work / "loop"
        shutil.rmtree(loop, ignore_errors=True)
        self._note("loop", "full", timed((sys.executable, "-m", "tests.bench.loop", str(self.corpus), str(loop))))
        for peer in peers:
            self._note(peer.name, "full", peer.build(fresh=True))
            self._note(peer.name, "no-op", peer.build(fresh=False))
            peer.change()
            self._note(peer.name, "one", peer.build(fresh=False))

    def _note(self, name: str, kind: str, cost: Cost) -> None:
        self.costs[name][kind].append(cost)

    def _build(self) -> Cost:
        return self._sitegen("build", str(self.corpus), "-o", str(self.output))

    def _sitegen(self, *arguments: str) -> Cost:
        return timed((sys.executable, "-m", "sitegen", *arguments), env={"XDG_CACHE_HOME": str(self.cache)})

    def _forget(self) -> None:
        """Leave nothing of earlier builds but the drawn figures."""
        shutil.rmtree(self.output, ignore_errors=True)
        for kind in (self.cache / "sitegen").glob("*"):
            if kind.name != "figures":
                shutil.rmtree(kind, ignore_errors=True)

    def result(self) -> dict[str, Any]:
        """Return everything that was measured, for the JSON file."""
        ours = self.costs["sitegen"]
        assert self.cold is not None
        drawn = spread(ours["full"])
        pages = _count(self.output, lambda name: name.endswith(".html"))
        result: dict[str, Any] = {
            "protocols": self.protocols,
            "reports": self.reports,
            "tasks": self.tasks,
            "pages": pages,
            "site_bytes": _size(self.output),
            "input_bytes": _size(self.corpus / "protocols") + _size(self.corpus / "reports"),
            "figures": self.figures,
            "figure_ms": round(1000 * (self.cold.cpu - drawn["cpu"]) / max(1, self.figures), 1),
            "page_ms": round(1000 * drawn["cpu"] / pages, 3),
            "pages_a_second": round(pages / drawn["wall"]),
            "cold": spread([self.cold]),
            "costs": {
                name: {kind: spread(costs) for kind, costs in kinds.items()} for name, kinds in self.costs.items()
            },
            "ratios": {},
        }
        for name, kinds in self.costs.items():
            shared = [kind for kind in ours if kind in kinds and name != "sitegen"]
            for kind in shared:
                found = {part: ratio(ours[kind], kinds[kind], part) for part in ("wall", "cpu", "peak")}
                result["ratios"].setdefault(name, {})[kind] = found
        return result


def say(text: str) -> None:
    """Tell the one who waits."""
    print(text, file=sys.stderr, flush=True)


def add_file(path: Path, value: Any) -> None:
    """Write ``value`` as JSON."""
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _count(folder: Path, wanted: Callable[[str], bool]) -> int:
    return sum(1 for _, _, names in os.walk(folder) for name in names if wanted(name))


def _size(folder: Path) -> int:
    return sum(os.lstat(f"{at}/{name}").st_size for at, _, names in os.walk(folder) for name in names)
