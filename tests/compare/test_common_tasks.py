"""Common tasks of two versions: the mandatory example of the statistics' section 6, and every condition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitegen.compare.common_tasks import CommonTasks, compare_common, find_obstacles, outcomes_of
from sitegen.compare.reports import NotCompared
from sitegen.compare.versions import ProtocolVersion, version_of
from sitegen.harness.rescoring import rescore_run
from sitegen.measure.paired import bonett_price, mcnemar_exact
from tests.sites import judge, make_protocol, make_run, negative_tasks, ordinary_tasks

COMMON, RETIRED, NEW = ordinary_tasks(30), ordinary_tasks(10, first=31), ordinary_tasks(20, first=41)
CONTROLS = negative_tasks(10)
FLOOR = {"publish": {"min_n": 30}}


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


def version(root: Path, protocol_id: str) -> ProtocolVersion:
    protocol = judge(root, protocol_id).protocol
    assert protocol is not None
    return version_of(protocol)


def exams(root: Path, **new: Any) -> None:
    """v1: 30 common tasks and 10 that are retired; v2: the same 30 and 20 new ones."""
    make_protocol(root, "demo.v1", tasks=[*COMMON, *RETIRED, *CONTROLS], changes=FLOOR)
    made = {"tasks": [*COMMON, *NEW, *CONTROLS], "changes": {**FLOOR, "follows": "demo.v1"}, **new}
    make_protocol(root, "demo.v2", **made)


def compared(root: Path) -> CommonTasks | NotCompared:
    first, second = ([outcomes_of(report) for report in judge(root, name).reports] for name in ("demo.v1", "demo.v2"))
    return compare_common(version(root, "demo.v1"), version(root, "demo.v2"), first, second)


def test_the_mandatory_example(tmp_path: Path) -> None:
    """The headline falls 8.5 points while the agent gained 10 points on every task that the two exams share."""
    exams(tmp_path)
    make_run(tmp_path, "demo.v1", wrong=[*ids(COMMON)[:6], *ids(RETIRED)[:1]])
    make_run(tmp_path, "demo.v2", wrong=[*ids(COMMON)[:3], *ids(NEW)[:10]])
    (old,), (new,) = judge(tmp_path, "demo.v1").reports, judge(tmp_path, "demo.v2").reports
    assert (old.card.success.k, old.card.success.n, new.card.success.k, new.card.success.n) == (33, 40, 37, 50)
    found = compared(tmp_path)
    assert isinstance(found, CommonTasks)
    success, abstention = found.slices
    assert (success.n11, success.b, success.c, success.n00, success.n) == (24, 0, 3, 3, 30)
    assert success.difference == pytest.approx(-0.1)
    assert success.p == mcnemar_exact(0, 3)
    assert (success.interval.low, success.interval.high) == bonett_price(0, 3, 30)
    assert (abstention.n, abstention.b, abstention.c) == (10, 0, 0)
    assert found.heading == "Common tasks only: 30 of 40 and 50 (success), 10 of 10 and 10 (abstention)"
    assert found.caveat == "It says nothing about tasks outside these 40."


def test_repeated_runs_are_compared_with_as_many(tmp_path: Path) -> None:
    exams(tmp_path)
    for wrong in (ids(COMMON)[:6], ids(COMMON)[:5]):
        make_run(tmp_path, "demo.v1", wrong=wrong)
        make_run(tmp_path, "demo.v2", wrong=wrong[:3])
    found = compared(tmp_path)
    assert isinstance(found, CommonTasks)
    assert found.slices[0].test == "sign-flip-exact"
    assert found.slices[0].difference == pytest.approx(-(3 + 2) / 60)
    make_run(tmp_path, "demo.v2")
    assert isinstance(compared(tmp_path), NotCompared)


OTHER_METRIC = (
    'def score(result, oracle_path):\n    return {"pass": result == open(oracle_path).read(), "metric": "x"}\n'
)


@pytest.mark.parametrize(
    ("new", "word"),
    [
        ({"metric": OTHER_METRIC}, "metric"),
        ({"files": {"tables.py": "A = 1\n"}}, "metric"),
        ({"changes": {**FLOOR, "budget": {"timeout_sec": 30}}}, "budget"),
        ({"changes": {"publish": {"min_n": 31}}}, "floor is 31"),
        ({"tasks": [{**COMMON[0], "prompt": "Say one."}, *COMMON[1:], *NEW, *CONTROLS]}, "Only 29"),
        ({"tasks": [{**COMMON[0], "oracle": "one"}, *COMMON[1:], *NEW, *CONTROLS]}, "Only 29"),
        ({"tasks": [*COMMON, *NEW, *negative_tasks(10, first=20)]}, "Only 0 negative controls are common"),
    ],
)
def test_each_condition_between_versions(tmp_path: Path, new: dict[str, Any], word: str) -> None:
    exams(tmp_path, **new)
    (obstacle,) = find_obstacles(version(tmp_path, "demo.v1"), version(tmp_path, "demo.v2"))
    assert word in obstacle


def in_topics(rows: list[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    """The rows in topics of ``size`` tasks each."""
    return [{**row, "topic": f"topic {i // size}"} for i, row in enumerate(rows)]


def clustered_exams(root: Path, common: int) -> None:
    """Two versions of 4 tasks in each of 2 topics, of which the first ``common`` are the same, and as many controls."""
    floors = {"publish": {"min_n": 2, "min_n_negative": 2}, "dataset": {"cluster": "topic"}}
    old, controls = in_topics(ordinary_tasks(8), 4), in_topics(negative_tasks(8), 4)
    new = in_topics(ordinary_tasks(8, first=11), 4)
    make_protocol(root, "demo.v1", tasks=[*old, *controls], changes=floors)
    changes = {**floors, "follows": "demo.v1"}
    make_protocol(root, "demo.v2", tasks=[*old[:common], *new[common:], *controls], changes=changes)


def test_common_tasks_in_one_cluster_are_not_compared(tmp_path: Path) -> None:
    clustered_exams(tmp_path, common=4)
    for name in ("demo.v1", "demo.v2"):
        make_run(tmp_path, name)
    found = compared(tmp_path)
    assert isinstance(found, NotCompared)
    assert found.reasons == ("The common ordinary tasks are all in one cluster; an interval needs at least two.",)


def test_common_tasks_in_two_clusters_are_compared(tmp_path: Path) -> None:
    clustered_exams(tmp_path, common=5)
    make_run(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v2", wrong=["T-001", "T-005"])
    found = compared(tmp_path)
    assert isinstance(found, CommonTasks)
    success = found.slices[0]
    assert (success.n, success.b, success.informative, success.test) == (5, 2, 2, "sign-flip-exact")
    assert success.p == 0.5


@pytest.mark.parametrize("rate", ["success", "abstention"])
def test_a_single_common_task_is_compared_over_single_runs_only(tmp_path: Path, rate: str) -> None:
    small = {"publish": {"min_n": 1, "min_n_negative": 1}}
    old, new = (ordinary_tasks(2), negative_tasks(2)), (ordinary_tasks(2), negative_tasks(2))
    changed = 0 if rate == "success" else 1
    new[changed][1]["prompt"] = "Say another."
    make_protocol(tmp_path, "demo.v1", tasks=[*old[0], *old[1]], changes=small)
    make_protocol(tmp_path, "demo.v2", tasks=[*new[0], *new[1]], changes=small)
    for name in ("demo.v1", "demo.v2"):
        make_run(tmp_path, name)
    single = compared(tmp_path)
    assert isinstance(single, CommonTasks)
    assert {part.name: (part.n, part.p) for part in single.slices}[rate] == (1, 1.0)
    for name in ("demo.v1", "demo.v2"):
        make_run(tmp_path, name)
    found = compared(tmp_path)
    assert isinstance(found, NotCompared)
    kind = {"success": "ordinary task", "abstention": "negative control"}[rate]
    assert found.reasons == (f"Only 1 {kind} is common; an interval over repeated runs needs at least 2.",)


@pytest.mark.parametrize(
    "manifest", [{"temperature": 1.0}, {"decoder": {"top_p": 0.9}}, {"retry_limit": 2}, {"tool_whitelist": ["shell"]}]
)
def test_each_condition_between_manifests(tmp_path: Path, manifest: dict[str, Any]) -> None:
    exams(tmp_path)
    make_run(tmp_path, "demo.v1", "alpha")
    make_run(tmp_path, "demo.v2", "beta", **manifest)
    found = compared(tmp_path)
    assert isinstance(found, NotCompared)
    assert next(iter(manifest)) in found.reasons[0]


def test_a_run_is_not_compared_with_its_own_answers(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1", tasks=[*COMMON, *CONTROLS])
    make_protocol(tmp_path, "demo.v2", tasks=[*COMMON, *CONTROLS], changes={"title": "Second"})
    rescore_run(tmp_path, make_run(tmp_path, "demo.v1").run_id, "demo.v2")
    found = compared(tmp_path)
    assert isinstance(found, NotCompared)
    assert "scored again" in found.reasons[0]
