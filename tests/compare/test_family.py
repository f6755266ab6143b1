"""Versions across releases: the matrix, the steps, and the comparisons that are allowed between them."""

from __future__ import annotations

import pickle
from pathlib import Path

from sitegen.compare.family import FamilyHistory, family_history, in_order, member_of
from tests.compare.test_common_tasks import COMMON, CONTROLS, FLOOR, NEW, RETIRED, exams, ids, version
from tests.sites import judge, make_protocol, make_run


def history(root: Path, *protocol_ids: str) -> FamilyHistory:
    units = [judge(root, protocol_id) for protocol_id in protocol_ids]
    members = [member_of(unit.protocol, unit.reports) for unit in units if unit.protocol is not None]
    return family_history(pickle.loads(pickle.dumps(members)))  # as they come from another process


def test_the_matrix_marks_what_is_another_than_before(tmp_path: Path) -> None:
    exams(tmp_path, changes={"follows": "demo.v1", "publish": {"min_n": 30, "ci_method": "bootstrap"}})
    found = history(tmp_path, "demo.v2", "demo.v1")
    assert [protocol_id for protocol_id, _ in found.versions] == ["demo.v1", "demo.v2"]
    cells = {(row.part, row.name): row.cells for row in found.rows}
    assert cells["Dataset", "tasks"][0].text == "40 ordinary, 10 negative"
    assert cells["Dataset", "tasks"][1].text == "50 ordinary, 10 negative: 20 added, 10 removed, 0 changed, 40 same"
    assert [(cell.text, cell.changed) for cell in cells["Publishing", "ci method"]] == [
        ("wilson", False),
        ("bootstrap", True),
    ]
    assert {name for name, of in cells.items() if of[1].changed} == {("Dataset", "tasks"), ("Publishing", "ci method")}
    assert found.steps[0].difference.verdict == "re-run"


def test_contestants_of_one_route_are_compared_on_the_common_tasks(tmp_path: Path) -> None:
    exams(tmp_path)
    make_run(tmp_path, "demo.v1", "alpha", wrong=ids(COMMON)[:6])
    make_run(tmp_path, "demo.v1", "beta")
    make_run(tmp_path, "demo.v2", "alpha", wrong=ids(COMMON)[:3])
    make_run(tmp_path, "demo.v2", "gamma")
    (step,) = history(tmp_path, "demo.v1", "demo.v2").steps
    assert step.obstacles == ()
    assert [one.route for one in step.common] == [("alpha-1.0", "alpha-1.0")]
    assert step.uncompared == ()
    make_run(tmp_path, "demo.v2", "alpha")
    (step,) = history(tmp_path, "demo.v1", "demo.v2").steps
    assert step.common == ()
    assert [(route, found.reasons) for route, found in step.uncompared] == [
        ("alpha-1.0", ("The contestants were run 1 and 2 times.",))
    ]


def test_where_the_versions_allow_no_comparison_the_reasons_stand(tmp_path: Path) -> None:
    exams(tmp_path, changes={"publish": {"min_n": 40}})
    make_run(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v2")
    (step,) = history(tmp_path, "demo.v1", "demo.v2").steps
    assert step.common == ()
    assert step.obstacles == ("Only 30 ordinary tasks are common; the floor is 40.",)


def test_a_version_stands_after_the_one_that_it_follows(tmp_path: Path) -> None:
    tasks = [*COMMON, *RETIRED, *CONTROLS]
    make_protocol(tmp_path, "demo.a", tasks=[*COMMON, *NEW, *CONTROLS], changes={"follows": "demo.b", **FLOOR})
    make_protocol(tmp_path, "demo.b", tasks=tasks, changes=FLOOR)
    make_protocol(tmp_path, "demo.c", tasks=tasks, changes={"follows": "demo.b", "title": "Third", **FLOOR})
    found = history(tmp_path, "demo.a", "demo.c", "demo.b")
    order = [protocol_id for protocol_id, _ in found.versions]
    assert order[0] == "demo.b"
    assert sorted(order[1:]) == ["demo.a", "demo.c"]
    assert {(step.difference.new[0], step.difference.old[0], step.difference.verdict) for step in found.steps} == {
        ("demo.a", "demo.b", "re-run"),
        ("demo.c", "demo.b", "same"),
    }


def test_versions_that_follow_each_other_in_a_circle_still_end(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.a", changes={"follows": "demo.b"})
    make_protocol(tmp_path, "demo.b", changes={"follows": "demo.a"})
    versions = [version(tmp_path, "demo.a"), version(tmp_path, "demo.b")]
    assert {one.protocol_id for one in in_order(versions)} == {"demo.a", "demo.b"}
