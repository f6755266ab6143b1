"""What this machine has, and what each part of sitegen needs of it.

example:
  sitegen doctor
"""

from __future__ import annotations

import argparse
import sys

from sitegen.cli import EXIT_ENVIRONMENT, EXIT_FINE
from sitegen.cli.console import Console


def configure(parser: argparse.ArgumentParser) -> None:
    """Add no arguments: the command looks at the machine."""
    del parser


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print one line a part; exit 3 when a required part is missing."""
    del arguments
    from sitegen.harness.machine import parts

    found = parts()
    for part in found:
        mark = "has " if part.present else ("NEEDS" if part.required else "lacks")
        console.result(f"{mark:<6}{part.name:<22}{part.detail}")
    console.data(
        [
            {"name": part.name, "present": part.present, "required": part.required, "detail": part.detail}
            for part in found
        ]
    )
    console.note(f"python {sys.version.split()[0]}")
    return EXIT_FINE if all(part.present for part in found if part.required) else EXIT_ENVIRONMENT
