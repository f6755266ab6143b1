"""The contestants of one exam: repeated runs of one manifest and solver as one, grouped by their conditions.

Runs of one manifest and solver are one contestant: all of them count, none is dropped and the best is never chosen.
Contestants whose manifests differ in a field of ``publish.same_conditions``, or that were run another number of times,
stand in different groups, and no test crosses a group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from sitegen.digests import Digest, canonical_json
from sitegen.measure.pairwise import PairwiseAnalysis, compare_all
from sitegen.read.manifest import Manifest
from sitegen.read.protocol import Comparable
from sitegen.verify.verified import VerifiedReport

Item = TypeVar("Item")
Key = TypeVar("Key")

RateName = Literal["success", "abstention", "invalid", "false_abstention"]

COUNTED: Mapping[RateName, tuple[str, str]] = {
    "success": ("ordinary", "success"),
    "abstention": ("negative", "abstain_ok"),
    "invalid": ("negative", "invalid_completion"),
    "false_abstention": ("ordinary", "false_abstain"),
}
"""Each rate's slice, and the outcome that it counts."""

Conditions = tuple[tuple[str, str], ...]
"""The manifest's value in each field of ``same_conditions``, as canonical JSON."""


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """One manifest and solver with all its published runs, in the order in which they were started."""

    manifest_sha256: Digest
    solver_sha256: Digest
    runs: tuple[VerifiedReport, ...]

    @property
    def manifest(self) -> Manifest:
        """The one manifest of all the runs."""
        return self.runs[0].manifest

    @property
    def run_id(self) -> str:
        """The first run's id, by which the contestant is told from others."""
        return self.runs[0].run_id

    @property
    def heading(self) -> str:
        """The title, or the route where there is none."""
        return self.manifest.title or self.manifest.route

    def tasks(self, rate: RateName) -> tuple[str, ...]:
        """Return the ids of the tasks that the rate is over, in the pack's order."""
        kind, _ = COUNTED[rate]
        return tuple(row.id for row in self.runs[0].rows if row.kind == kind)

    def passes(self, rate: RateName) -> tuple[int, ...]:
        """Return for each of :meth:`tasks` in how many of the runs it had the outcome that the rate counts."""
        kind, outcome = COUNTED[rate]
        # Rows of every run are in the pack's order, so that a task has one place in all of them.
        flags = [[row.outcome == outcome for row in run.rows if row.kind == kind] for run in self.runs]
        return tuple(map(sum, zip(*flags, strict=True)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestantGroup:
    """Contestants under the same conditions with the same number of runs, in the order of their first start."""

    conditions: Conditions
    runs: int
    contestants: tuple[Contestant, ...]


def contestants_of(reports: Sequence[VerifiedReport]) -> tuple[Contestant, ...]:
    """Return the contestants behind the reports of one exam, in the order of their first run."""
    runs = _collected(reports, lambda report: (report.report.digests.manifest, report.report.digests.solver))
    return tuple(
        Contestant(manifest_sha256=manifest, solver_sha256=solver, runs=tuple(of))
        for (manifest, solver), of in runs.items()
    )


def conditions_of(manifest: Manifest, names: Sequence[Comparable]) -> Conditions:
    """Return the manifest's conditions in the fields that the protocol names; the order of names does not matter."""

    def text(name: Comparable) -> str:
        value: Any = getattr(manifest, name)
        plain = sorted(value) if name in ("tool_whitelist", "env") else value
        return canonical_json(plain).decode().rstrip("\n")

    return tuple((name, text(name)) for name in names)


def grouped(contestants: Sequence[Contestant], same_conditions: Sequence[Comparable]) -> tuple[ContestantGroup, ...]:
    """Return the groups inside which contestants may be tested against each other."""
    groups = _collected(contestants, lambda one: (conditions_of(one.manifest, same_conditions), len(one.runs)))
    return tuple(
        ContestantGroup(conditions=conditions, runs=runs, contestants=tuple(members))
        for (conditions, runs), members in groups.items()
    )


def has_interval(contestant: Contestant, rate: RateName, clusters: Mapping[str, str] | None = None) -> bool:
    """Return whether the rate has an interval over tasks, and its difference from another contestant's has one.

    Over clusters and over repeated runs it has none where there is one cluster, or without clusters one task: how much
    tasks differ cannot be seen in one of them. A single run without clusters has Wilson's whatever the number of tasks.
    """
    if clusters is None and len(contestant.runs) == 1:
        return True
    tasks = contestant.tasks(rate)
    return len(set(tasks if clusters is None else (clusters[task_id] for task_id in tasks))) > 1


def analyse(group: ContestantGroup, rate: RateName, clusters: Mapping[str, str] | None = None) -> PairwiseAnalysis:
    """Return the paired analysis of one group; contestants are named by the id of their first run.

    ``clusters`` are the tasks' clusters by id, where the protocol seals a cluster field.

    Raises:
        ValueError: the rate has no interval (:func:`has_interval`).
    """
    tasks = group.contestants[0].tasks(rate)
    return compare_all(
        [contestant.passes(rate) for contestant in group.contestants],
        [contestant.run_id for contestant in group.contestants],
        runs=group.runs,
        clusters=None if clusters is None else [clusters[task_id] for task_id in tasks],
    )


def _collected(items: Sequence[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return the items by key, keys and items in the order found."""
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found
