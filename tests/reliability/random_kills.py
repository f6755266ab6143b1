"""Kill builds at random moments: ``python -m tests.reliability.random_kills FOLDER COUNT``; prints the figures.

A process of its own, so that it can fork: each build is a child that has everything imported, and dies after a random
part of the time that a build takes. The site alternates between two states, so that every build has work to do.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from sitegen.pipeline.build import build_site
from tests.reliability.scenes import is_whole, leftovers
from tests.sites import tree_of


def build(site: Path, output: Path, cache: Path) -> None:
    build_site(site, output, cache=cache)


def child(site: Path, output: Path, cache: Path) -> int:
    """Fork a build and return its process id."""
    pid = os.fork()
    if pid == 0:
        try:
            build(site, output, cache)
        finally:
            os._exit(0)
    return pid


def duration(site: Path, output: Path, cache: Path) -> float:
    """Return how long a build in a child takes that nobody kills, in seconds."""
    began = time.monotonic()
    os.waitpid(child(site, output, cache), 0)
    return time.monotonic() - began


def main(folder: Path, count: int) -> None:
    output, cache = folder / "www" / "out", folder / "cache" / "sitegen"
    first, second = folder / "site", folder / "site-two"
    shutil.copytree(first, second)
    (second / "sitegen.toml").write_text('title = "The other state"\n', encoding="utf-8")
    states: list[dict[str, bytes]] = []
    for site in (first, second):
        build(site, output, cache)
        states.append(tree_of(output))
    for entries in ("units", "made", "outputs"):  # a build that knows the answer has nothing to interrupt
        shutil.rmtree(cache / entries)
        (cache / entries).touch()
    longest = max(duration(site, output, cache) for site in (first, second))
    draw = random.Random()
    stood: Counter[str] = Counter()
    killed = wrong = 0
    for _ in range(count):
        before = tree_of(output)
        site = first if before == states[1] else second
        pid = child(site, output, cache)
        time.sleep(draw.uniform(0, 1.2 * longest))
        os.kill(pid, signal.SIGKILL)
        killed += os.WIFSIGNALED(os.waitpid(pid, 0)[1])
        after = tree_of(output)
        stood["old" if after == before else "new"] += 1
        wrong += not (is_whole(after) and after in states)
    build(first, output, cache)
    wrong += tree_of(output) != states[0] or leftovers(output) != []
    print(json.dumps({"kills": count, "killed": killed, "stood": stood, "wrong": wrong}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
