"""Two runs under two versions of an exam, on the tasks that both versions share: allowed only under conditions.

A difference of headline rates mixes a change of contestant with a change of exam, so there is none here. On the common
tasks a paired comparison is allowed where metric, budget, decoder settings, retry limit and tool whitelist are the same
and the common tasks reach both floors and lie in more than one cluster; what it says, it says of these tasks only
(statistics.md section 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sitegen.compare.groups import COUNTED, conditions_of
from sitegen.compare.pairs import PairedSlice, pair
from sitegen.compare.reports import PAIRED, NotCompared
from sitegen.compare.versions import ProtocolVersion
from sitegen.digests import Digest
from sitegen.read.manifest import Manifest
from sitegen.read.protocol import Comparable
from sitegen.verify.verified import VerifiedReport

SAME: tuple[Comparable, ...] = ("temperature", "decoder", "retry_limit", "tool_whitelist")
"""Manifest fields that must be the same: decoder settings, retry limit and tool whitelist."""


_KINDS = {"success": "ordinary task", "abstention": "negative control"}
"""What each compared rate is over, one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcomes:
    """One published run, reduced to what a comparison across versions needs.

    ``start`` is its start's digest: a run and its re-scoring have the same. ``passed`` are the ids of the tasks with
    the outcome that their slice's rate counts.
    """

    protocol_id: str
    run_id: str
    manifest: Manifest = field(repr=False)
    manifest_sha256: Digest
    solver_sha256: Digest
    start: Digest
    passed: frozenset[str] = field(repr=False)

    @property
    def contestant(self) -> tuple[Digest, Digest]:
        """Manifest and solver: runs that share both are runs of one contestant."""
        return self.manifest_sha256, self.solver_sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonTasks:
    """A contestant of one version and one of another on the tasks that are the same in both.

    ``first`` and ``second`` are the ids of their runs, as many of the one as of the other. ``sizes`` holds for each
    slice how many tasks are common, and how many the first and the second version have.
    """

    versions: tuple[str, str]
    route: tuple[str, str]
    first: tuple[str, ...]
    second: tuple[str, ...]
    sizes: Mapping[str, tuple[int, int, int]]
    slices: tuple[PairedSlice, ...]

    @property
    def heading(self) -> str:
        """The words that stand above the comparison; no headline rate stands beside it."""
        parts = [f"{common} of {n} and {m} ({name})" for name, (common, n, m) in self.sizes.items()]
        return f"Common tasks only: {', '.join(parts)}"

    @property
    def caveat(self) -> str:
        """What the comparison does not say."""
        common = sum(size[0] for size in self.sizes.values())
        return f"It says nothing about tasks outside these {common}."


def outcomes_of(report: VerifiedReport) -> RunOutcomes:
    """Return the outcomes of a verified report."""
    counted = {COUNTED[name] for name in PAIRED}
    return RunOutcomes(
        protocol_id=report.report.protocol_id,
        run_id=report.run_id,
        manifest=report.manifest,
        manifest_sha256=report.report.digests.manifest,
        solver_sha256=report.report.digests.solver,
        start=report.start,
        passed=frozenset(row.id for row in report.rows if (row.kind, row.outcome) in counted),
    )


def common_tasks(old: ProtocolVersion, new: ProtocolVersion) -> dict[str, tuple[str, ...]]:
    """Return the ids of the tasks whose whole content is the same in both versions, by slice, in the old order."""
    same = [
        task_id
        for task_id, question in old.exposure.dataset.items()
        if new.exposure.dataset.get(task_id) == question and new.answers[task_id] == old.answers[task_id]
    ]
    return {
        "success": tuple(task_id for task_id in same if task_id in old.ordinary),
        "abstention": tuple(task_id for task_id in same if task_id not in old.ordinary),
    }


def find_obstacles(old: ProtocolVersion, new: ProtocolVersion) -> Iterator[str]:
    """Yield every reason, in a sentence, why no two runs of these versions may be compared on common tasks."""
    if (old.protocol.metric.sha256, old.others) != (new.protocol.metric.sha256, new.others):
        yield "The metrics differ, or the files that they may import."
    if old.protocol.budget != new.protocol.budget:
        yield "The budgets differ."
    if old.exposure.artifact != new.exposure.artifact:
        yield "Another artifact is scored."
    if old.protocol.dataset.cluster != new.protocol.dataset.cluster:
        yield "The tasks are clustered by another field."
    floors = {
        "success": max(old.protocol.publish.min_n, new.protocol.publish.min_n),
        "abstention": max(old.protocol.publish.min_n_negative, new.protocol.publish.min_n_negative),
    }
    for name, tasks in common_tasks(old, new).items():
        if len(tasks) < floors[name]:
            yield f"{_only(name, len(tasks))}; the floor is {floors[name]}."
        if old.clusters is not None and len({old.clusters[task_id] for task_id in tasks}) == 1:
            yield f"The common {_KINDS[name]}s are all in one cluster; an interval needs at least two."


def _only(name: str, count: int) -> str:
    kind = _KINDS[name]
    return f"Only 1 {kind} is common" if count == 1 else f"Only {count} {kind}s are common"


def compare_common(
    old: ProtocolVersion, new: ProtocolVersion, first: Sequence[RunOutcomes], second: Sequence[RunOutcomes]
) -> CommonTasks | NotCompared:
    """Compare the runs of one contestant under ``old`` with those of one under ``new`` on the common tasks.

    Repeated runs have an interval over two common tasks of a rate or more; a single one is not compared.

    Args:
        old: a version.
        new: another.
        first: all runs of one manifest and solver under ``old``.
        second: all runs of one manifest and solver under ``new``.
    """
    reasons = [*find_obstacles(old, new), *_differing(first[0].manifest, second[0].manifest)]
    if len(first) != len(second):
        reasons.append(f"The contestants were run {len(first)} and {len(second)} times.")
    if {run.start for run in first} & {run.start for run in second}:
        reasons.append("The one holds answers of the other, scored again.")
    common = common_tasks(old, new)
    if len(first) > 1:
        reasons += [
            f"{_only(name, 1)}; an interval over repeated runs needs at least 2."
            for name, tasks in common.items()
            if len(tasks) == 1
        ]
    if reasons:
        return NotCompared(reasons=tuple(reasons))
    ordinary = (len(old.ordinary), len(new.ordinary))
    negative = (len(old.answers) - ordinary[0], len(new.answers) - ordinary[1])
    return CommonTasks(
        versions=(old.protocol_id, new.protocol_id),
        route=(first[0].manifest.route, second[0].manifest.route),
        first=tuple(run.run_id for run in first),
        second=tuple(run.run_id for run in second),
        sizes={
            "success": (len(common["success"]), *ordinary),
            "abstention": (len(common["abstention"]), *negative),
        },
        slices=tuple(_slice(old, name, common[name], first, second) for name in PAIRED),
    )


def _differing(first: Manifest, second: Manifest) -> Iterator[str]:
    for (name, before), (_, after) in zip(conditions_of(first, SAME), conditions_of(second, SAME), strict=True):
        if before != after:
            yield f"The manifests differ in {name}: {before} and {after}."


def _slice(
    version: ProtocolVersion,
    name: str,
    tasks: Sequence[str],
    first: Sequence[RunOutcomes],
    second: Sequence[RunOutcomes],
) -> PairedSlice:
    return pair(
        name,
        tasks,
        [sum(task_id in run.passed for run in first) for task_id in tasks],
        [sum(task_id in run.passed for run in second) for task_id in tasks],
        runs=len(first),
        clusters=None if version.clusters is None else [version.clusters[task_id] for task_id in tasks],
    )
