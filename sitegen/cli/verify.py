"""Verify every report and say every refusal. It says the same as `sitegen build`.

examples:
  sitegen verify
  sitegen verify reports/dates.2026-11-30/RUN_ID
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen.cli import EXIT_FAULT, EXIT_FINE
from sitegen.cli.console import Console
from sitegen.refusals import Misuse, Refusal, faults, hardest_first

if TYPE_CHECKING:
    from sitegen.pipeline.checking import Checked
    from sitegen.pipeline.inputs import Inputs
    from sitegen.verify.history import Standing

Wanted = dict[str, AbstractSet[str]]
"""The runs that are wanted by protocol id; none of a protocol means the whole of it."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="the site's folder, protocols/ID, or a run's folder")
    parser.add_argument("--rescore", action="store_true", help="run the sealed metrics again and write receipts")
    parser.add_argument("--executor", metavar="dask://HOST:PORT", help="verify on a Dask cluster")
    parser.add_argument("--fetch", action="store_true", help="first fetch what evidence.yaml keeps elsewhere")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Verify, and print every refusal and a line for each report that holds."""
    from sitegen.pipeline.checking import check_all, find_forgotten
    from sitegen.pipeline.inputs import open_inputs
    from sitegen.present.wording import counted
    from sitegen.read.files import Tree

    if arguments.executor is not None:
        from sitegen.harness.spreading import check_address

        check_address(arguments.executor)
    root, wanted = _scope([Path(text) for text in arguments.paths])
    with Tree(root) as tree:
        inputs = open_inputs(root, tree)
        unknown = wanted.keys() - set(inputs.ids)
        if unknown:
            raise Misuse(f"there is no protocol {', '.join(sorted(unknown))}")
        found: list[Refusal] = [] if wanted else list(inputs.faults)
        held = 0
        standings: list[Standing] = []
        ids = tuple(wanted or inputs.ids)
        for protocol_id in ids:
            if arguments.fetch:
                _fetch(inputs, protocol_id, console)
            if arguments.rescore:
                _rescore(inputs, protocol_id, console)
        with closing(check_all(inputs, ids, arguments.executor)) as units:  # no worker may outlive an interrupt
            for unit in units:
                if unit.note is not None:
                    console.note(f"{unit.protocol_id}: {unit.note}")
                refusals, reports = _chosen(unit, wanted.get(unit.protocol_id, frozenset()))
                found += refusals
                held += len(reports)
                standings.append(unit.standing)
                for run_id in reports:
                    console.finding(f"holds    {unit.protocol_id}/{run_id}")
        if not wanted:
            found += find_forgotten(inputs, standings)
    found = hardest_first(found)
    console.refusals(found)
    hold = "1 report holds" if held == 1 else f"{held} reports hold"
    console.finding(f"{hold}; {counted(len(faults(found)), 'fault')}, {len(found) - len(faults(found))} recorded")
    return EXIT_FAULT if faults(found) else EXIT_FINE


def _fetch(inputs: Inputs, protocol_id: str, console: Console) -> None:
    from sitegen.harness.fetching import fetch_evidence
    from sitegen.read.library import gather_unit

    for folder in gather_unit(inputs.tree, protocol_id).runs:
        for path in fetch_evidence(inputs.root, folder):
            console.note(f"fetched  {path}")


def _scope(paths: list[Path]) -> tuple[Path, Wanted]:
    """Return the root, and what of it is wanted; nothing wanted means all."""
    places = [_place(path) for path in paths] or [(Path(), None, None)]
    roots = sorted({root for root, _, _ in places})
    if len(roots) > 1:
        raise Misuse(f"{roots[0]} and {roots[1]} are two sites; verify one at a time")
    wanted: dict[str, set[str]] = {}
    whole = {protocol_id for _, protocol_id, run_id in places if run_id is None}
    for _, protocol_id, run_id in places:
        if protocol_id is not None:
            wanted.setdefault(protocol_id, set()).update(() if run_id is None else (run_id,))
    if None in whole:
        return roots[0], {}
    return roots[0], {name: frozenset() if name in whole else runs for name, runs in wanted.items()}


def _place(path: Path) -> tuple[Path, str | None, str | None]:
    """Return the root, the protocol id and the run id that a path names; ``None`` means all."""
    if path.name == "report.json":
        path = path.parent
    if path.parent.name in ("protocols", "reports"):
        return path.parent.parent, path.name, None
    if path.parent.parent.name == "reports":
        return path.parent.parent.parent, path.parent.name, path.name
    if not any((path / name).exists() for name in ("protocols", "reports", "sitegen.toml")):
        raise Misuse(f"{path} holds neither protocols/ nor reports/; a published site is checked by `sitegen audit`")
    return path, None, None


def _chosen(unit: Checked, runs: AbstractSet[str]) -> tuple[list[Refusal], Sequence[str]]:
    """Return the refusals of the wanted runs (of the whole protocol where none is named), and the runs that hold."""
    if not runs:
        return unit.all_refusals, unit.held
    known = {*unit.refused, *unit.held}
    if runs - known and not unit.refusals:
        raise Misuse(f"there is no run {', '.join(sorted(runs - known))}")
    refusals = [refusal for run_id, of in unit.refused.items() if run_id in runs for refusal in of]
    return [*unit.refusals, *refusals], [run_id for run_id in unit.held if run_id in runs]


def _rescore(inputs: Inputs, protocol_id: str, console: Console) -> None:
    from sitegen.harness.receipts import write_receipts
    from sitegen.pipeline.judging import verified_unit

    for run_id in write_receipts(inputs.root, verified_unit(inputs, protocol_id, any_level=True)):
        console.note(f"re-scored {protocol_id}/{run_id}")
