"""Withdraw a report, or a whole protocol: its page stays with the date and the reason, its rows leave the tables.

examples:
  sitegen withdraw RUN_ID --reason "the wrong model was served"
  sitegen withdraw protocols/dates.2026-11-30 --reason "task D-012 has a wrong oracle"
"""

from __future__ import annotations

import argparse

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import root_of, run_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("what", metavar="REPORT", help="a run id, a run's folder, or protocols/ID")
    parser.add_argument("--reason", required=True, help="why, in a sentence; it is published")
    parser.add_argument("--root", help="the site's folder (default: the current one)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Append the withdrawal, and leave a tombstone in the run's folder."""
    from sitegen.harness.records import withdraw

    name = run_of(arguments.what)  # the last part of protocols/ID as well
    digest = withdraw(root_of(arguments.root), name, arguments.reason)
    console.result(f"{name}  withdrawn, recorded in event {digest}")
    console.data({"withdrawn": name, "event": digest})
    return EXIT_FINE
