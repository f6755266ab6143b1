"""Two reports of one protocol, task by task; refused where their manifests differ in what must be the same."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitegen.compare.groups import COUNTED, RateName, conditions_of
from sitegen.compare.pairs import PairedSlice, pair
from sitegen.digests import Digest
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport

PAIRED: tuple[RateName, ...] = ("success", "abstention")
"""The rates that are compared; each by itself, never merged into one score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPair:
    """One task's outcome in either report."""

    task_id: str
    kind: str
    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedReports:
    """Two runs on one exam. ``first`` and ``second`` are (run id, route); ``tasks`` are in the pack's order."""

    protocol: tuple[str, Digest]
    first: tuple[str, str]
    second: tuple[str, str]
    same_contestant: bool
    slices: tuple[PairedSlice, ...]
    tasks: tuple[TaskPair, ...] = field(repr=False)

    @property
    def identical(self) -> bool:
        """Whether every task has the same outcome in both reports."""
        return all(task.first == task.second for task in self.tasks)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCompared:
    """Why two runs may not be compared: each reason a sentence."""

    reasons: tuple[str, ...]


def compare_reports(
    protocol: VerifiedProtocol, first: VerifiedReport, second: VerifiedReport
) -> PairedReports | NotCompared:
    """Return the paired analysis of two reports of ``protocol``, or why there is none."""
    names = protocol.protocol.publish.same_conditions
    conditions = zip(conditions_of(first.manifest, names), conditions_of(second.manifest, names), strict=True)
    reasons = [
        f"The manifests differ in {name}, which the protocol asks to be the same: {before} and {after}."
        for (name, before), (_, after) in conditions
        if before != after
    ]
    if first.run_id == second.run_id:
        reasons.append("Both are the same run.")
    if reasons:
        return NotCompared(reasons=tuple(reasons))
    ours, theirs = first.report.digests, second.report.digests
    return PairedReports(
        protocol=(protocol.protocol_id, protocol.sha256),
        first=(first.run_id, first.report.route),
        second=(second.run_id, second.report.route),
        same_contestant=(ours.manifest, ours.solver) == (theirs.manifest, theirs.solver),
        slices=tuple(_slice(protocol, first, second, name) for name in PAIRED),
        tasks=tuple(
            TaskPair(task_id=one.id, kind=one.kind, first=one.outcome, second=other.outcome)
            for one, other in zip(first.rows, second.rows, strict=True)
        ),
    )


def _slice(protocol: VerifiedProtocol, first: VerifiedReport, second: VerifiedReport, name: RateName) -> PairedSlice:
    kind, outcome = COUNTED[name]
    rows = [pair_ for pair_ in zip(first.rows, second.rows, strict=True) if pair_[0].kind == kind]
    clusters = protocol.clusters
    return pair(
        name,
        [one.id for one, _ in rows],
        [one.outcome == outcome for one, _ in rows],
        [other.outcome == outcome for _, other in rows],
        clusters=None if clusters is None else [clusters[one.id] for one, _ in rows],
    )
