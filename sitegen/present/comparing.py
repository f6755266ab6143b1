"""The rows of one protocol, grouped by the conditions that must be the same, and what each group can tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.measure.many import DirectionalHolm
from sitegen.measure.pairwise import PairwiseAnalysis, compare_all
from sitegen.measure.power import ALPHA, min_sweep
from sitegen.present.summary import ReportSummary
from sitegen.present.wording import listed
from sitegen.read.manifest import Manifest
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the tests of one group say of one row: letters (``None`` where 26 do not suffice), best and worst rank."""

    letters: str | None
    ranks: tuple[int, int]

    @property
    def rank_text(self) -> str:
        """The range of ranks: ``1–3``, or ``2`` where it is a single one."""
        best, worst = self.ranks
        return str(best) if best == worst else f"{best}–{worst}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One row of a group: the report, and its standing by success and by abstention where there is one."""

    report: ReportSummary
    success: Standing | None
    abstention: Standing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Rows that were made under the same conditions, in the order in which they are printed.

    ``success`` and ``abstention`` are two families of tests, each at alpha by itself; ``None`` for a single row.
    ``floor`` is the smallest lead, in tasks, that can ever be distinguished among so many rows.
    """

    conditions: tuple[tuple[str, str], ...]
    rows: tuple[GroupRow, ...]
    success: PairwiseAnalysis | None
    abstention: PairwiseAnalysis | None
    floor: int | None


def groups_of(
    protocol: VerifiedProtocol, reports: Sequence[VerifiedReport], summaries: Sequence[ReportSummary]
) -> tuple[Group, ...]:
    """Return the groups of a protocol's rows; the group of the first row first."""
    verified = {report.run_id: report for report in reports}
    parts: dict[tuple[tuple[str, str], ...], list[ReportSummary]] = {}
    for summary in sorted(summaries, key=lambda summary: summary.order):
        conditions = tuple(
            (name.replace("_", " "), _condition(summary.manifest, name))
            for name in protocol.protocol.publish.same_conditions
        )
        parts.setdefault(conditions, []).append(summary)
    return tuple(_group(protocol, conditions, rows, verified) for conditions, rows in parts.items())


def _group(
    protocol: VerifiedProtocol,
    conditions: tuple[tuple[str, str], ...],
    rows: Sequence[ReportSummary],
    verified: dict[str, VerifiedReport],
) -> Group:
    if len(rows) == 1:
        alone = GroupRow(report=rows[0], success=None, abstention=None)
        return Group(conditions=conditions, rows=(alone,), success=None, abstention=None, floor=None)
    reports = [verified[row.run_id] for row in rows]
    success = _analysis(protocol, reports, "ordinary", "success")
    abstention = _analysis(protocol, reports, "negative", "abstain_ok")
    of_success, of_abstention = _standings(success), _standings(abstention)
    pairs = len(rows) * (len(rows) - 1) // 2
    return Group(
        conditions=conditions,
        rows=tuple(
            GroupRow(report=row, success=of_success[_id(row)], abstention=of_abstention[_id(row)]) for row in rows
        ),
        success=success,
        abstention=abstention,
        floor=min_sweep(ALPHA / pairs),
    )


def _analysis(
    protocol: VerifiedProtocol, reports: Sequence[VerifiedReport], kind: str, outcome: str
) -> PairwiseAnalysis:
    """Compare all runs on one slice; in the analysis' ids a route comes before its run, as in the order of rows."""
    passes = [[row.outcome == outcome for row in report.rows if row.kind == kind] for report in reports]
    clusters = None
    if protocol.protocol.dataset.cluster is not None:
        name = protocol.protocol.dataset.cluster
        clusters = [str(task.shown[name]) for task in protocol.pack.dataset if task.kind == kind]
    return compare_all(passes, [_id(report) for report in reports], clusters=clusters)


def _id(row: ReportSummary | VerifiedReport) -> str:
    route = row.route if isinstance(row, ReportSummary) else row.report.route
    return f"{route}\n{row.run_id}"


def _standings(analysis: PairwiseAnalysis) -> dict[str, Standing]:
    family: DirectionalHolm = analysis.family
    return {
        name: Standing(
            letters=None if analysis.letters is None else analysis.letters[place], ranks=family.rank_ranges[place]
        )
        for place, name in enumerate(analysis.ids)
    }


def _condition(manifest: Manifest, name: str) -> str:
    value = getattr(manifest, name)
    if isinstance(value, tuple):
        return listed([str(part) for part in value])
    if isinstance(value, dict):
        return listed([f"{key}: {value[key]}" for key in sorted(value)])
    return "none" if value is None else str(value)
