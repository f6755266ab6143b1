"""Why a file of a known kind cannot become transcripts, and what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sitegen.harness.foreign.sources import ForeignFile

Reason = tuple[str, str]
"""What the file is, and what would be needed."""

_NO_HELM = "HELM is not imported; export one answer an instance id"
_NO_ANSWERS = "a metric table holds no answers; export what the agent produced for each task, one row a task"


def explain(file: ForeignFile) -> Reason:
    """Return what a file that no importer takes seems to be, and a hint."""
    if file.shape == "csv":
        return _explain_table([name.strip() for name in next(file.table(), [])])
    first = file.first
    for looks, reason in _KINDS:
        if looks(first):
            return reason
    shape = {"zip": "a zip archive", "json": "JSON", "jsonl": "JSON Lines"}.get(
        file.shape, "neither JSON, CSV nor an archive"
    )
    return f"{shape} of no format that is known", "see the guide on importing for what each format looks like"


def _explain_table(head: list[str]) -> Reason:
    if {"trial_id", "reward"} <= set(head):
        return "a Harbor or Terminal-Bench trial table: verdicts, tokens and times without artifacts", _NO_ANSWERS
    if {"test_id", "success"} <= set(head):
        return "a metric table: verdicts and costs without the model's output", _NO_ANSWERS
    if any(name.lower() in ("model", "rank") for name in head):
        return "a leaderboard table: one line a model", _NO_ANSWERS
    return f"a table with the columns {', '.join(head[:6])}", _NO_ANSWERS


def _has(*keys: str) -> Callable[[Any], bool]:
    return lambda first: isinstance(first, dict) and set(keys) <= first.keys()


def _is_atif(first: Any) -> bool:
    return isinstance(first, dict) and str(first.get("schema_version", "")).startswith("ATIF")


def _is_messages(first: Any) -> bool:
    return isinstance(first, dict) and {"role", "content"} <= first.keys()


_KINDS: tuple[tuple[Callable[[Any], bool], Reason], ...] = (
    (
        _is_atif,
        (
            "a Harbor (ATIF) trajectory: steps without a task id and without the artifact that was graded",
            "a transcript needs the task's id and what the agent left behind; take them from the job's result folder",
        ),
    ),
    (
        _has("adapter_spec", "request_states"),
        (
            "a HELM scenario state: requests and completions",
            "HELM is not imported: its instances repeat by trial and perturbation; export one answer an instance id",
        ),
    ),
    (
        _has("adapter_spec", "scenario_spec"),
        (
            "a HELM run specification: settings without answers",
            _NO_HELM,
        ),
    ),
    (
        _has("instance_id", "stats"),
        (
            "HELM per-instance statistics: scores without answers",
            _NO_HELM,
        ),
    ),
    (
        lambda first: isinstance(first, list),
        (
            "rows that are bare arrays: no row names its task",
            "answers without a task id cannot be joined to an exam; export them again with the id of each task",
        ),
    ),
    (
        _is_messages,
        (
            "a bare list of messages: no task id and no submission",
            "give the trajectory with its info (exit_status, submission), or the predictions file",
        ),
    ),
    (
        _has("task_id", "pack", "status"),
        ("transcripts of sitegen's own form", "nothing is to be imported: give the file to `sitegen score`"),
    ),
    (
        _has("id", "prompt"),
        ("tasks of sitegen's own form, without any answer", "give it with --plan beside the log of a run"),
    ),
    (
        _has("uuid", "question"),
        ("a task set without any answer", "run a model on it first, then import that run's log"),
    ),
)
