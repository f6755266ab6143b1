"""A run's outcomes and its scorecard, counted again as far as what is here can tell them.

Outcomes follow from the transcripts. Where these, the manifest or a recorded verdict cannot be judged by, which is a
fault by itself, or are not here, the report is still held to its own rows: one fault does not hide another.
"""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.measure.scorecard import Scorecard, scorecard_of
from sitegen.measure.scoring import satisfied
from sitegen.read.report import TaskStated
from sitegen.refusals import Refusal, Refused
from sitegen.verify.as_stated import null_rows_as_stated, rows_as_stated
from sitegen.verify.evidence import Evidence
from sitegen.verify.outcomes import Passes, is_countable, null_pack_faults, recomputed_rows, verdicts_for
from sitegen.verify.withheld import clustered_as_stated, find_withheld_row_faults


def counted_rows(evidence: Evidence) -> tuple[list[TaskStated], list[Refusal]]:
    """Return every task's row, and what is wrong with the rows or with the null pack."""
    gate = list(stated_gate(evidence))
    if evidence.protocol.withheld:
        report = evidence.report
        return list(report.tasks), [
            *gate,
            *find_withheld_row_faults(evidence.protocol, report, evidence.report_path),
        ]
    passes = verdicts_for(evidence)
    rows, found = _rows(evidence, passes)
    places = {(fault.slug, fault.file, fault.path) for fault in found}
    # A verdict that is missing everywhere is missing in the null pack too: that is one fault.
    others = [fault for fault in _null_rows(evidence, passes) if (fault.slug, fault.file, fault.path) not in places]
    return rows, [*found, *gate, *others]


def _rows(evidence: Evidence, passes: Passes) -> tuple[list[TaskStated], list[Refusal]]:
    if not evidence.covered or evidence.manifest is None:
        return rows_as_stated(evidence)
    try:
        return recomputed_rows(evidence, passes)
    except Refused as refused:
        rows, found = rows_as_stated(evidence)
        return rows, [*refused.refusals, *found]


def _null_rows(evidence: Evidence, passes: Passes) -> list[Refusal]:
    if not evidence.covered:
        return list(null_rows_as_stated(evidence))
    try:
        return null_pack_faults(evidence, passes)
    except Refused as refused:
        return [*refused.refusals, *null_rows_as_stated(evidence)]


def stated_gate(evidence: Evidence) -> Iterator[Refusal]:
    """Yield ``null-pack-claim-only`` for a report that says that its null pack failed, though each of its rows passed.

    A run whose null pack fails ends without a report; a bad one is not taken back in this way.
    """
    report = evidence.report
    if report.null_pack == "fail" and all(satisfied(row.expected_class, row.observed) for row in report.null_pack_rows):
        file, expected = evidence.report_path, "pass, as every row did what its class asks"
        yield Refusal(slug="null-pack-claim-only", file=file, path="/null_pack", expected=expected, found="fail")


def counted_card(
    evidence: Evidence, rows: list[TaskStated], as_published: bool
) -> tuple[Scorecard | None, list[Refusal]]:
    """Return the scorecard of the rows, and what is wrong with intervals that are taken as stated.

    There is none where rows are missing or of the wrong slice, which has been named, nor where clusters are withheld.

    Args:
        evidence: what the rows are of.
        rows: as :func:`counted_rows` gives them.
        as_published: take intervals over clusters, which are withheld on a published site, as the report states them.
    """
    protocol, report = evidence.protocol, evidence.report
    seal, method = protocol.protocol.seal, protocol.protocol.publish.ci_method
    if not is_countable(rows, seal) or sum(row.kind == "ordinary" for row in rows) != seal.n:
        return None, []
    if as_published and protocol.protocol.dataset.cluster is not None:
        card = scorecard_of(rows, report.null_pack_rows, method)
        return clustered_as_stated(card, report, evidence.report_path)
    try:
        clusters = protocol.clusters
    except Refused as refused:
        return None, list(refused.refusals)
    return scorecard_of(rows, report.null_pack_rows, method, clusters), []
