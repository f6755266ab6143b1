"""Record that a run ended without a report: it crashed, or was given up. Nothing is ever deleted.

example:
  sitegen end RUN_ID --reason "the endpoint was switched off"
"""

from __future__ import annotations

import argparse

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import root_of, run_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("run", metavar="RUN_ID", help="a run that was started and has no end")
    parser.add_argument("--reason", required=True, help="why, in a sentence; it is published")
    parser.add_argument("--root", help="the site's folder (default: the current one)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Append the end event."""
    from sitegen.harness.records import end_open_run

    run_id = run_of(arguments.run)
    digest = end_open_run(root_of(arguments.root), run_id, arguments.reason)
    console.result(f"{run_id}  ended, recorded in event {digest}")
    console.data({"run_id": run_id, "event": digest})
    return EXIT_FINE
