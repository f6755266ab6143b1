"""The rows of one protocol, grouped by the conditions that must be the same, and what each group can tell apart."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.compare.groups import (
    Conditions,
    Contestant,
    ContestantGroup,
    RateName,
    analyse,
    conditions_of,
    contestants_of,
    grouped,
    has_interval,
)
from sitegen.compare.paired_wording import NAMES
from sitegen.compare.repeated import repeated_runs
from sitegen.compare.reports import PAIRED
from sitegen.digests import Digest
from sitegen.measure.pairwise import PairwiseAnalysis
from sitegen.measure.power import ALPHA, min_sweep
from sitegen.measure.rounding import round_out, show_p
from sitegen.present.repeating import RepeatedView, repeated_view
from sitegen.present.summary import ReportSummary
from sitegen.present.wording import in_words, listed, signed
from sitegen.read.protocol import SealedProtocol
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the tests of one group say of a contestant: letters, or where 26 do not suffice (``None``) ranks.

    ``ranks`` are the best and the worst that the tests leave open; beside letters they say nothing more.
    """

    letters: str | None
    ranks: tuple[int, int]

    @property
    def rank_text(self) -> str:
        """The range of ranks: ``1–3``, or ``2`` where it is a single one."""
        best, worst = self.ranks
        return str(best) if best == worst else f"{best}–{worst}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One run of a group, and its contestant's standing by success and by abstention where there are tests."""

    report: ReportSummary
    success: Standing | None
    abstention: Standing | None


