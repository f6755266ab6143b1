"""Verify everything and write the site in one step. With a fault nothing is written and the old site stays.

examples:
  sitegen build -o _site
  sitegen build -o _site --previous https://example.org/scores/
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sitegen.cli import EXIT_ACCEPTED, EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import root_of
from sitegen.refusals import faults


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("root", nargs="?", help="the site's folder (default: the current one)")
    parser.add_argument("-o", "--output", default="_site", type=Path, help="where the site goes (default: _site)")
    parser.add_argument("--previous", metavar="OLD", help="folder or address of the last published site")
    parser.add_argument("--no-cache", action="store_true", help="remember nothing; make every page anew")
    parser.add_argument("--trust-stat", action="store_true", help="for a preview: hash no file with its old times")
    parser.add_argument("--publish-accepted", action="store_true", help="publish what holds though there are faults")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Build the site, and say what it shows and what it does not."""
    from sitegen.pipeline.build import build_site
    from sitegen.pipeline.cache import cache_folder
    from sitegen.present.wording import counted

    built = build_site(
        root_of(arguments.root),
        arguments.output,
        previous=arguments.previous,
        publish_accepted=arguments.publish_accepted,
        trust_stat=arguments.trust_stat,
        cache=None if arguments.no_cache else cache_folder(),
    )
    console.refusals(built.refusals)
    for warning in built.warnings:
        console.note(f"private  {warning}")
    wrong = faults(built.refusals)
    console.finding(
        f"{counted(built.reports, 'report')} of {counted(built.protocols, 'protocol')} published in {built.output}:"
        f" {counted(built.files, 'file')}, {built.written} written;"
        f" {counted(len(wrong), 'fault')}, {len(built.refusals) - len(wrong)} recorded"
    )
    if arguments.trust_stat:
        console.note("a preview: files whose size and times are as before were not hashed; build without --trust-stat")
    console.data({"output": str(built.output), "protocols": built.protocols, "reports": built.reports})
    return EXIT_ACCEPTED if wrong else EXIT_FINE
