"""What a refusal means and how to mend it.

examples:
  sitegen explain dataset-drift
  sitegen explain
"""

from __future__ import annotations

import argparse

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.refusals import KINDS, Misuse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("slug", nargs="?", help="a refusal's slug; all of them where it is left out")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print one explanation, or all."""
    if arguments.slug is not None and arguments.slug not in KINDS:
        import difflib

        close = difflib.get_close_matches(arguments.slug, KINDS, n=1)
        raise Misuse(f"no refusal is called {arguments.slug}" + (f"; did you mean {close[0]}?" if close else ""))
    chosen = [KINDS[arguments.slug]] if arguments.slug else list(KINDS.values())
    for kind in chosen:
        word = "an honest outcome: listed without figures, exit 0" if kind.recorded else "a fault: exit 1"
        console.result(f"{kind.slug}  ({kind.group.name}; {word})\n  {kind.meaning}\n  do: {kind.remedy}")
    console.data(
        [
            {
                "slug": kind.slug,
                "group": kind.group.name,
                "recorded": kind.recorded,
                "meaning": kind.meaning,
                "remedy": kind.remedy,
            }
            for kind in chosen
        ]
    )
    return EXIT_FINE
