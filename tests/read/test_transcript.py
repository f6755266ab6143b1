"""Transcripts: one JSON object a line, read strictly and written in one form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.read.transcript import Transcript, read_transcripts, with_task_id, write_transcript
from tests.read.sources import faults, source

ROW: dict[str, Any] = {
    "task_id": "T-1",
    "pack": "dataset",
    "status": "ok",
    "abstained": False,
    "artifact": "x",
    "route": "a-1.0",
    "retries": 0,
    "tool_calls": 0,
    "wall_clock_sec": 0.1,
}


def lines(*rows: dict[str, Any]) -> Any:
    return source("".join(json.dumps(row) + "\n" for row in rows), "transcripts.jsonl")


def one(**changes: Any) -> Transcript:
    return read_transcripts(lines({**ROW, **changes}))[0]


def test_null_and_the_empty_string_are_both_no_artifact() -> None:
    assert one(artifact="x").has_artifact
    assert not one(artifact="").has_artifact
    assert not one(artifact=None).has_artifact


def test_what_was_not_recorded_is_null_and_not_zero() -> None:
    row = one(retries=None, tool_calls=None, wall_clock_sec=None)
    assert (row.retries, row.tool_calls, row.wall_clock_sec, row.files_touched) == (None, None, None, None)
    assert not row.touched


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"abstained": "false"}, ("field-type", "line 2/abstained")),
        ({"abstained": 0}, ("field-type", "line 2/abstained")),
        ({"status": "failed"}, ("field-range", "line 2/status")),
        ({"pack": "null-pack"}, ("field-range", "line 2/pack")),
        ({"retries": 1.5}, ("field-type", "line 2/retries")),
        ({"retries": -1}, ("field-range", "line 2/retries")),
        ({"artifact": 7}, ("field-type", "line 2/artifact")),
        ({"started": "yesterday"}, ("time-form", "line 2/started")),
        ({"trace_sha256": "x"}, ("digest-form", "line 2/trace_sha256")),
        ({"score": 1}, ("field-unknown", "line 2/score")),
    ],
)
def test_a_fault_is_named_by_its_line(changes: dict[str, Any], fault: tuple[str, str]) -> None:
    assert faults(read_transcripts, lines(ROW, {**ROW, **changes})) == [fault]


def test_every_required_field_is_required() -> None:
    for name in ROW:
        row = {key: value for key, value in ROW.items() if key != name}
        assert faults(read_transcripts, lines(row)) == [("field-missing", f"line 1/{name}")]


def test_a_line_that_is_no_object_is_refused() -> None:
    assert faults(read_transcripts, source("[]\n", "transcripts.jsonl")) == [("field-type", "line 1")]


@given(
    st.fixed_dictionaries(
        {
            "task_id": st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
            "artifact": st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
            "abstained": st.none() | st.booleans(),
            "retries": st.none() | st.integers(0, 9),
            "wall_clock_sec": st.none() | st.floats(0, 1e6),
            "tools_used": st.none() | st.lists(st.text("ab", max_size=3), max_size=2),
        },
        optional={"extra": st.dictionaries(st.text("ab", max_size=2), st.booleans()), "tokens_in": st.integers(0, 9)},
    )
)
def test_what_is_written_is_read_as_it_was(changes: dict[str, Any]) -> None:
    row = one(**changes)
    assert read_transcripts(source(write_transcript(row), "transcripts.jsonl")) == (row,)


def test_optional_fields_without_a_value_are_left_out() -> None:
    written = json.loads(write_transcript(one()))
    assert "extra" not in written
    assert written["files_touched"] is None


def test_a_row_may_be_given_another_id() -> None:
    assert with_task_id(one(), "t-2").task_id == "t-2"
