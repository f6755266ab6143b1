"""How far outcomes were recomputed: from the numbers, by a shipped metric, by the publisher, or by a recorded judge."""

from __future__ import annotations

from sitegen.read.files import SourceFile
from sitegen.read.library import RECEIPT_NAME
from sitegen.read.report import REPORT_NAME
from sitegen.read.shipped import shipped_metric
from sitegen.read.verdicts import read_receipt
from sitegen.refusals import Refusal, Refused
from sitegen.verify.evidence import Evidence
from sitegen.verify.verified import Level


def level_of(evidence: Evidence) -> tuple[Level, list[Refusal]]:
    """Return the level that this run reaches, and what is wrong with a receipt that it carries."""
    metric = evidence.protocol.protocol.metric
    source = evidence.folder.files.get(RECEIPT_NAME)
    found = [] if source is None else _receipt_faults(evidence, source)
    if not metric.deterministic:
        return "judge-recorded", found
    if evidence.absent:
        return "numbers", found
    if shipped_metric(metric.sha256) is not None:
        return "re-scored", found
    return "numbers" if source is None or found else "re-scored by the publisher", found


def _receipt_faults(evidence: Evidence, source: SourceFile) -> list[Refusal]:
    try:
        receipt = read_receipt(source)
    except Refused as refused:
        return list(refused.refusals)
    metric = evidence.protocol.protocol.metric
    named = (
        ("/run_id", receipt.run_id, evidence.report.run_id),
        ("/report_sha256", receipt.report_sha256, evidence.folder.files[REPORT_NAME].sha256),
        ("/metric_sha256", receipt.metric_sha256, metric.sha256),
        ("/transcripts_sha256", receipt.transcripts_sha256, evidence.report.digests.transcripts),
    )
    return [
        Refusal(slug="evidence-mismatch", file=source.path, path=path, expected=expected, found=stated)
        for path, stated, expected in named
        if stated != expected
    ]


def level_faults(evidence: Evidence, level: Level) -> list[Refusal]:
    """Return ``evidence-level`` where the protocol asks for re-scoring and this run was not re-scored.

    Of transcripts that are gone, which is a fault by itself, it is not asked.
    """
    asked = evidence.protocol.protocol.publish.require_level == "re-scored"
    if asked and not level.startswith("re-scored") and not evidence.lost:
        return [Refusal(slug="evidence-level", file=evidence.report_path, expected="re-scored", found=level)]
    return []
