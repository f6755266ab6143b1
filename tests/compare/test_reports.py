"""Two reports of one protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.compare.reports import NotCompared, PairedReports, compare_reports
from sitegen.measure.paired import bonett_price
from tests.sites import judge, make_protocol, make_run


def compared(root: Path) -> PairedReports | NotCompared:
    unit = judge(root, "demo.v1")
    assert unit.protocol is not None
    by_route = {report.report.route: report for report in unit.reports}
    return compare_reports(unit.protocol, by_route["alpha-1.0"], by_route["beta-1.0"])


def test_success_and_abstention_are_compared_separately_task_by_task(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1", "alpha", wrong=["T-001"], invalid=["N-001", "N-002"])
    make_run(tmp_path, "demo.v1", "beta", wrong=[f"T-{i:03}" for i in range(1, 9)], abstained=["T-020"])
    found = compared(tmp_path)
    assert isinstance(found, PairedReports)
    success, abstention = found.slices
    assert (success.b, success.c, success.n11, success.n00, success.n) == (8, 0, 11, 1, 20)
    assert success.only_first == (*(f"T-{i:03}" for i in range(2, 9)), "T-020")
    assert success.p == pytest.approx(2 / 2**8)
    assert (success.interval.low, success.interval.high) == bonett_price(8, 0, 20)
    assert success.verdict == "distinguishable: A ahead"
    assert (abstention.b, abstention.c, abstention.n) == (0, 2, 10)
    assert abstention.ahead is None
    assert not found.identical
    assert found.tasks[-1].task_id == "N-010"
    assert {(task.first, task.second) for task in found.tasks if task.task_id == "N-001"} == {
        ("invalid_completion", "abstain_ok")
    }


def test_manifests_that_differ_in_a_sealed_condition_are_not_compared(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1", "alpha", retry_limit=1)
    make_run(tmp_path, "demo.v1", "beta", retry_limit=0)
    found = compared(tmp_path)
    assert isinstance(found, NotCompared)
    assert "retry_limit" in found.reasons[0]


def test_the_sealed_conditions_decide_which_fields_matter(tmp_path: Path) -> None:
    make_protocol(tmp_path, changes={"publish": {"same_conditions": ["temperature"]}})
    make_run(tmp_path, "demo.v1", "alpha", retry_limit=1)
    make_run(tmp_path, "demo.v1", "beta", retry_limit=0)
    found = compared(tmp_path)
    assert isinstance(found, PairedReports)
    assert found.identical
    assert not found.same_contestant


def test_clusters_change_the_test(tmp_path: Path) -> None:
    from tests.verify.test_clustered_reports import CHANGES, clustered

    make_protocol(tmp_path, tasks=clustered(), changes=CHANGES)
    make_run(tmp_path, "demo.v1", "alpha")
    make_run(tmp_path, "demo.v1", "beta", wrong=[f"T-{i:03}" for i in range(1, 13)])
    found = compared(tmp_path)
    assert isinstance(found, PairedReports)
    assert found.slices[0].test == "sign-flip-exact"
    assert found.slices[0].p == 0.25
