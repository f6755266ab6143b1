"""Verify every report and say every refusal. It says the same as `sitegen build`.

Examples:
  sitegen verify
  sitegen verify reports/dates.2026-11-30/RUN_ID
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sitegen.cli.console import Console
from sitegen.refusals import Misuse, Refusal, faults, hardest_first
from sitegen.verify.verified import VerifiedUnit


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="the site's folder, protocols/ID, or a run's folder")
    parser.add_argument("--rescore", action="store_true", help="run the sealed metrics again and write receipts")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Verify, and print every refusal and a line for each report that holds."""
    from sitegen.pipeline.inputs import open_inputs, verified_units
    from sitegen.read.files import Tree

    root, wanted = _scope(arguments.paths)
    with Tree(root) as tree:
        inputs = open_inputs(root, tree)
        unknown = {protocol_id for protocol_id, _ in wanted} - set(inputs.ids)
        if unknown:
            raise Misuse(f"there is no protocol {', '.join(sorted(unknown))}")
        units = list(verified_units(inputs))
    if arguments.rescore:
        _rescore(root, [unit for unit in units if _of(unit.protocol_id, wanted)], console)
    found: list[Refusal] = [] if wanted else list(inputs.faults)
    held = 0
    for unit in units:
        refusals, reports = _chosen(unit, wanted)
        found += refusals
        held += len(reports)
        for run_id in reports:
            console.note(f"holds    {unit.protocol_id}/{run_id}")
    found = hardest_first(found)
    console.refusals(found)
    console.note(f"{held} reports hold; {len(faults(found))} faults, {len(found) - len(faults(found))} recorded")
    return 1 if faults(found) else 0


def _scope(paths: list[str]) -> tuple[Path, list[tuple[str, str | None]]]:
    """Return the root and the (protocol id, run id) that are wanted; none means all."""
    root, wanted = Path(), list[tuple[str, str | None]]()
    for text in paths:
        path = Path(text)
        if path.name == "report.json":
            path = path.parent
        if path.parent.name in ("protocols", "reports"):
            root = path.parent.parent
            wanted.append((path.name, None))
        elif path.parent.parent.name == "reports":
            root = path.parent.parent.parent
            wanted.append((path.parent.name, path.name))
        else:
            root = path
    if not root.is_dir():
        raise Misuse(f"{root} is no folder")
    return root, wanted


def _of(protocol_id: str, wanted: list[tuple[str, str | None]]) -> bool:
    return not wanted or any(protocol_id == wanted_id for wanted_id, _ in wanted)


def _chosen(unit: VerifiedUnit, wanted: list[tuple[str, str | None]]) -> tuple[list[Refusal], list[str]]:
    runs = {run_id for protocol_id, run_id in wanted if protocol_id == unit.protocol_id}
    if not _of(unit.protocol_id, wanted):
        return [], []
    if not wanted or None in runs:
        return unit.all_refusals, [report.run_id for report in unit.reports]
    refusals = [refusal for run in unit.refused if run.run_id in runs for refusal in run.refusals]
    return refusals, [report.run_id for report in unit.reports if report.run_id in runs]


def _rescore(root: Path, units: list[VerifiedUnit], console: Console) -> None:
    from sitegen.harness.receipts import write_receipts

    for unit in units:
        for run_id in write_receipts(root, unit):
            console.note(f"re-scored {unit.protocol_id}/{run_id}")
