"""A judge's verdicts and the receipts of re-scoring."""

from __future__ import annotations

from sitegen.digests import canonical_json
from sitegen.read.verdicts import Verdict, read_receipt, read_verdicts, write_verdict
from tests.read.sources import faults, source

RECEIPT = {
    "schema": "agent-bench-receipt/v1",
    "run_id": "run-000001",
    "report_sha256": "0" * 64,
    "metric_sha256": "1" * 64,
    "transcripts_sha256": "2" * 64,
    "tool": "sitegen 0.1.0",
    "time": "2026-11-30T09:32:00Z",
}


def test_a_verdict_is_written_and_read_alike() -> None:
    verdicts = (
        Verdict(task_id="a", pack="dataset", passed=True, model="judge-1", reply="yes\n"),
        Verdict(task_id="b", pack="null_pack", passed=False),
    )
    data = b"".join(write_verdict(verdict) for verdict in verdicts)
    assert b'"pass":true' in data
    assert read_verdicts(source(data, "verdicts.jsonl")) == verdicts


def test_a_verdict_is_true_or_false_and_nothing_else() -> None:
    line = '{"task_id": "a", "pack": "dataset", "pass": "false"}\n'
    assert faults(read_verdicts, source(line, "verdicts.jsonl")) == [("field-type", "line 1/pass")]


def test_a_receipt_names_all_that_it_was_made_of() -> None:
    assert read_receipt(source(canonical_json(RECEIPT))).metric_sha256 == "1" * 64
    for name in RECEIPT:
        value = {key: part for key, part in RECEIPT.items() if key != name}
        assert faults(read_receipt, source(canonical_json(value))) == [("field-missing", f"/{name}")]
