"""What there is, what stands in the way, and the next command to type.

example:
  sitegen status
"""

from __future__ import annotations

import argparse
from typing import Any

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import root_of
from sitegen.refusals import faults
from sitegen.verify.verified import RefusedRun, VerifiedUnit

FORMATS = ("text", "json", "markdown")
_NEXT = {
    "protocol-draft": "sitegen seal protocols/{protocol}",
    "run-open": "sitegen run protocols/{protocol} --run {run} --resume, or sitegen end {run} --reason …",
    "ledger-unpublished": "sitegen withdraw {run} --reason …, or restore the report",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("root", nargs="?", help="the site's folder (default: the current one)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print a line for each protocol and each run."""
    from sitegen.pipeline.inputs import open_inputs
    from sitegen.pipeline.judging import verified_units
    from sitegen.read.files import Tree

    root = root_of(arguments.root)
    with Tree(root) as tree:
        inputs = open_inputs(root, tree)
        listed = [_unit(unit) for unit in verified_units(inputs)]
    if console.format == "markdown":
        console.result(_markdown(listed))
    elif not listed:
        console.result("no protocols here yet\n  next: sitegen init DIR")
    else:
        for unit in listed:
            console.result(_text(unit))
    if console.format != "json":  # which is a list of protocols, and these are of none
        console.refusals(inputs.faults)
    console.data(listed)
    return EXIT_FINE


def _unit(unit: VerifiedUnit) -> dict[str, Any]:
    state = "sealed" if unit.protocol is not None else ("refused" if faults(unit.refusals) else "draft")
    runs = [{"run_id": report.run_id, "state": "published", "route": report.report.route} for report in unit.reports]
    runs += [_run(run) for run in unit.refused]
    return {
        "protocol_id": unit.protocol_id,
        "state": state,
        "reasons": sorted({refusal.slug for refusal in unit.refusals}),
        "next": _next_of([refusal.slug for refusal in unit.refusals], unit.protocol_id, "")
        or (
            f"sitegen run protocols/{unit.protocol_id} --manifest MANIFEST" if state == "sealed" and not runs else None
        ),
        "runs": runs,
    }


def _run(run: RefusedRun) -> dict[str, Any]:
    slugs = [refusal.slug for refusal in run.refusals]
    return {
        "run_id": run.run_id,
        "state": "refused" if run.is_fault else "recorded",
        "route": run.route,
        "reasons": sorted(set(slugs)),
        "next": _next_of(slugs, run.protocol_id, run.run_id),
    }


def _next_of(slugs: list[str], protocol_id: str, run_id: str) -> str | None:
    for slug in slugs:
        if slug in _NEXT:
            return _NEXT[slug].format(protocol=protocol_id, run=run_id)
    return f"sitegen explain {slugs[0]}" if slugs else None


def _text(unit: dict[str, Any]) -> str:
    lines = [f"{unit['protocol_id']}  {unit['state']}{_because(unit)}"]
    if unit["next"]:
        lines.append(f"  next: {unit['next']}")
    for run_ in unit["runs"]:
        lines.append(f"  {run_['state']:<10} {run_['run_id']}{_because(run_)}")
        if run_.get("next"):
            lines.append(f"             next: {run_['next']}")
    return "\n".join(lines)


def _because(entry: dict[str, Any]) -> str:
    return f"  ({', '.join(entry['reasons'])})" if entry.get("reasons") else ""


def _markdown(units: list[dict[str, Any]]) -> str:
    lines = ["| protocol | run | state | reasons |", "|---|---|---|---|"]
    for unit in units:
        lines.append(f"| {unit['protocol_id']} | | {unit['state']} | {', '.join(unit['reasons'])} |")
        lines += [
            f"| {unit['protocol_id']} | {run_['run_id']} | {run_['state']} | {', '.join(run_.get('reasons', ()))} |"
            for run_ in unit["runs"]
        ]
    return "\n".join(lines)
