"""The rows of one protocol, grouped by the conditions that must be the same, and what each group can tell apart."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.compare.groups import Contestant, ContestantGroup, analyse, contestants_of, grouped
from sitegen.compare.repeated import repeated_runs
from sitegen.measure.pairwise import PairwiseAnalysis
from sitegen.measure.power import ALPHA, min_sweep
from sitegen.measure.rounding import show_p
from sitegen.present.repeating import RepeatedView, repeated_view
from sitegen.present.summary import ReportSummary
from sitegen.present.wording import listed, signed
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the tests of one group say of a contestant: letters (``None`` where 26 do not suffice), and ranks."""

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
    """One pair of contestants by task success, as text. A tuple: there are as many as pairs."""

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
class Group:
    """Contestants under the same conditions, and all their runs in the order in which they are printed.

    ``success`` and ``abstention`` are two families of tests, each at alpha by itself; ``None`` for one contestant.
    ``floor`` is the smallest lead, in tasks, that can ever be distinguished among so many. ``repeated`` holds the
    contestants that were run more than once.
    """

    conditions: tuple[tuple[str, str], ...]
    contestants: int
    runs: int
    rows: tuple[GroupRow, ...]
    success: PairwiseAnalysis | None
    abstention: PairwiseAnalysis | None
    floor: int | None
    pairs: tuple[PairLine, ...]
    repeated: tuple[RepeatedView, ...]


def groups_of(
    protocol: VerifiedProtocol, reports: Sequence[VerifiedReport], summaries: Sequence[ReportSummary]
) -> tuple[Group, ...]:
    """Return the groups of a protocol's rows; the group of the first row first."""
    rows = {summary.run_id: summary for summary in summaries}
    clusters = protocol.clusters
    parts = grouped(contestants_of(reports), protocol.protocol.publish.same_conditions)
    groups = [_group(part, rows, clusters) for part in parts]
    return tuple(sorted(groups, key=lambda group: group.rows[0].report.order))


def _group(part: ContestantGroup, rows: Mapping[str, ReportSummary], clusters: Mapping[str, str] | None) -> Group:
    alone = len(part.contestants) == 1
    success = None if alone else analyse(part, "success", clusters)
    abstention = None if alone else analyse(part, "abstention", clusters)
    of_success, of_abstention = _standings(success), _standings(abstention)
    pairs = len(part.contestants) * (len(part.contestants) - 1) // 2
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
        conditions=tuple((name.replace("_", " "), _plain(value)) for name, value in part.conditions),
        contestants=len(part.contestants),
        runs=part.runs,
        rows=tuple(sorted(listed, key=lambda row: row.report.order)),
        success=success,
        abstention=abstention,
        floor=min_sweep(ALPHA / pairs) if pairs else None,
        pairs=_pair_lines(part, success),
        repeated=tuple(
            repeated_view(found)
            for contestant in part.contestants
            if (found := repeated_runs(contestant, clusters)) is not None
        ),
    )


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


def _pair_lines(part: ContestantGroup, analysis: PairwiseAnalysis | None) -> tuple[PairLine, ...]:
    """Return every pair by task success, in the order of the analysis."""
    if analysis is None:
        return ()
    contestants: dict[str, Contestant] = {contestant.run_id: contestant for contestant in part.contestants}
    names = [contestants[run_id].heading for run_id in analysis.ids]
    return tuple(
        PairLine(
            first=names[pair.first],
            second=names[pair.second],
            wins=pair.b,
            losses=pair.c,
            difference=signed(pair.difference),
            low=signed(pair.interval.low),
            high=signed(pair.interval.high),
            p=show_p(pair.adjusted, analysis.alpha),
            verdict="distinguishable" if pair.distinguishable else "not distinguishable",
        )
        for pair in analysis.pairs
    )
