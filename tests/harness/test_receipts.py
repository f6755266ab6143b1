"""A receipt of re-scoring is written only where the metric says again what the report states."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.cli import main
from sitegen.refusals import Refused
from tests.sites import judge, make_protocol, make_run

METRIC = """from pathlib import Path

def score(result, oracle_path):
    return {"pass": result.strip() == Path(oracle_path).read_text().strip(), "metric": "own"}
"""
COUNTING = """from pathlib import Path

def score(result, oracle_path):
    return {"pass": Path(FLAG).exists() or result == Path(oracle_path).read_text(), "metric": "fickle"}
"""


def test_a_run_reaches_the_publishers_level_by_a_receipt(tmp_path: Path) -> None:
    make_protocol(tmp_path, metric=METRIC)
    make_run(tmp_path, "demo.v1", wrong=("T-001",))
    assert [report.level for report in judge(tmp_path, "demo.v1").reports] == ["numbers"]
    assert main(["verify", str(tmp_path), "--rescore", "--quiet"]) == 0
    assert [report.level for report in judge(tmp_path, "demo.v1").reports] == ["re-scored by the publisher"]


def test_a_metric_that_changes_its_mind_gets_no_receipt(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    make_protocol(tmp_path / "site", metric=COUNTING.replace("FLAG", repr(str(flag))))
    make_run(tmp_path / "site", "demo.v1", wrong=("T-001",))
    flag.write_text("")
    assert main(["verify", str(tmp_path / "site"), "--rescore", "--quiet"]) == 1
    assert not list((tmp_path / "site").rglob("receipt.json"))


def test_a_receipt_of_another_report_is_a_fault(tmp_path: Path) -> None:
    make_protocol(tmp_path, metric=METRIC)
    closed = make_run(tmp_path, "demo.v1")
    assert main(["verify", str(tmp_path), "--rescore", "--quiet"]) == 0
    receipt = tmp_path / "reports/demo.v1" / closed.run_id / "receipt.json"
    receipt.write_bytes(receipt.read_bytes().replace(str(closed.report_sha256).encode(), b"0" * 64))
    refusals = judge(tmp_path, "demo.v1").all_refusals
    assert {refusal.slug for refusal in refusals} == {"evidence-mismatch"}


def test_a_shipped_metric_needs_no_receipt(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1")
    assert main(["verify", str(tmp_path), "--rescore", "--quiet"]) == 0
    assert not list(tmp_path.rglob("receipt.json"))
    assert [report.level for report in judge(tmp_path, "demo.v1").reports] == ["re-scored"]


def test_the_sealed_metric_is_asked_and_not_a_changed_one(tmp_path: Path) -> None:
    make_protocol(tmp_path, metric=METRIC)
    make_run(tmp_path, "demo.v1")
    unit = judge(tmp_path, "demo.v1")
    metric = tmp_path / "protocols/demo.v1/metric.py"
    metric.write_text(METRIC.replace("==", "!="))
    from sitegen.harness.receipts import write_receipts

    with pytest.raises(Refused, match="metric-drift"):
        list(write_receipts(tmp_path, unit))
