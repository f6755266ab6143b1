"""Score a run's answers again under another version of its exam, where everything that the solver saw is identical.

For a wrong oracle or metric that a new version mends: the answers stand, only their marking changes. The new report
keeps the original start, says which run it is of, and is marked on every row.

example:
  sitegen rescore RUN_ID --under dates.2026-12-07
"""

from __future__ import annotations

import argparse

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import protocol_of, root_of, run_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("run", metavar="RUN_ID", help="a run id, or the path of a run's folder or report")
    parser.add_argument("--under", required=True, metavar="NEW_PROTOCOL", help="a sealed protocol's id or folder")
    parser.add_argument("--root", help="the site's folder (default: the current one)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Score again, and say how it ended."""
    from sitegen.cli.score import say_closed
    from sitegen.harness.rescoring import rescore_run

    run_id, under = run_of(arguments.run), protocol_of(arguments.under)[1]
    closed = rescore_run(root_of(arguments.root), run_id, under)
    console.note(f"{run_id} scored again under {under}")
    say_closed(closed, console)
    return EXIT_FINE
