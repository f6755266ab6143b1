"""Measure sitegen, beside a plain Jinja2 loop and, where they are set up, beside Hugo and Eleventy.

    python -m tests.bench                              10×10 and 100×10
    python -m tests.bench --sizes 10,100,1000 --peers DIR --rounds 5 --json results.json
    python -m tests.bench --also statistics,import     further benches, each with its own output

Only ratios within one run mean anything: a machine that is busy is slower for all. A folder in memory
(``--work /dev/shm/bench``) takes the disk out of them. ``python -m tests.bench.page`` makes the manual's page of the
JSON.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.parts import scoring, start
from tests.bench.sites import Rounds, add_file, say
from tests.bench.table import table

ALSO = ("statistics", "import", "runner", "install")


def main() -> int:
    """Run the benches that were asked for."""
    given = _arguments()
    work = given.work or Path(tempfile.mkdtemp(prefix="sitegen-bench-"))
    work.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {"machine": _machine(), "sizes": []}
    try:
        results["start"] = start(given.rounds)
        results["score"] = scoring(work, given.rounds)
        for protocols in given.sizes:
            rounds = Rounds(protocols=protocols, reports=10, tasks=30, work=work)
            rounds.run(given.rounds, given.peers)
            results["sizes"].append(rounds.result())
            if given.json:
                add_file(given.json, results)
    finally:
        if given.work is None:
            shutil.rmtree(work, ignore_errors=True)
    print(table(results))
    return max([0, *(_also(name) for name in given.also)])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sizes = [10, 100]
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=sizes)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each size (default: 3)")
    parser.add_argument("--work", type=Path, help="folder for corpora and sites, kept (default: a temporary one)")
    parser.add_argument("--peers", type=Path, help="folder in which Hugo and Eleventy are set up")
    parser.add_argument("--json", type=Path, help="write the results there")
    parser.add_argument("--also", type=lambda text: text.split(","), default=[], help=f"of {', '.join(ALSO)}")
    given = parser.parse_args()
    unknown = set(given.also) - set(ALSO)
    if unknown:
        parser.error(f"no bench is called {', '.join(sorted(unknown))}")
    return given


def _also(name: str) -> int:
    say(f"bench_{name}")
    return subprocess.run((sys.executable, "-m", f"tests.bench.bench_{name}"), check=False).returncode


def _machine() -> dict[str, Any]:
    return {"system": platform.system(), "machine": platform.machine(), "processors": os.cpu_count(),
            "python": platform.python_version()}  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
