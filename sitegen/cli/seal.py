"""Seal a protocol: fill its digests, list every file, record the seal.

examples:
  sitegen seal protocols/dates.2026-11-30 --check
  sitegen seal protocols/dates.2026-11-30 --want 0.80:0.87
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import protocol_of
from sitegen.refusals import Misuse

if TYPE_CHECKING:
    from sitegen.harness.sealing import Sealing


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("protocol", help="protocols/ID")
    parser.add_argument("--check", action="store_true", help="only say what would be refused; write nothing")
    parser.add_argument("--want", metavar="PA:PB", help="say how many tasks it takes to tell these two rates apart")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Seal, or say what would be refused."""
    from sitegen.harness.sealing import prepare_seal, write_seal

    root, protocol_id = protocol_of(arguments.protocol)
    wanted = None if arguments.want is None else _rates(arguments.want)
    sealing = prepare_seal(root, protocol_id)
    if not arguments.check:
        write_seal(root, sealing)
    _say(sealing, wanted, arguments.check, console)
    return EXIT_FINE


def _rates(text: str) -> tuple[float, float]:
    first, _, second = text.partition(":")
    try:
        rates = float(first), float(second)
    except ValueError:
        raise Misuse("--want takes two rates, as 0.80:0.87") from None
    if not all(0 < rate < 1 for rate in rates) or rates[0] == rates[1]:
        raise Misuse("--want takes two different rates between 0 and 1")
    return rates


def _say(sealing: Sealing, wanted: tuple[float, float] | None, check: bool, console: Console) -> None:
    from sitegen.harness.outlook import outlook_lines, want_lines
    from sitegen.verify.commitments import guessable_parts

    document, seal = sealing.document, sealing.document.protocol.seal
    word = "may be sealed" if check else ("was sealed already" if sealing.already else "sealed")
    console.result(f"{word}  {document.protocol.protocol_id}  sha256 {document.sha256}")
    console.result(f"  {seal.n} ordinary tasks, {seal.n_negative} negative controls, {seal.n_null_pack} null-pack rows")
    for line in outlook_lines(seal.outlook):
        console.result(f"  {line}")
    for line in want_lines(wanted, seal.n) if wanted else ():
        console.result(f"  {line}")
    for line in guessable_parts(document.protocol, sealing.pack):
        console.note(f"note: {line}")
    if not check:
        console.note(f"next: sitegen run protocols/{document.protocol.protocol_id} --manifest MANIFEST")
    console.data(
        {
            "protocol_id": document.protocol.protocol_id,
            "protocol_sha256": document.sha256,
            "n": seal.n,
            "n_negative": seal.n_negative,
            "n_null_pack": seal.n_null_pack,
            "sealed": not check,
            "outlook": seal.outlook,
        }
    )
