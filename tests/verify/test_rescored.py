"""What binds a re-scored report to the run that its answers are of; the rest is in tests/harness/test_rescoring."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from sitegen.harness.rescoring import rescore_run
from sitegen.read.files import Tree
from sitegen.read.library import read_run, read_unit
from sitegen.read.report import Report
from sitegen.refusals import Refused
from sitegen.verify.chain import NO_HISTORY, RunHistory, histories_of
from sitegen.verify.rescored import Origin, find_rescore_faults
from sitegen.verify.verified import VerifiedProtocol
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


Rescored = tuple[Report, VerifiedProtocol, RunHistory, Origin]


@pytest.fixture
def rescored(tmp_path: Path) -> Rescored:
    """A re-scored report with its protocol and its history, and the run that it is of."""
    make_protocol(tmp_path, "demo.v1")
    make_protocol(tmp_path, "demo.v2", changes={"title": "Second"})
    run = make_run(tmp_path, "demo.v1")
    closed = rescore_run(tmp_path, run.run_id, "demo.v2")
    unit = judge(tmp_path, "demo.v2")
    with Tree(tmp_path) as tree:
        source = read_run(tree, "demo.v1", run.run_id)
    assert source is not None
    assert unit.protocol is not None
    history = histories_of(unit.ledger)[closed.run_id]
    return unit.reports[0].report, unit.protocol, history, verify_origin(source, run.run_id)


def test_each_binding_is_compared_by_itself(rescored: Rescored) -> None:
    report, protocol, history, origin = rescored
    assert find_rescore_faults(report, protocol, history, origin, "r") == []
    altered = msgspec.structs.replace(report.digests, transcripts="0" * 64, manifest="1" * 64, solver="2" * 64)
    ran = msgspec.structs.replace(report.made_by, how="run")
    forged = msgspec.structs.replace(report, digests=altered, made_by=ran)
    found = find_rescore_faults(forged, protocol, history, origin, "r")
    assert {fault.path for fault in found} == {
        "/digests/transcripts",
        "/digests/manifest",
        "/digests/solver",
        "/made_by/how",
    }
    unended = dataclasses.replace(NO_HISTORY)
    assert [fault.slug for fault in find_rescore_faults(report, protocol, unended, origin, "r")] == ["ledger-broken"]


@pytest.mark.parametrize("field", ["protocol_sha256", "report_sha256"])
def test_the_source_is_the_very_protocol_and_report_that_are_named(field: str, rescored: Rescored) -> None:
    report, protocol, history, origin = rescored
    assert report.rescored_from is not None
    right = getattr(report.rescored_from, field)
    forged = msgspec.structs.replace(report.rescored_from, **{field: "0" * 64})
    found = find_rescore_faults(msgspec.structs.replace(report, rescored_from=forged), protocol, history, origin, "r")
    assert [(fault.slug, fault.path, fault.expected, fault.found) for fault in found] == [
        ("rescore-mismatch", f"/rescored_from/{field}", right, "0" * 64)
    ]


def test_a_report_that_names_no_source_is_not_the_rescoring_of_any(rescored: Rescored) -> None:
    report, protocol, history, origin = rescored
    unnamed = msgspec.structs.replace(report, rescored_from=None)
    found = find_rescore_faults(unnamed, protocol, history, origin, "r")
    assert [(fault.path, fault.found) for fault in found] == [
        ("/rescored_from/protocol_sha256", "none"),
        ("/rescored_from/report_sha256", "none"),
    ]


@pytest.mark.parametrize("named", ["0" * 64, None])
def test_the_end_names_the_start_of_the_run_that_was_scored_again(named: str | None, rescored: Rescored) -> None:
    report, protocol, history, origin = rescored
    assert history.end is not None
    digest, event = history.end
    other = dataclasses.replace(history, end=(digest, msgspec.structs.replace(event, start_sha256=named)))
    found = find_rescore_faults(report, protocol, other, origin, "r")
    assert [(fault.slug, fault.path, fault.expected, fault.found) for fault in found] == [
        ("rescore-mismatch", "the start that the end event names", origin.start[0], named or "none")
    ]


def test_where_the_tasks_of_either_exam_are_withheld_nothing_that_was_seen_is_compared(rescored: Rescored) -> None:
    """Its other bindings still are."""
    report, protocol, history, origin = rescored
    ours = dataclasses.replace(protocol, whole_pack=None, withheld=("tasks.jsonl",))
    theirs = dataclasses.replace(
        origin, protocol=dataclasses.replace(origin.protocol, whole_pack=None, withheld=("tasks.jsonl",))
    )
    unnamed = msgspec.structs.replace(report, rescored_from=None)
    for exam, source in ((ours, origin), (protocol, theirs), (ours, theirs)):
        assert find_rescore_faults(report, exam, history, source, "r") == []
        assert len(find_rescore_faults(unnamed, exam, history, source, "r")) == 2


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
