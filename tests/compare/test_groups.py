"""Contestants are a manifest and a solver; groups are what may be tested against each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.compare.groups import COUNTED, analyse, conditions_of, contestants_of, grouped, has_interval
from sitegen.measure.paired import mcnemar_exact
from tests.sites import judge, make_protocol, make_run


@pytest.fixture
def site(tmp_path: Path) -> Path:
    make_protocol(tmp_path)
    return tmp_path


def test_runs_of_one_manifest_and_solver_are_one_contestant_with_all_its_runs(site: Path) -> None:
    first = make_run(site, "demo.v1", "alpha", wrong=["T-001"])
    make_run(site, "demo.v1", "beta")
    last = make_run(site, "demo.v1", "alpha", wrong=["T-001", "T-002"])
    alpha, beta = contestants_of(judge(site, "demo.v1").reports)
    assert {run.run_id for run in alpha.runs} == {first.run_id, last.run_id}
    assert len(beta.runs) == 1
    assert alpha.passes("success")[:3] == (0, 1, 2)
    assert alpha.passes("abstention") == (2,) * 10


def test_another_setting_is_another_contestant(site: Path) -> None:
    make_run(site, "demo.v1", "alpha", temperature=0.0)
    make_run(site, "demo.v1", "alpha", temperature=1.0)
    assert len(contestants_of(judge(site, "demo.v1").reports)) == 2


def test_contestants_under_other_conditions_or_with_other_numbers_of_runs_stand_apart(site: Path) -> None:
    for name, retries in (("alpha", 0), ("beta", 0), ("gamma", 2), ("delta", 0), ("delta", 0)):
        make_run(site, "demo.v1", name, retry_limit=retries)
    reports = judge(site, "demo.v1").reports
    groups = grouped(contestants_of(reports), ("retry_limit", "tool_whitelist"))
    named = {
        (group.conditions[0], group.runs): sorted(one.manifest.route for one in group.contestants) for group in groups
    }
    assert named == {
        (("retry_limit", "0"), 1): ["alpha-1.0", "beta-1.0"],
        (("retry_limit", "2"), 1): ["gamma-1.0"],
        (("retry_limit", "0"), 2): ["delta-1.0"],
    }


def test_the_order_of_a_whitelist_is_no_condition_but_that_of_a_command_is(site: Path) -> None:
    make_run(site, "demo.v1", "alpha", tool_whitelist=["a", "b"], command=["bash", "x"])
    make_run(site, "demo.v1", "beta", tool_whitelist=["b", "a"], command=["x", "bash"])
    one, other = (report.manifest for report in judge(site, "demo.v1").reports)
    assert conditions_of(one, ("tool_whitelist",)) == conditions_of(other, ("tool_whitelist",))
    assert conditions_of(one, ("command",)) != conditions_of(other, ("command",))


def test_a_group_is_analysed_as_one_family_per_rate(site: Path) -> None:
    make_run(site, "demo.v1", "alpha")
    make_run(site, "demo.v1", "beta", wrong=[f"T-{i:03}" for i in range(1, 9)], invalid=["N-001"])
    (group,) = grouped(contestants_of(judge(site, "demo.v1").reports), ("retry_limit",))
    success, abstention = analyse(group, "success"), analyse(group, "abstention")
    assert success.pairs[0].adjusted == pytest.approx(mcnemar_exact(8, 0))
    assert success.letters == ("a", "b")
    assert abstention.letters == ("a", "a")


def test_a_rate_over_repeated_runs_has_an_interval_from_two_tasks_on(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=2, negative=1)
    make_run(tmp_path, "demo.v1")
    (single,) = contestants_of(judge(tmp_path, "demo.v1").reports)
    assert [has_interval(single, rate) for rate in COUNTED] == [True] * 4
    make_run(tmp_path, "demo.v1")
    (twice,) = contestants_of(judge(tmp_path, "demo.v1").reports)
    assert {rate: has_interval(twice, rate) for rate in COUNTED} == {
        "success": True,
        "abstention": False,
        "invalid": False,
        "false_abstention": True,
    }


def test_clusters_are_counted_where_there_are_any(site: Path) -> None:
    """Single runs too: over clusters the interval is that of the clusters."""
    make_run(site, "demo.v1")
    (contestant,) = contestants_of(judge(site, "demo.v1").reports)
    tasks = (*contestant.tasks("success"), *contestant.tasks("abstention"))
    one = {task_id: task_id[0] for task_id in tasks}  # all ordinary tasks in T, all controls in N
    assert not has_interval(contestant, "success", one)
    assert not has_interval(contestant, "abstention", one)
    assert has_interval(contestant, "success", {**one, "T-020": "other"})
    assert not has_interval(contestant, "abstention", {**one, "T-020": "other"})
