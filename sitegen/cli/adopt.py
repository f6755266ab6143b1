"""Fetch another site's sealed protocol, verify it, and make it ready to run here. Its identity stays the same digest.

examples:
  sitegen adopt https://example.org/scores/ --protocol dates.v1
  sitegen adopt https://example.org/scores/protocols/dates.v1/
"""

from __future__ import annotations

import argparse

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import root_of, text_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("site", metavar="URL", help="address or folder of a published site, or of a protocol's page")
    parser.add_argument("--protocol", metavar="ID", help="which of its protocols, where there are several")
    parser.add_argument("--root", help="the site's folder here (default: the current one)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Adopt the protocol, and say what it is and how to run it."""
    from sitegen.harness.adopting import adopt_protocol
    from sitegen.read.library import PROTOCOLS

    site = text_of(arguments.site, "URL")  # the protocol's notes will say it
    adopted = adopt_protocol(root_of(arguments.root), site, arguments.protocol)
    console.result(f"{PROTOCOLS}/{adopted.protocol_id}  sha256 {adopted.sha256}, as published at {adopted.where}")
    console.note(f"next: sitegen run {PROTOCOLS}/{adopted.protocol_id} --manifest contestants/NAME/manifest.yaml")
    console.data({"protocol_id": adopted.protocol_id, "sha256": adopted.sha256, "files": list(adopted.written)})
    return EXIT_FINE
