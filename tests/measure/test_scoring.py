"""Transcript → outcome, in the order of precedence of design.md 2.4; nothing leaves a denominator."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.measure.scoring import (
    BY_METRIC,
    FAILED,
    NEGATIVE,
    ORDINARY,
    SATISFIES,
    Limits,
    observation,
    outcome_of,
    over_budget,
    satisfied,
    settled,
    stated_row,
    tally,
)
from sitegen.read.tasks import Task
from sitegen.read.transcript import Transcript

LIMITS = Limits(timeout_sec=60, max_files_touched=2, retry_limit=1, tools=frozenset(("search",)))


def transcript(**changes: Any) -> Transcript:
    given: dict[str, Any] = {
        "task_id": "a",
        "pack": "dataset",
        "status": "ok",
        "abstained": False,
        "artifact": "x",
        "route": "r",
        "retries": 0,
        "tool_calls": 0,
        "wall_clock_sec": 1.0,
        **changes,
    }
    return Transcript(**given)


@pytest.mark.parametrize(
    ("changes", "passed", "outcome"),
    [
        ({}, True, "success"),
        ({}, False, "miss"),
        ({}, None, None),
        ({"artifact": None}, True, "miss"),
        ({"artifact": ""}, True, "miss"),
        ({"abstained": True}, True, "false_abstain"),
        ({"abstained": True, "artifact": None}, None, "false_abstain"),
        ({"retries": 2}, True, "over_budget"),
        ({"retries": 2, "abstained": True}, True, "over_budget"),
        ({"files_touched": 3}, True, "over_budget"),
        ({"wall_clock_sec": 60.1}, True, "over_budget"),
        ({"tools_used": ("search", "shell")}, True, "over_budget"),
        ({"status": "error", "retries": 9}, True, "error"),
        ({"status": "blocked"}, True, "error"),
        ({"status": "unparseable"}, True, "error"),
        ({"status": "not_run"}, True, "error"),
        ({"status": "timeout", "retries": 9}, True, "timeout"),
    ],
)
def test_an_ordinary_task(changes: dict[str, Any], passed: bool | None, outcome: str | None) -> None:
    assert outcome_of("ordinary", transcript(**changes), LIMITS, passed) == outcome


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"abstained": True, "artifact": None}, "abstain_ok"),
        ({"abstained": True}, "invalid_completion"),
        ({"abstained": True, "artifact": None, "files_touched": 1}, "invalid_completion"),
        ({"status": "timeout"}, "invalid_completion"),
        ({"status": "error", "files_touched": 1, "artifact": None}, "invalid_completion"),
        ({"status": "timeout", "artifact": None}, "timeout"),
        ({"status": "blocked", "artifact": None, "abstained": True}, "error"),
        ({"artifact": None}, "no_answer"),
        ({"artifact": ""}, "no_answer"),
        ({"abstained": True, "artifact": "", "retries": 9}, "abstain_ok"),
    ],
)
def test_a_negative_control(changes: dict[str, Any], outcome: str) -> None:
    assert outcome_of("negative", transcript(**changes), LIMITS, None) == outcome


STATUSES = ("ok", "timeout", *sorted(FAILED))


@given(
    st.sampled_from(["ordinary", "negative"]),
    st.sampled_from(STATUSES),
    st.booleans(),
    st.sampled_from([None, "", "x"]),
    st.sampled_from([None, 0, 1, 5]),
    st.sampled_from([None, 0, 5]),
    st.booleans(),
)
def test_every_task_has_exactly_one_outcome_of_its_slice(
    kind: str, status: str, abstained: bool, artifact: str | None, files: int | None, retries: int | None, passed: bool
) -> None:
    row = transcript(status=status, abstained=abstained, artifact=artifact, files_touched=files, retries=retries)
    outcome = outcome_of(kind, row, LIMITS, passed)
    assert outcome in (ORDINARY if kind == "ordinary" else NEGATIVE)
    if outcome_of(kind, row, LIMITS, None) is None:
        assert outcome in BY_METRIC


def test_what_was_not_recorded_is_not_over_a_budget() -> None:
    assert over_budget(transcript(retries=None, wall_clock_sec=None, files_touched=None), LIMITS) is None
    assert over_budget(transcript(files_touched=99), Limits(**{**as_fields(LIMITS), "max_files_touched": None})) is None


def as_fields(limits: Limits) -> dict[str, Any]:
    return {name: getattr(limits, name) for name in ("timeout_sec", "max_files_touched", "retry_limit", "tools")}


def test_a_budget_may_be_used_up() -> None:
    used = transcript(wall_clock_sec=60.0, files_touched=2, retries=1, tools_used=("search",))
    assert over_budget(used, LIMITS) is None


def row(expected_class: Any, oracle: str | None = "x") -> Task:
    return Task(id="NP", expected_class=expected_class, oracle=oracle, shown={}, file="x", path="")


@pytest.mark.parametrize(
    ("task", "changes", "passed", "observed"),
    [
        (row("must_pass"), {}, True, "passed"),
        (row("must_pass"), {}, False, "failed"),
        (row("must_pass"), {}, None, None),
        (row("must_fail"), {}, False, "failed"),
        (row("must_fail", None), {}, None, "answered"),
        (row("must_refuse"), {}, None, "answered"),
        (row("must_refuse"), {"abstained": True, "artifact": None}, None, "refused"),
        (row("must_refuse"), {"abstained": True}, None, "answered"),
        (row("must_refuse"), {"abstained": True, "artifact": None, "files_touched": 1}, None, "answered"),
        (row("must_refuse"), {"artifact": None}, None, "failed"),
        (row("must_fail"), {"artifact": None, "abstained": True}, None, "refused"),
        (row("must_fail"), {"status": "error"}, False, "error"),
        (row("must_fail"), {"status": "not_run", "artifact": None}, None, "error"),
        (row("must_refuse"), {"status": "timeout", "artifact": None, "abstained": True}, None, "timeout"),
    ],
)
def test_what_is_observed_of_a_null_row(task: Task, changes: dict[str, Any], passed: Any, observed: Any) -> None:
    assert observation(task, transcript(**changes), passed) == observed


def test_each_class_is_satisfied_by_what_it_asks_and_nothing_else() -> None:
    right = {("must_pass", "passed"), ("must_fail", "failed"), ("must_fail", "refused"), ("must_refuse", "refused")}
    observed = ("passed", "failed", "refused", "answered", "error", "timeout")
    assert {pair for pair in itertools.product(SATISFIES, observed) if satisfied(*pair)} == right


def test_a_stub_cannot_satisfy_all_three_classes() -> None:
    """Dead, always abstaining, always answering: each fails the pack, whatever the metric says."""
    rows = [row("must_pass"), row("must_fail"), row("must_refuse")]
    stubs: list[tuple[dict[str, Any], bool]] = [
        ({"status": "error", "artifact": None}, False),
        ({"abstained": True, "artifact": None}, False),
        ({"artifact": "yes"}, True),
        ({"artifact": "yes"}, False),
        ({"artifact": None}, False),
    ]
    for changes, passed in stubs:
        seen = [observation(task, transcript(**changes), passed) or "" for task in rows]
        assert not all(satisfied(task.expected_class or "must_pass", o) for task, o in zip(rows, seen, strict=True))


def test_buckets_sum_to_their_slice_and_zeros_are_there() -> None:
    tasks = [Task(id=str(i), kind="ordinary", shown={}, file="x", path="") for i in range(3)]
    tasks.append(Task(id="n", kind="negative", shown={}, file="x", path=""))
    rows = [stated_row(task, transcript(), "miss" if task.kind == "ordinary" else "timeout") for task in tasks]
    ordinary, negative = tally(rows)
    assert (tuple(ordinary), tuple(negative)) == (ORDINARY, NEGATIVE)
    assert (sum(ordinary.values()), sum(negative.values())) == (3, 1)
    with pytest.raises(KeyError):
        tally([stated_row(tasks[0], transcript(), "abstain_ok")])


def test_no_artifact_has_no_digest() -> None:
    task = Task(id="a", kind="ordinary", shown={}, file="x", path="")
    assert stated_row(task, transcript(artifact=""), "miss").artifact_sha256 is None
    assert len(stated_row(task, transcript(artifact="x"), "miss").artifact_sha256 or "") == 64


@pytest.mark.parametrize(
    ("first", "verdict", "found", "asked"),
    [("error", True, "error", 0), (None, True, "passed", 1), (None, False, "failed", 1), (None, None, None, 1)],
)
def test_the_metric_is_asked_once_and_only_where_it_alone_can_tell(
    first: str | None, verdict: bool | None, found: str | None, asked: int
) -> None:
    calls: list[bool | None] = []
    said = {True: "passed", False: "failed", None: first}
    assert settled(lambda passed: said[passed], lambda: [calls.append(verdict), verdict][1]) == found
    assert len(calls) == asked
