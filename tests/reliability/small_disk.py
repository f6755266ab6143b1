"""Builds on a small file system: ``python -m tests.reliability.small_disk full|read-only|checkout FOLDER``.

Runs in a mount namespace of its own (``unshare --map-root-user --mount``) and prints the figures.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitegen.pipeline.build import build_site
from sitegen.refusals import Refused
from tests.reliability.scenes import is_whole, leftovers, make_site, second_generation
from tests.sites import tree_of

STEP = 48 << 10


def mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


@contextmanager
def small(place: Path, size: int) -> Iterator[Path]:
    """A file system of ``size`` bytes at ``place``."""
    place.mkdir(exist_ok=True)
    mount("-t", "tmpfs", "-o", f"size={size},nr_inodes=4096", "tmpfs", str(place))
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True, capture_output=True)


def slugs_of_build(site: Path, output: Path, cache: Path | None) -> list[str]:
    """Build, and return the slugs of what was refused."""
    try:
        build_site(site, output, cache=cache)
    except Refused as refused:
        return [refusal.slug for refusal in refused.refusals]
    return []


def full(folder: Path) -> dict[str, int]:
    """Publish over an old site with less room than it takes, then a little more, until there is enough."""
    site, cache = make_site(folder / "site"), folder / "cache"
    build_site(site, folder / "first", cache=cache)
    old = tree_of(folder / "first")
    second_generation(site)
    build_site(site, folder / "second", cache=cache)
    new = tree_of(folder / "second")
    size = sum(-(-len(data) // 4096) * 4096 for data in old.values()) + 4 * 4096
    refused = published = wrong = 0
    while not published:
        with small(folder / "disk", size) as disk:
            output = disk / "out"
            shutil.copytree(folder / "first", output)
            slugs = slugs_of_build(site, output, disk / "cache" if refused % 2 else cache)
            found = tree_of(output)
            if slugs == []:
                published += 1
                wrong += found != new
            else:
                refused += 1
                wrong += found != old or slugs != ["output-no-space"]
            wrong += leftovers(output) != []
        size += STEP
    return {"refused": refused, "published": published, "wrong": wrong}


def read_only(folder: Path) -> dict[str, int]:
    """Publish onto a file system that was made read-only."""
    site = make_site(folder / "site")
    with small(folder / "disk", 16 << 20) as disk:
        build_site(site, disk / "out", cache=folder / "cache")
        old = tree_of(disk / "out")
        second_generation(site)
        mount("-o", "remount,ro", str(disk))
        slugs = slugs_of_build(site, disk / "out", folder / "cache")
        wrong = int(tree_of(disk / "out") != old or slugs != ["output-not-writable"])
    return {"refused": 1, "published": 0, "wrong": wrong}


def checkout(folder: Path) -> dict[str, int]:
    """Build from inputs and with a cache that cannot be written."""
    with small(folder / "disk", 16 << 20) as disk:
        make_site(disk / "site")
        shutil.copytree(folder / "cache", disk / "cache")
        mount("-o", "remount,ro", str(disk))
        slugs = slugs_of_build(disk / "site", folder / "out", disk / "cache")
        wrong = int(slugs != [] or not is_whole(tree_of(folder / "out")))
    return {"refused": 0, "published": 1, "wrong": wrong}


if __name__ == "__main__":
    run = {"full": full, "read-only": read_only, "checkout": checkout}[sys.argv[1]]
    print(json.dumps(run(Path(sys.argv[2]))))
