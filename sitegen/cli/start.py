"""Record a start, print the run id, and write the tasks for another harness.

The tasks carry opaque ids and nothing that the solver may not see. Run them with your own harness, write one
transcript a line, and close the run with `sitegen score --run RUN_ID --transcripts FILE`.

example:
  sitegen start protocols/dates.2026-11-30 --manifest contestants/mine/manifest.yaml
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import protocol_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("protocol", help="protocols/ID")
    parser.add_argument("--manifest", required=True, type=Path, help="the contestant's manifest.yaml")
    parser.add_argument("--tasks", type=Path, help="where to write the tasks (default: the run's logs/tasks.jsonl)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Open the run and write its tasks."""
    from sitegen.harness.handout import write_handout
    from sitegen.harness.opening import open_run

    root, protocol_id = protocol_of(arguments.protocol)
    opened = open_run(root, protocol_id, arguments.manifest, needs_solver=False)
    tasks = arguments.tasks or opened.run_folder / "logs" / "tasks.jsonl"
    write_handout(opened, tasks)
    console.result(opened.run_id)
    console.note(f"tasks: {tasks}")
    console.note(f"next: sitegen score {arguments.protocol} --run {opened.run_id} --transcripts FILE")
    console.data({"run_id": opened.run_id, "start_sha256": opened.start_sha256, "tasks": str(tasks)})
    return EXIT_FINE
