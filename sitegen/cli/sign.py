"""Sign seals and ledger heads with an SSH key, where they are not signed yet.

example:
  sitegen sign --key ~/.ssh/id_ed25519
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import root_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--key", required=True, type=Path, help="file of the private key, or of the public one in an agent"
    )
    parser.add_argument("--root", help="the site's folder (default: the current one)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Sign, and name every new signature."""
    from sitegen.harness.countersigning import sign_ledgers

    written = list(sign_ledgers(root_of(arguments.root), arguments.key))
    for path in written:
        console.result(path)
    console.note(f"{len(written)} signatures written" if written else "every seal and every head is signed already")
    console.data({"signatures": written})
    return EXIT_FINE
