from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def trajectory(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str = "django__django-1.traj", **info: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps({"trajectory": [], "info": {"exit_status": "submitted", **info}}))
        return path

    return write


def test_the_submission_is_the_artifact_and_the_file_names_the_instance(
    trajectory: Callable[..., Path], bring: Callable[..., Any]
) -> None:
    usage = {"instance_cost": 0.5, "tokens_sent": 100, "tokens_received": 9, "api_calls": 3}
    got, _ = bring(trajectory(submission="+x", model_stats=usage))
    row = got["django__django-1"]
    assert (row.artifact, row.cost_usd, row.tokens_in, row.tokens_out) == ("+x", 0.5, 100, 9)
    assert bring(trajectory("x.traj.json", instance_id="a__a-1"))[0].keys() == {"a__a-1"}


@pytest.mark.parametrize(
    ("ended", "patch", "status"),
    [
        ("Submitted", "+x", "ok"),
        ("submitted", None, "ok"),
        ("exit_cost", "+x", "ok"),
        ("exit_cost", None, "error"),
        ("LimitsExceeded", "", "error"),
        ("TimeExceeded", None, "timeout"),
        ("exit_api", None, "error"),
    ],
)
def test_a_run_is_judged_by_what_it_handed_in(
    trajectory: Callable[..., Path], bring: Callable[..., Any], ended: str, patch: str | None, status: str
) -> None:
    (row,) = bring(trajectory(exit_status=ended, submission=patch), signals=["never"])[0].values()
    assert (row.status, row.abstained) == (status, False)


def test_a_bare_list_of_messages_is_refused(
    shared: Path, bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    (fault,) = refused(bring, shared / "swebench" / "mini-swe-agent_github_issue.traj.json")
    assert "submission" in (fault.found or "")
