"""Re-score published runs with their sealed metrics, and leave a receipt that a build can show.

A build never runs a protocol's code. The publisher may, here; the receipt says so, and names what it was done to.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sitegen.digests import canonical_json
from sitegen.harness.clock import now
from sitegen.harness.closing import TOOL
from sitegen.harness.disk import write_file
from sitegen.harness.marking import Marker
from sitegen.measure.scoring import BY_METRIC, limits_of, observation, outcome_of, settled
from sitegen.read.library import PROTOCOLS, RECEIPT_NAME
from sitegen.read.report import REPORT_NAME
from sitegen.read.shipped import shipped_metric
from sitegen.refusals import Refusal, Refused
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport, VerifiedUnit


def write_receipts(root: Path, unit: VerifiedUnit) -> Iterator[str]:
    """Re-score every report whose metric a build cannot run, and yield the id of each that holds.

    Raises:
        Refused: ``outcome-disagrees`` where the metric says otherwise now, or ``metric-failed``.
        OSError: a receipt cannot be written.
    """
    protocol = unit.protocol
    if protocol is None or not protocol.protocol.metric.deterministic:
        return
    if shipped_metric(protocol.protocol.metric.sha256) is not None:
        return  # a build re-scores these itself
    folder = root / PROTOCOLS / protocol.protocol_id
    for report in unit.reports:
        faults = find_disagreements(protocol, report, folder)
        if faults:
            raise Refused(faults)
        receipt = {
            "schema": "agent-bench-receipt/v1",
            "run_id": report.run_id,
            "report_sha256": report.sha256,
            "metric_sha256": protocol.protocol.metric.sha256,
            "transcripts_sha256": report.report.digests.transcripts,
            "tool": TOOL,
            "time": now(),
        }
        write_file(root / report.folder.path / RECEIPT_NAME, canonical_json(receipt))
        yield report.run_id


def find_disagreements(protocol: VerifiedProtocol, report: VerifiedReport, folder: Path) -> list[Refusal]:
    """Run the metric over a report's answers; ``outcome-disagrees`` for each that it judges otherwise.

    ``folder`` holds the protocol's files. Nothing is asked of a judge: its verdicts cannot be repeated.

    Raises:
        Refused: ``metric-failed``.
    """
    if not protocol.protocol.metric.deterministic:
        return []
    with Marker(protocol.protocol, protocol.pack, folder) as marker:
        return [*_task_faults(protocol, report, marker), *_null_row_faults(protocol, report, marker)]


def _task_faults(protocol: VerifiedProtocol, report: VerifiedReport, marker: Marker) -> Iterator[Refusal]:
    limits = limits_of(protocol.protocol.budget, report.manifest)
    stated = {row.id: row.outcome for row in report.rows}
    for task in protocol.pack.ordinary:
        transcript = report.transcripts[task.id]
        if stated[task.id] not in BY_METRIC:
            continue  # no answer of the metric's, and verified before
        asked = partial(marker.verdict, task, transcript.artifact or "")
        made = settled(partial(outcome_of, "ordinary", transcript, limits), asked)
        if made != stated[task.id]:
            yield _disagreement(report, f"task {task.id}", made, stated[task.id])


def _null_row_faults(protocol: VerifiedProtocol, report: VerifiedReport, marker: Marker) -> Iterator[Refusal]:
    stated = {row.id: row.observed for row in report.card.null_rows}
    for row in protocol.pack.null_pack:
        transcript = report.null_transcripts[row.id]
        asked = partial(marker.verdict, row, transcript.artifact or "")
        made = settled(partial(observation, row, transcript), asked)
        if made != stated[row.id]:
            yield _disagreement(report, f"null-pack row {row.id}", made, stated[row.id])


def _disagreement(report: VerifiedReport, place: str, expected: str | None, found: str) -> Refusal:
    file = f"{report.folder.path}/{REPORT_NAME}"
    return Refusal(slug="outcome-disagrees", file=file, path=place, expected=expected, found=found)
