"""Write the manual as a folder of pages, with the JSON Schemas of all formats.

example:
  sitegen docs -o _docs
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("-o", "--output", default="_docs", type=Path, help="where the manual goes (default: _docs)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Build the manual."""
    from sitegen.pipeline.manual import build_manual

    count = build_manual(arguments.output)
    console.note(f"the manual is in {arguments.output}: {count} files; begin with {arguments.output}/index.html")
    console.data({"output": str(arguments.output), "files": count})
    return EXIT_FINE
