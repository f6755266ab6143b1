"""Conduct → transcript, by the rules of the solver contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sitegen.harness.answer import KEPT_OF_TOO_MUCH, transcript_of
from sitegen.harness.assignment import Conduct
from sitegen.read.manifest import Manifest
from sitegen.read.tasks import Task
from sitegen.read.transcript import Transcript

TASK = Task(id="D-1", kind="ordinary", shown={}, file="f", path="line 1")
MANIFEST = Manifest(
    schema="agent-bench-manifest/v1",
    route="r-1",
    temperature=None,
    retry_limit=0,
    tool_whitelist=(),
    channel="scored",
)
PLAIN = Conduct(opaque_id="t-1", exit_code=0, stop=None, seconds=0.123456, stdout=b"answer", stderr=b"")


def made(wants_diff: bool = False, manifest: Manifest = MANIFEST, **conduct: Any) -> Transcript:
    return transcript_of(TASK, replace(PLAIN, **conduct), manifest, wants_diff, "2026-11-30T09:32:00Z")


def test_a_plain_answer() -> None:
    assert made() == Transcript(
        task_id="D-1",
        pack="dataset",
        status="ok",
        abstained=False,
        artifact="answer",
        route="r-1",
        retries=None,
        tool_calls=None,
        wall_clock_sec=0.1235,
        files_touched=0,
        started="2026-11-30T09:32:00Z",
    )


def test_a_null_pack_row_is_marked_as_one() -> None:
    row = Task(id="NP-1", expected_class="must_pass", shown={}, file="f", path="line 1")
    assert transcript_of(row, PLAIN, MANIFEST, False, "2026-11-30T09:32:00Z").pack == "null_pack"


def test_nothing_is_stripped_from_the_artifact_and_nothing_is_none() -> None:
    assert made(stdout=b" a\r\n\x00\n").artifact == " a\r\n\x00\n"
    assert made(stdout=b"").artifact is None


def test_everything_that_the_result_file_says_is_kept() -> None:
    said = (
        b'{"abstained": false, "retries": 2, "tool_calls": 3, "tools_used": ["a"], "route": "r-2",'
        b' "tokens_in": 4, "tokens_out": 5, "cost_usd": 0.5}'
    )
    row = made(result=said)
    assert (row.retries, row.tool_calls, row.tools_used, row.route) == (2, 3, ("a",), "r-2")
    assert (row.tokens_in, row.tokens_out, row.cost_usd) == (4, 5, 0.5)


@pytest.mark.parametrize(
    ("conduct", "status", "abstained"),
    [
        ({"result": b'{"abstained": true}'}, "ok", True),
        ({"result": b'{"abstained": true}', "stdout": b""}, "ok", True),
        ({"result": b'{"abstained": null}', "stdout": b""}, "ok", False),
        ({"exit_code": 75, "stdout": b""}, "ok", True),
        ({"exit_code": 75}, "error", False),
        ({"exit_code": 75, "stdout": b"", "result": b'{"abstained": true}'}, "ok", True),
        ({"exit_code": 75, "stdout": b"", "result": b'{"abstained": false}'}, "error", False),
        ({"exit_code": 1}, "error", False),
        ({"exit_code": 139}, "error", False),
        ({"exit_code": 1, "result": b'{"abstained": true}'}, "error", True),
        ({"exit_code": None, "stop": "timeout"}, "timeout", False),
        ({"exit_code": None, "stop": "timeout", "result": b"{torn"}, "timeout", False),
        ({"exit_code": None, "stop": "memory"}, "error", False),
        ({"result_fault": "the result file is no regular file"}, "error", False),
        ({"workspace_fault": "the workspace cannot be compared"}, "error", False),
    ],
)
def test_status_and_abstention(conduct: dict[str, Any], status: str, abstained: bool) -> None:
    row = made(**conduct)
    assert (row.status, row.abstained) == (status, abstained)
    assert (row.extra is None) == (status == "ok")


@pytest.mark.parametrize(
    "result",
    [
        b"",
        b"{",
        b"[]",
        b'{"abstained": "false"}',
        b'{"abstained": 0}',
        b'{"abstained": false, "abstained": true}',
        b'{"abstain": true}',
        b'{"retries": -1}',
        b'{"retries": 1.5}',
        b'{"cost_usd": NaN}',
        b'{"tools_used": "a"}',
        b'\xef\xbb\xbf{"abstained": true}',
    ],
)
def test_a_result_file_that_is_not_strict_is_an_error(result: bytes) -> None:
    row = made(result=result)
    assert (row.status, row.abstained, row.artifact) == ("error", False, "answer")
    assert "the result file is refused" in str(row.extra)


@pytest.mark.parametrize("stdout", [b"\xff", b"answer\xc3", b"\xed\xa0\x80"])
def test_bytes_that_are_no_text_are_no_artifact(stdout: bytes) -> None:
    row = made(stdout=stdout)
    assert (row.status, row.artifact, row.extra) == ("error", None, {"why": "standard output is not UTF-8"})


@pytest.mark.parametrize("text", ["x" * KEPT_OF_TOO_MUCH * 2, "x" * (KEPT_OF_TOO_MUCH - 1) + "ä" * 10])
def test_too_much_is_cut_at_a_whole_character(text: str) -> None:
    row = made(stdout=text.encode(), stop="output", exit_code=None)
    assert row.status == "error"
    assert row.artifact is not None
    assert KEPT_OF_TOO_MUCH - 1 <= len(row.artifact.encode()) <= KEPT_OF_TOO_MUCH
    assert text.startswith(row.artifact)


def test_the_diff_is_the_artifact_where_it_is_asked_for() -> None:
    row = made(wants_diff=True, diff="--- a/f\n", touched=1, stdout=b"\xff talk")
    assert (row.status, row.artifact, row.files_touched) == ("ok", "--- a/f\n", 1)
    assert made(wants_diff=True, diff="", exit_code=75, stdout=b"talk").abstained is True


def test_a_route_that_is_not_reported_is_the_manifest_s_where_that_may_answer() -> None:
    other = Manifest(**{**{name: getattr(MANIFEST, name) for name in MANIFEST.__struct_fields__}, "served_as": ("s",)})
    assert made(manifest=other).route is None
    assert made(exit_code=1).route is None