class PairLine(NamedTuple):
    """One pair of contestants by one rate, as text. A tuple: there are as many as pairs."""

    first: str
    second: str
    wins: int
    losses: int
    difference: str
    low: str
    high: str
    p: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTable:
    """Every pair of a group's contestants by one rate, in the order of the analysis; ``tasks`` is the rate's n."""

    rate: str
    tasks: int
    lines: tuple[PairLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGroup:
    """Runs of one exam under the same conditions, their contestants run equally often, in the order of printing."""

    conditions: tuple[tuple[str, str], ...]
    contestants: int
    runs: int
    rows: tuple[ReportSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Contestants under the same conditions, and all their runs in the order in which they are printed.

    ``success`` and ``abstention`` are two families of tests, each at alpha by itself; ``None`` for one contestant, and
    where a difference has no interval. ``floor`` is the smallest lead, in tasks, that can ever be distinguished by
    success among so many. ``pairs`` holds a table for each family of tests. ``repeated`` holds the contestants that
    were run more than once; ``unsaid`` says in a sentence what is left out of it, and of the tests, for want of an
    interval.
    """

    conditions: tuple[tuple[str, str], ...]
    contestants: int
    runs: int
    rows: tuple[GroupRow, ...]
    success: PairwiseAnalysis | None
    abstention: PairwiseAnalysis | None
    floor: int | None
    pairs: tuple[PairTable, ...]
    repeated: tuple[RepeatedView, ...]
    unsaid: str | None


_SINGLE = {"success": "a single ordinary task", "abstention": "a single negative control"}
"""How few tasks there are where repeated runs have no interval: sealing allows no single cluster of several."""


def groups_of(
    protocol: VerifiedProtocol, reports: Sequence[VerifiedReport], summaries: Sequence[ReportSummary]
) -> tuple[Group, ...]:
    """Return the groups of a protocol's rows; the group of the first row first."""
    rows = {summary.run_id: summary for summary in summaries}
    clusters = protocol.clusters
    parts = grouped(contestants_of(reports), protocol.protocol.publish.same_conditions)
    groups = [_group(part, rows, clusters) for part in parts]
    return tuple(sorted(groups, key=lambda group: group.rows[0].report.order))


def row_groups(document: SealedProtocol, summaries: Sequence[ReportSummary]) -> tuple[RowGroup, ...]:
    """Return rows in the groups of :func:`groups_of`, where nothing but the rows is at hand.

    Args:
        document: the exam.
        summaries: of its published runs, in the order of rows.
    """
    contestants: dict[tuple[Digest, Digest], list[ReportSummary]] = {}
    for row in summaries:
        contestants.setdefault((row.digests.manifest, row.digests.solver), []).append(row)
    groups: dict[tuple[Conditions, int], list[list[ReportSummary]]] = {}
    for runs in contestants.values():
        conditions = conditions_of(runs[0].manifest, document.publish.same_conditions)
        groups.setdefault((conditions, len(runs)), []).append(runs)
    return tuple(
        RowGroup(
            conditions=_shown(conditions),
            contestants=len(members),
            runs=runs,
            rows=tuple(sorted((row for member in members for row in member), key=lambda row: row.order)),
        )
        for (conditions, runs), members in groups.items()
    )


def _group(part: ContestantGroup, rows: Mapping[str, ReportSummary], clusters: Mapping[str, str] | None) -> Group:
    without = [rate for rate in PAIRED if not has_interval(part.contestants[0], rate, clusters)]
    success, abstention = (
        None if len(part.contestants) == 1 or rate in without else analyse(part, rate, clusters) for rate in PAIRED
    )
    of_success, of_abstention = _standings(success), _standings(abstention)
    listed = [
        GroupRow(
            report=rows[run.run_id],
            success=of_success.get(contestant.run_id),
            abstention=of_abstention.get(contestant.run_id),
        )
        for contestant in part.contestants
        for run in contestant.runs
    ]
    return Group(
        conditions=_shown(part.conditions),
        contestants=len(part.contestants),
        runs=part.runs,
        rows=tuple(sorted(listed, key=lambda row: row.report.order)),
        success=success,
        abstention=abstention,
        floor=None if success is None else min_sweep(ALPHA / len(success.pairs)),
        pairs=tuple(
            PairTable(rate=NAMES[rate], tasks=analysis.tasks, lines=_pair_lines(part, analysis))
            for rate, analysis in zip(PAIRED, (success, abstention), strict=True)
            if analysis is not None
        ),
        repeated=tuple(
            repeated_view(found)
            for contestant in part.contestants
            if (found := repeated_runs(contestant, clusters)) is not None
        ),
        unsaid=_unsaid(part, without) if without else None,
    )


def _unsaid(part: ContestantGroup, without: Sequence[RateName]) -> str:
    """Return in a sentence what is not said of repeated runs where the rates ``without`` have no interval, and why."""
    why = f"An interval over repeated runs needs at least two tasks, and there is {_joined(without, _SINGLE, 'and')}"
    apart = f"the {in_words(part.runs)} runs of {{}} are not put together, and each run stands above by itself"
    if len(part.contestants) == 1:
        return f"{why}: {apart.format('this contestant')}."
    return f"{why}: contestants are not compared by {_joined(without, NAMES, 'or')}, {apart.format('each')}."


def _joined(rates: Sequence[RateName], words: Mapping[str, str], word: str) -> str:
    return f" {word} ".join(words[rate] for rate in rates)


def _shown(conditions: Conditions) -> tuple[tuple[str, str], ...]:
    return tuple((name.replace("_", " "), _plain(value)) for name, value in conditions)


def _plain(condition: str) -> str:
    """Return a condition, which is canonical JSON, as a reader would write it."""
    value = json.loads(condition)
    if isinstance(value, list):
        return listed([str(part) for part in value])
    if isinstance(value, dict):
        return listed([f"{key}: {json.dumps(part, ensure_ascii=False)}" for key, part in value.items()])
    return "none" if value is None else str(value)


def _standings(analysis: PairwiseAnalysis | None) -> dict[str, Standing]:
    """Return each contestant's standing by the id of its first run."""
    if analysis is None:
        return {}
    return {
        run_id: Standing(
            letters=None if analysis.letters is None else analysis.letters[place],
            ranks=analysis.family.rank_ranges[place],
        )
        for place, run_id in enumerate(analysis.ids)
    }


def _pair_lines(part: ContestantGroup, analysis: PairwiseAnalysis) -> tuple[PairLine, ...]:
    """Return every pair by one rate, in the order of the analysis."""
    contestants: dict[str, Contestant] = {contestant.run_id: contestant for contestant in part.contestants}
    names = [contestants[run_id].heading for run_id in analysis.ids]
    bounds = [round_out(pair.interval.low, pair.interval.high, 3) for pair in analysis.pairs]
    return tuple(
        PairLine(
            first=names[pair.first],
            second=names[pair.second],
            wins=pair.b,
            losses=pair.c,
            difference=signed(pair.difference),
            low=signed(low),
            high=signed(high),
            p=show_p(pair.adjusted, analysis.alpha),
            verdict="distinguishable" if pair.distinguishable else "not distinguishable",
        )
        for pair, (low, high) in zip(analysis.pairs, bounds, strict=True)
    )
