"""Reveal a hidden test set: its evidence is published in full from the next build on, and opens its commitments.

example:
  sitegen reveal protocols/dates.v1 --published https://example.org/scores/
"""

from __future__ import annotations

import argparse

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("protocol", metavar="protocols/ID", help="a sealed protocol that keeps evidence back")
    parser.add_argument("--published", metavar="SITE", help="the published site whose commitments must open")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Check that everything verifies and opens, and record the reveal."""
    from sitegen.cli.place import protocol_of
    from sitegen.harness.revealing import reveal_protocol
    from sitegen.present.wording import counted

    root, protocol_id = protocol_of(arguments.protocol)
    revealed = reveal_protocol(root, protocol_id, arguments.published)
    if arguments.published is None:
        console.note("no published site was named, so no commitment was opened; see --published")
    opened, verified = counted(revealed.opened, "commitment"), counted(revealed.reports, "report")
    console.result(f"{protocol_id}  revealed; {opened} opened, {verified} verified")
    console.data({"protocol_id": protocol_id, "opened": revealed.opened, "reports": revealed.reports})
    return EXIT_FINE
