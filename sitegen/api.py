"""The Python interface: read a site's records, verify them, and take the scorecards as a table.

It does what ``sitegen verify`` and ``sitegen build`` do, and gives the records instead of pages. All of it can be
imported from :mod:`sitegen` itself, which loads this module when one of its names is first used:

>>> import sitegen
>>> rows = sitegen.scorecards(root)
>>> [(row["route"], row["task_success_k"], row["task_success_n"]) for row in rows]
[('alpha-1.0', 19, 20)]

The rows are plain dicts of numbers and text with the same keys, so that ``pandas.DataFrame(rows)`` and
``polars.DataFrame(rows)`` both take them as they are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitegen.pipeline.inputs import open_inputs
from sitegen.pipeline.judging import verified_units
from sitegen.read.files import Tree
from sitegen.read.library import Unit, protocol_ids, read_unit
from sitegen.refusals import Refusal, Refused, faults, hardest_first
from sitegen.verify.verified import VerifiedReport, VerifiedUnit

Cell = str | int | float | bool | None
"""What a column of :func:`scorecards` holds; ``None`` is "not recorded"."""

_RAGGED = frozenset(("table",))
"""Parts of a record that have other keys in every run, and so are no columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedLibrary:
    """Every protocol of a site with its runs, judged.

    Attributes:
        units: by protocol id; see :class:`sitegen.verify.verified.VerifiedUnit`.
        site_refusals: what concerns the site as a whole: stray files, ids that look alike.
    """

    units: tuple[VerifiedUnit, ...]
    site_refusals: tuple[Refusal, ...]

    @property
    def reports(self) -> tuple[VerifiedReport, ...]:
        """Every report that holds."""
        return tuple(report for unit in self.units for report in unit.reports)

    @property
    def refusals(self) -> list[Refusal]:
        """Every refusal, recorded ones included, the hardest to mend first."""
        found = [refusal for unit in self.units for refusal in unit.all_refusals]
        return hardest_first([*self.site_refusals, *found])


def read_library(root: str | Path) -> tuple[Unit, ...]:
    """Return every protocol of the site in ``root`` with its ledger and its runs, as read. Nothing is believed yet.

    >>> [(unit.protocol_id, len(unit.runs)) for unit in read_library(root)]
    [('demo.v1', 1)]

    Raises:
        Refused: the folder, or a unit, cannot be read at all.
    """
    with Tree(Path(root)) as tree:
        return tuple(read_unit(tree, protocol_id) for protocol_id in protocol_ids(tree))


def verify_library(root: str | Path) -> VerifiedLibrary:
    """Return every protocol and run of the site in ``root``, judged: it says the same as ``sitegen verify``.

    >>> library = verify_library(root)
    >>> library.refusals
    []
    >>> [report.card.success.text for report in library.reports]
    ['0.950']

    Raises:
        Refused: the folder or the settings cannot be used.
    """
    with Tree(Path(root)) as tree:
        inputs = open_inputs(Path(root), tree)
        return VerifiedLibrary(units=tuple(verified_units(inputs)), site_refusals=inputs.faults)


def scorecards(root: str | Path, *, publish_accepted: bool = False) -> list[dict[str, Cell]]:
    """Return the scorecard of every published report, one flat row each, by protocol and then as pages order them.

    A row is the report's record in ``data/reports.json``, flattened: ``task_success_k``, ``task_success_n``,
    ``task_success_rate``, ``task_success_low`` and ``task_success_high`` (the 95 % interval), the same of
    ``abstention_accuracy``, ``invalid_completion`` and ``false_abstention``, then null pack, covariates, level, route
    and digests. Rates of different protocols are results of different exams: compare within one ``protocol_sha256``.

    >>> row = scorecards(root)[0]
    >>> row["task_success_rate"], row["abstention_accuracy_k"], row["abstention_accuracy_n"]
    (0.95, 10, 10)

    Args:
        root: the site's folder.
        publish_accepted: give what holds though there are faults, as ``sitegen build --publish-accepted`` does.

    Raises:
        Refused: there are faults, so that nothing would be published.
    """
    from sitegen.present.exports import records_of, reports_json
    from sitegen.present.summary import summarise

    library = verify_library(root)
    if faults(library.refusals) and not publish_accepted:
        raise Refused(library.refusals)
    published = reports_json(records_of(summarise(unit)) for unit in library.units)
    return [_flat(record) for record in json.loads(b"".join(published))["reports"]]


def _flat(record: dict[str, Any], prefix: str = "") -> dict[str, Cell]:
    row: dict[str, Cell] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            if key not in _RAGGED:
                row |= _flat(value, f"{prefix}{key}_")
        else:
            row[f"{prefix}{key}"] = value
    return row
