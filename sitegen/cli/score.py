"""Close a started run with transcripts made elsewhere, or score a rehearsal.

With --run the transcripts close a run that `sitegen start` opened. Without it, --manifest says what made them, and the
report is exploratory for ever: nobody announced it.

examples:
  sitegen score protocols/dates.2026-11-30 --run RUN_ID --transcripts transcripts.jsonl
  sitegen score protocols/dates.2026-11-30 --manifest manifest.yaml --transcripts rehearsal.jsonl
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import protocol_of, run_of
from sitegen.refusals import Misuse, Refused
from sitegen.refusals.message import escape

if TYPE_CHECKING:
    from sitegen.harness.closing import Closed


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("protocol", help="protocols/ID")
    parser.add_argument("--transcripts", required=True, type=Path, help="one transcript a line")
    parser.add_argument("--executor", metavar="dask://HOST:PORT", help="ask the metric on a Dask cluster")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--run", metavar="RUN_ID", help="the run that `sitegen start` opened")
    which.add_argument("--manifest", type=Path, help="what made the transcripts; the report is exploratory")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Score the transcripts."""
    from sitegen.harness.handed_in import score_handed_in
    from sitegen.harness.opening import open_rehearsal, reopen_run

    root, protocol_id = protocol_of(arguments.protocol)
    if not arguments.transcripts.is_file():
        raise Misuse(f"there is no file {arguments.transcripts}")
    if arguments.executor is not None:
        from sitegen.harness.spreading import check_address

        check_address(arguments.executor)
    if arguments.run:
        opened = reopen_run(root, run_of(arguments.run))
    else:
        opened = open_rehearsal(root, protocol_id, arguments.manifest)
    if opened.protocol.protocol_id != protocol_id:
        raise Misuse(f"{arguments.run} is a run of {opened.protocol.protocol_id}")
    try:
        closed = score_handed_in(opened, arguments.transcripts, arguments.executor)
    except Refused:
        if arguments.run:
            end = f"sitegen end {opened.run_id} --reason WHY"
            console.note(f"{opened.run_id} is still open: hand in others, or `{end}`")
        raise
    say_closed(closed, console)
    return EXIT_FINE


def say_closed(closed: Closed, console: Console) -> None:
    """Say how a run ended: the whole scorecard, or why there is none."""
    from sitegen.harness.summary import scorecard_lines

    if closed.card is None:
        rows = f": {escape(', '.join(closed.rows))}" if closed.rows else ""
        console.result(f"{closed.run_id}  no report: {closed.reason}{rows}")
        console.note(f"next: sitegen explain {closed.reason}")
    elif closed.channel == "exploratory":
        console.result(f"{closed.run_id}  exploratory: a rehearsal, never published")
        for line in scorecard_lines(closed.card):
            console.note(f"  {line}")
    else:
        console.result(f"{closed.run_id}  report {closed.report_sha256}")
        for line in scorecard_lines(closed.card):
            console.result(f"  {line}")
        console.note("next: sitegen build -o _site")
    console.data(
        {
            "run_id": closed.run_id,
            "channel": closed.channel,
            "report_sha256": closed.report_sha256,
            "reason": closed.reason,
            "rows": list(closed.rows),
        }
    )
