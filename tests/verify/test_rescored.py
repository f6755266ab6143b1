"""What binds a re-scored report to the run that its answers are of; the rest is in tests/harness/test_rescoring."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from sitegen.harness.rescoring import rescore_run
from sitegen.read.files import Tree
from sitegen.read.library import read_run, read_unit
from sitegen.refusals import Refused
from sitegen.verify.chain import NO_HISTORY, histories_of
from sitegen.verify.rescored import find_rescore_faults
from sitegen.verify.verifier import verify_origin, verify_unit
from tests.sites import judge, make_protocol, make_run, negative_tasks, ordinary_tasks


def test_without_the_other_protocols_no_rescored_report_is_verified(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_protocol(tmp_path, "demo.v2", changes={"title": "Second"})
    rescore_run(tmp_path, make_run(tmp_path, "demo.v1").run_id, "demo.v2")
    with Tree(tmp_path) as tree:
        alone = verify_unit(read_unit(tree, "demo.v2"))
    assert [refusal.slug for refusal in alone.all_refusals] == ["rescore-mismatch"]
    assert len(judge(tmp_path, "demo.v2").reports) == 1


def test_each_binding_is_compared_by_itself(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_protocol(tmp_path, "demo.v2", changes={"title": "Second"})
    run = make_run(tmp_path, "demo.v1")
    closed = rescore_run(tmp_path, run.run_id, "demo.v2")
    unit = judge(tmp_path, "demo.v2")
    with Tree(tmp_path) as tree:
        source = read_run(tree, "demo.v1", run.run_id)
    assert source is not None
    assert unit.protocol is not None
    origin, report = verify_origin(source, run.run_id), unit.reports[0].report
    history = histories_of(unit.ledger)[closed.run_id]
    assert find_rescore_faults(report, unit.protocol, history, origin, "r") == []
    altered = msgspec.structs.replace(report.digests, transcripts="0" * 64, manifest="1" * 64, solver="2" * 64)
    ran = msgspec.structs.replace(report.made_by, how="run")
    forged = msgspec.structs.replace(report, digests=altered, made_by=ran)
    found = find_rescore_faults(forged, unit.protocol, history, origin, "r")
    assert {fault.path for fault in found} == {
        "/digests/transcripts",
        "/digests/manifest",
        "/digests/solver",
        "/made_by/how",
    }
    unended = dataclasses.replace(NO_HISTORY)
    assert [fault.slug for fault in find_rescore_faults(report, unit.protocol, unended, origin, "r")] == [
        "ledger-broken"
    ]


def test_a_draft_is_no_source(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1", seal=False)
    (tmp_path / "reports/demo.v1/2026-01-01-x-aaaaaa").mkdir(parents=True)
    with Tree(tmp_path) as tree:
        unit = read_run(tree, "demo.v1", "2026-01-01-x-aaaaaa")
        assert read_run(tree, "demo.v1", "2026-01-01-y-aaaaaa") is None
    assert unit is not None
    with pytest.raises(Refused):
        verify_origin(unit, "2026-01-01-x-aaaaaa")


@pytest.mark.parametrize(("changed", "more"), [(1, None), (3, "2 more differ")])
def test_an_exam_that_shows_the_solver_something_else_scores_no_old_answers(
    changed: int, more: str | None, tmp_path: Path
) -> None:
    """The harness refuses it before; a report that was forged past it is refused here."""
    tasks = [*ordinary_tasks(20), *negative_tasks(10)]
    make_protocol(tmp_path, "demo.v1", tasks=tasks)
    make_protocol(tmp_path, "demo.v2", tasks=tasks, changes={"title": "Second"})
    hinted = [{**task, "hint": "think"} for task in tasks[:changed]]
    make_protocol(tmp_path, "demo.v3", tasks=[*hinted, *tasks[changed:]])
    run = make_run(tmp_path, "demo.v1")
    closed = rescore_run(tmp_path, run.run_id, "demo.v2")
    unit, other = judge(tmp_path, "demo.v2"), judge(tmp_path, "demo.v3").protocol
    with Tree(tmp_path) as tree:
        source = read_run(tree, "demo.v1", run.run_id)
    assert source is not None
    assert other is not None
    history = histories_of(unit.ledger)[closed.run_id]
    found = find_rescore_faults(unit.reports[0].report, other, history, verify_origin(source, run.run_id), "r")
    seen = [fault for fault in found if fault.path.startswith("what the solver saw")]
    assert [(fault.slug, fault.path, fault.hint) for fault in seen] == [
        ("rescore-mismatch", "what the solver saw: dataset T-001", more)
    ]
