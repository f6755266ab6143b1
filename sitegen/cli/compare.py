"""Compare two protocol versions field by field, or two reports task by task.

Two reports of one protocol are compared as pairs: the exact test decides, an interval stands beside it. Two reports of
different protocols are compared on their common tasks, where that is allowed, and never by their rates.

With `--exit-code` it exits with 1 where something differs (the verdict on two protocols is not `same`, or a task of two
reports has another outcome) or the two may not be compared, as a script may want to know.

examples:
  sitegen compare dates.2026-10-05 dates.2026-11-30
  sitegen compare RUN_ID OTHER_RUN_ID --format markdown
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen.cli import EXIT_FAULT, EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import run_of
from sitegen.refusals import Misuse, Refused

if TYPE_CHECKING:
    from sitegen.compare.paired_wording import Comparison
    from sitegen.verify.verified import VerifiedProtocol, VerifiedReport, VerifiedUnit

FORMATS = ("text", "json", "markdown")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """What an argument names: a protocol, or one of its runs."""

    root: Path
    protocol_id: str
    run_id: str | None


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    for name in ("a", "b"):
        parser.add_argument(name, metavar=name.upper(), help="a protocol or a run: its id or its folder")
    parser.add_argument("--exit-code", action="store_true", help="exit with 1 where something differs")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Compare, and say what differs."""
    first, second = _side(arguments.a), _side(arguments.b)
    if (first.run_id is None) != (second.run_id is None):
        raise Misuse("compare two protocols or two runs, not one of each")
    same = _protocols(first, second, console) if first.run_id is None else _reports(first, second, console)
    return EXIT_FINE if same or not arguments.exit_code else EXIT_FAULT


def _side(argument: str) -> _Side:
    """Return what ``argument`` names: ``protocols/ID``, ``reports/ID/RUN_ID``, or a bare id below the current folder.

    Raises:
        Misuse: it names nothing.
    """
    from sitegen.harness.opening import find_run
    from sitegen.read.library import PROTOCOLS, REPORTS
    from sitegen.read.protocol import SEALED_NAME
    from sitegen.read.report import REPORT_NAME

    path = Path(argument)
    path = path.parent if path.name in (REPORT_NAME, SEALED_NAME) else path
    if path.parent.name == PROTOCOLS and path.is_dir():
        return _Side(root=path.parent.parent, protocol_id=path.name, run_id=None)
    if path.parent.parent.name == REPORTS and path.is_dir():
        return _Side(root=path.parent.parent.parent, protocol_id=path.parent.name, run_id=path.name)
    if path.name == argument and (Path(PROTOCOLS) / argument).is_dir():
        return _Side(root=Path(), protocol_id=argument, run_id=None)
    run_id = run_of(argument)
    return _Side(root=Path(), protocol_id=find_run(Path(), run_id), run_id=run_id)


def _protocols(first: _Side, second: _Side, console: Console) -> bool:
    """Say how two protocols differ; tell whether they are the same."""
    from sitegen.compare import wording
    from sitegen.compare.protocols import compare_protocols
    from sitegen.compare.versions import version_of

    difference = compare_protocols(version_of(_protocol(first)), version_of(_protocol(second)))
    shown = wording.as_markdown if console.format == "markdown" else wording.as_text
    console.result(shown(difference))
    console.data(wording.as_object(difference))
    return difference.verdict == "same"


def _reports(first: _Side, second: _Side, console: Console) -> bool:
    """Say how two reports differ; tell whether every task has the same outcome."""
    from sitegen.compare import paired_wording
    from sitegen.compare.reports import PairedReports

    found = _compared(_report(first), _report(second))
    shown = paired_wording.as_markdown if console.format == "markdown" else paired_wording.as_text
    console.result(shown(found))
    console.data(paired_wording.as_object(found))
    return isinstance(found, PairedReports) and found.identical


def _compared(
    first: tuple[VerifiedProtocol, VerifiedReport], second: tuple[VerifiedProtocol, VerifiedReport]
) -> Comparison:
    from sitegen.compare.common_tasks import compare_common, outcomes_of
    from sitegen.compare.reports import compare_reports
    from sitegen.compare.versions import version_of

    (old, one), (new, other) = first, second
    if old.sha256 == new.sha256:
        return compare_reports(old, one, other)
    return compare_common(version_of(old), version_of(new), [outcomes_of(one)], [outcomes_of(other)])


def _unit(side: _Side) -> VerifiedUnit:
    from functools import partial

    from sitegen.read.files import Tree
    from sitegen.read.library import read_exam, read_run
    from sitegen.verify.verifier import verify_unit

    with Tree(side.root) as tree:
        exam = side.protocol_id
        unit = read_exam(tree, exam) if side.run_id is None else read_run(tree, exam, side.run_id)
        if unit is None:
            raise Misuse(f"{side.run_id} has no files under {exam}")
        return verify_unit(unit, origins=partial(read_run, tree))


def _protocol(side: _Side) -> VerifiedProtocol:
    unit = _unit(side)
    if unit.protocol is None:
        raise Refused(unit.refusals)
    return unit.protocol


def _report(side: _Side) -> tuple[VerifiedProtocol, VerifiedReport]:
    unit = _unit(side)
    for report in unit.reports:
        if report.run_id == side.run_id and unit.protocol is not None:
            return unit.protocol, report
    raise Refused(next((run.refusals for run in unit.refused if run.run_id == side.run_id), unit.refusals))
