"""Rows taken as stated are still held to the sealed pack and to the null pack's classes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import canonical_json, sha256
from tests.sites import judge, make_protocol, make_run


@pytest.mark.parametrize(
    ("change", "slug"),
    [
        (lambda report: report["tasks"].pop(), "task-missing"),
        (lambda report: report["tasks"][0].update(id="X"), "task-unknown"),
        (lambda report: report["tasks"][0].update(outcome="excellent"), "outcome-unknown"),
        (lambda report: report["tasks"][0].update(outcome="abstain_ok"), "outcome-unknown"),
        (lambda report: report["tasks"][-1].update(outcome="success"), "outcome-unknown"),
        (lambda report: report["tasks"][0].update(kind="negative", outcome="abstain_ok"), "outcome-disagrees"),
        (lambda report: report["null_pack_rows"].pop(), "null-row-missing"),
        (lambda report: report["null_pack_rows"][0].update(id="X"), "null-row-unknown"),
        (lambda report: report["null_pack_rows"][0].update(observed="failed"), "null-pack-claim-only"),
        (lambda report: report["null_pack_rows"][0].update(expected_class="must_fail"), "null-pack-class"),
        (lambda report: report.update(mean=0.1), "rate-mismatch"),
    ],
)
def test_a_row_that_cannot_be_is_refused(change: Callable[[dict[str, Any]], None], slug: str, tmp_path: Path) -> None:
    """The ledger's end is made to fit the changed report, as a dishonest owner could before anything was published."""
    make_protocol(tmp_path, "demo.v1")
    run = tmp_path / "reports" / "demo.v1" / make_run(tmp_path, "demo.v1", "alpha").run_id
    transcripts = (run / "transcripts.jsonl").read_bytes()
    (run / "transcripts.jsonl").unlink()
    (run / "evidence.yaml").write_text(
        "schema: agent-bench-evidence/v1\nfiles:\n  transcripts.jsonl:\n"
        f'    sha256: "{sha256(transcripts)}"\n    size: {len(transcripts)}\n    url: "https://example.org/t"\n'
    )
    report = json.loads((run / "report.json").read_bytes())
    change(report)
    data = canonical_json(report)
    (run / "report.json").write_bytes(data)
    ledger = tmp_path / "reports" / "demo.v1" / "ledger"
    (end,) = [path for path in ledger.iterdir() if '"event":"end"' in path.read_text()]
    event = canonical_json({**json.loads(end.read_bytes()), "report_sha256": sha256(data)})
    end.unlink()
    (ledger / f"{sha256(event)}.json").write_bytes(event)
    found = judge(tmp_path, "demo.v1").all_refusals
    assert slug in {refusal.slug for refusal in found}
    assert ("null-pack-class" in {refusal.slug for refusal in found}) == (slug == "null-pack-class")
