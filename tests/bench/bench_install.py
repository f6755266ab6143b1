"""How much an installation weighs, library by library, and how long a command takes before it does anything.

Run it by hand: ``python -m tests.bench.bench_install``. It builds the wheel, installs it with the locked runtime into
an empty environment, and measures there. Start times are the least of several, as noise only adds.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

from tests.wheels import ROOT, build_wheel, install, succeed

REPEATS = 7
COMMANDS = ("--version", "--help", "verify", "build --help", "status")
SHOWN = 8


def sizes(packages: Path) -> dict[str, int]:
    """Bytes of each top-level entry of an environment's packages, pip's own left out."""
    found = {
        entry.name: sum(file.stat().st_size for file in [entry, *entry.rglob("*")] if file.is_file())
        for entry in packages.iterdir()
        if not entry.name.startswith(("pip", "__pycache__"))
    }
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def least_seconds(*command: str | Path, cwd: Path) -> float:
    """The least wall-clock of several calls."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        subprocess.run(command, cwd=cwd, capture_output=True, check=True, timeout=60)
        times.append(time.perf_counter() - began)
    return min(times)


def report(folder: Path) -> None:
    """Build, install, measure and print."""
    wheel = build_wheel(folder)
    programs = install(wheel, folder)
    (packages,) = (programs.parent / "lib").glob("python*/site-packages")
    found = sizes(packages)
    print(f"{'the wheel':<40}{wheel.stat().st_size / 1e6:10.2f} MB")
    print(f"{'all that is installed':<40}{sum(found.values()) / 1e6:10.2f} MB")
    for name, size in list(found.items())[:SHOWN]:
        print(f"  {name:<38}{size / 1e6:10.2f} MB")
    site = folder / "empty"
    site.mkdir()
    bare = least_seconds(programs / "python", "-c", "pass", cwd=site)
    print(f"{'python -c pass':<40}{bare * 1000:10.0f} ms")
    for command in COMMANDS:
        taken = least_seconds(programs / "sitegen", *command.split(), cwd=site)
        print(f"{'sitegen ' + command:<40}{taken * 1000:10.0f} ms")
    taken = least_seconds(programs / "python", "-c", "import sitegen", cwd=site)
    print(f"{'import sitegen':<40}{taken * 1000:10.0f} ms")
    loaded = "import sys, sitegen.cli; sitegen.cli.main(['verify']); print(len(sys.modules))"
    print(f"modules loaded by `sitegen verify`: {succeed(programs / 'python', '-c', loaded, cwd=site).strip()}")


if __name__ == "__main__":
    print(f"sitegen in {ROOT.name}, an environment of its own")
    with tempfile.TemporaryDirectory() as temporary:
        report(Path(temporary))
