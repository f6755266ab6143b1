"""Run a contestant: the start is recorded, the null pack goes first, then the dataset; the run is scored and closed.

Every row is on the disk before the next task, so that an interrupted run goes on with --resume. With --run a start
that was recorded before is sat: in CI, commit the start and then run it. Where bubblewrap works, solvers see neither
the disk nor the network; --network lets them reach the network, and the report says so.

examples:
  sitegen run protocols/dates.2026-11-30 --manifest contestants/mine/manifest.yaml
  sitegen run protocols/dates.2026-11-30 --manifest contestants/mine/manifest.yaml --resume
  sitegen run protocols/dates.2026-11-30 --run RUN_ID --jobs 4
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen.cli import EXIT_ENVIRONMENT, EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import protocol_of, run_of
from sitegen.refusals import Misuse, Refused

if TYPE_CHECKING:
    from sitegen.harness.exam import ExamOptions
    from sitegen.harness.opening import OpenRun


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("protocol", help="protocols/ID")
    parser.add_argument("--manifest", type=Path, help="the contestant's manifest.yaml, with its solver beside it")
    parser.add_argument("--run", metavar="RUN_ID", help="sit a run that `sitegen start` opened")
    parser.add_argument("--resume", action="store_true", help="go on after the last row of an interrupted run")
    parser.add_argument("--jobs", type=_count, default=None, metavar="N", help="solvers at once (default 1)")
    parser.add_argument("--isolation", choices=("bwrap", "none"), help="default: bwrap where it works")
    parser.add_argument("--network", action="store_true", help="let solvers under bwrap reach the network")
    parser.add_argument("--executor", metavar="dask://HOST:PORT", help="run the solvers on a Dask cluster")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Open or resume the run and sit it."""
    from sitegen.cli.progress import watching
    from sitegen.cli.score import say_closed
    from sitegen.harness.exam import examine
    from sitegen.harness.resume import is_open

    if arguments.manifest is None and arguments.run is None:
        raise Misuse("name the contestant with --manifest, or a started run with --run")
    opened, options = _open(arguments, console)
    again = f"sitegen run {arguments.protocol} --run {opened.run_id} --resume"
    try:
        with watching(console) as watch:
            closed, words = examine(opened, options, watch)
    except Refused:
        if is_open(opened):
            end = f"sitegen end {opened.run_id} --reason WHY"
            console.note(f"every finished row is kept; {opened.run_id} is still open: `{again}`, or `{end}`")
        raise
    except (KeyboardInterrupt, OSError) as error:
        console.error(f"interrupted: {error}" if str(error) else "interrupted")
        console.error(f"every finished row is kept; the run is open. To go on: {again}")
        return EXIT_ENVIRONMENT
    for line in words:
        console.error(f"{closed.reason}: {line}")
    say_closed(closed, console)
    return EXIT_FINE


def _open(arguments: argparse.Namespace, console: Console) -> tuple[OpenRun, ExamOptions]:
    """Return the run and how it is sat; what can be refused is refused before the start, which counts for ever."""
    from sitegen.harness.assigning import check_command, choose_isolation, manifest_at
    from sitegen.harness.exam import ExamOptions
    from sitegen.harness.opening import open_run
    from sitegen.harness.resume import resume_run

    root, protocol_id = protocol_of(arguments.protocol)
    if arguments.executor is not None:
        from sitegen.harness.spreading import check_address

        check_address(arguments.executor)
    opened = None
    if arguments.resume or arguments.run:
        run_id = run_of(arguments.run) if arguments.run else None
        opened = resume_run(root, protocol_id, run_id, arguments.manifest)
    manifest = opened.manifest if opened else manifest_at(arguments.manifest)
    isolation = choose_isolation(arguments.isolation, arguments.network, manifest, root)
    if opened is None:
        check_command(manifest, arguments.manifest.parent, str(arguments.manifest))
        opened = open_run(root, protocol_id, arguments.manifest)
    console.note(f"run {opened.run_id}, isolation {isolation.name}")
    if isolation.level == "none" and arguments.isolation is None:
        console.note("bubblewrap does not work here: the solver can read this disk, and the report's page says so")
    return opened, ExamOptions(
        isolation=isolation, jobs=arguments.jobs, executor=arguments.executor, resume=arguments.resume
    )


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return value
