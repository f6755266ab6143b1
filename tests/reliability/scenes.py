"""What the tests of reliability share: a small real site, builds in processes of their own, and the figures' notebook.

A test that measures something writes its figures with :func:`note`; where ``SITEGEN_FIGURES`` names a folder they are
kept there, and ``make reliability`` turns them into a page. No figure on that page has another source.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sitegen.write.listing import MARKER, SUMS
from tests.corpus_builder.base import fixed_clock_and_ids
from tests.sites import make_protocol, make_run

ROOT = Path(__file__).resolve().parents[2]
FIGURES = "SITEGEN_FIGURES"


def note(topic: str, form: str, **figures: Any) -> None:
    """Print figures, and keep them for the page where that was asked. ``form`` is ``short`` or ``long``."""
    text = json.dumps({"topic": topic, "form": form, **figures}, sort_keys=True)
    print(text)
    folder = os.environ.get(FIGURES)
    if folder:
        (Path(folder) / f"{topic}.{form}.json").write_text(text + "\n", encoding="utf-8")


def make_site(root: Path, *, runs: int = 1) -> Path:
    """Write a sealed exam of three ordinary tasks and two controls, sat by one or two contestants."""
    with fixed_clock_and_ids():
        make_protocol(root, "demo.v1", ordinary=3, negative=2)
        make_run(root, "demo.v1", "alpha", wrong=("T-002",), invalid=("N-001",))
        if runs > 1:
            make_run(root, "demo.v1", "beta", wrong=("T-001", "T-003"))
    shutil.rmtree(root / "contestants")
    return root


def second_generation(root: Path) -> None:
    """Add a run, so that a build has something new to publish."""
    make_run(root, "demo.v1", "gamma", wrong=("T-001",))
    shutil.rmtree(root / "contestants")


def environment(cache: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process of ours: this checkout, and a cache of its own."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cache), "PYTHONDONTWRITEBYTECODE": "1", **more}


def build_command(site: Path, output: Path, *options: str) -> list[str]:
    """Return the command line of a build."""
    return [sys.executable, "-m", "sitegen", "build", str(site), "-o", str(output), "--quiet", *options]


def run_build(
    site: Path, output: Path, cache: Path, *options: str, before: Sequence[str] = (), more: Mapping[str, str] = {}
) -> subprocess.CompletedProcess[str]:
    """Build in a process of its own, ``before`` being the command that it runs under."""
    command = [*before, *build_command(site, output, *options)]
    return subprocess.run(
        command, env=environment(cache, **more), capture_output=True, text=True, check=False, timeout=120
    )


def is_whole(tree: Mapping[str, bytes]) -> bool:
    """Tell whether these are all files of one site: exactly those that ``site.json`` lists, with its digests."""
    listed = {file["path"]: file["sha256"] for file in json.loads(tree[MARKER])["files"]}
    found = {path: hashlib.sha256(data).hexdigest() for path, data in tree.items() if path not in (MARKER, SUMS)}
    return found == listed


def leftovers(output: Path) -> list[str]:
    """Return what stands beside an output besides its lock."""
    return sorted(path.name for path in output.parent.glob(f".{output.name}.*") if path.name != f".{output.name}.lock")
