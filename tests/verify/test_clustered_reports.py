"""Clusters from the sealed task field to the verified report."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from sitegen.read.protocol import Publish
from sitegen.refusals import Refused
from sitegen.verify.numbers import find_number_faults
from tests.sites import Row, judge, make_protocol, make_run, negative_tasks, ordinary_tasks


def clustered(size: int = 4) -> list[Row]:
    """Tasks of repositories of ``size`` tasks each."""
    rows = [*ordinary_tasks(20), *negative_tasks(10)]
    return [{**row, "repository": f"repo-{i // size}"} for i, row in enumerate(rows)]


CHANGES = {"dataset": {"cluster": "repository"}}


def test_a_clustered_report_states_the_effective_interval_and_verifies(tmp_path: Path) -> None:
    make_protocol(tmp_path, tasks=clustered(), changes=CHANGES)
    run = make_run(tmp_path, "demo.v1", wrong=[f"T-{i:03}" for i in (1, 2, 3, 4, 9)])
    unit = judge(tmp_path, "demo.v1")
    assert not unit.all_refusals
    (report,) = unit.reports
    assert report.report.ci95_method == "wilson-eff"
    assert report.report.clusters == 5
    assert report.card.success.interval.method == "wilson-eff"
    stated = json.loads((tmp_path / "reports/demo.v1" / run.run_id / "report.json").read_text())
    assert stated["n_eff"] == round(report.card.success.clustering.n_eff, 1)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("field", "value"),
    [("n_eff", 20.0), ("clusters", 20), ("ci95_method", None), ("ci95", (0.7638, 0.9912)), ("abstention_n_eff", None)],
)
def test_a_changed_claim_about_clusters_is_refused(tmp_path: Path, field: str, value: object) -> None:
    make_protocol(tmp_path, tasks=clustered(), changes=CHANGES)
    make_run(tmp_path, "demo.v1", wrong=["T-001"])
    (report,) = judge(tmp_path, "demo.v1").reports
    altered = msgspec.structs.replace(report.report, **{field: value})
    found = find_number_faults(altered, report.card, Publish(min_n=20), "report.json")
    assert [(fault.slug, fault.path) for fault in found] == [("interval-mismatch", f"/{field}")]


def test_a_claim_of_clusters_without_a_sealed_field_is_refused(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1", wrong=["T-001"])
    (report,) = judge(tmp_path, "demo.v1").reports
    altered = msgspec.structs.replace(report.report, clusters=5)
    found = find_number_faults(altered, report.card, Publish(min_n=20), "report.json")
    assert [(fault.slug, fault.path) for fault in found] == [("interval-mismatch", "/clusters")]


@pytest.mark.parametrize(
    ("changes", "tasks", "slug"),
    [
        ({**CHANGES, "publish": {"ci_method": "bootstrap"}}, clustered(), "rules-contradict"),
        (CHANGES, [{**row, "repository": "one"} for row in clustered()], "rules-contradict"),
        (CHANGES, clustered()[:-1] + negative_tasks(1, first=99), "field-missing"),
    ],
)
def test_a_cluster_field_that_leaves_no_interval_is_not_sealed(
    tmp_path: Path, changes: dict[str, object], tasks: list[Row], slug: str
) -> None:
    with pytest.raises(Refused) as refused:
        make_protocol(tmp_path, tasks=tasks, changes=changes)
    assert slug in {refusal.slug for refusal in refused.value.refusals}
