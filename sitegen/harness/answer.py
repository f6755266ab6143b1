"""What a solver did → its transcript: artifact, abstention, status and covariates by the solver contract's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sitegen.harness.assignment import Conduct
from sitegen.read.manifest import Manifest
from sitegen.read.schema import Amount, Count, Format, typed
from sitegen.read.strict import parse_json
from sitegen.read.tasks import Task
from sitegen.read.transcript import Status, Transcript
from sitegen.refusals import Refused

ABSTAINED = 75
"""Exit code by which a solver may abstain (EX_TEMPFAIL of sysexits.h)."""

KEPT_OF_TOO_MUCH = 64 * 1024
"""Bytes of an artifact over the cap that are kept, to show that there was one."""


class SolverResult(Format, frozen=True, kw_only=True):
    """What a solver may say in its result file. What it does not say is not recorded, never 0."""

    abstained: bool | None = None
    retries: Count | None = None
    tool_calls: Count | None = None
    tools_used: tuple[str, ...] | None = None
    route: str | None = None
    tokens_in: Count | None = None
    tokens_out: Count | None = None
    cost_usd: Amount | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """Status, abstention and why the status is not ``ok``."""

    status: Status
    abstained: bool
    why: str | None = None


def transcript_of(task: Task, conduct: Conduct, manifest: Manifest, wants_diff: bool, started: str) -> Transcript:
    """Return the transcript of one task, under its true id."""
    result, fault = _result(conduct)
    artifact, artifact_fault = _artifact(conduct, wants_diff)
    reading = _reading(conduct, result, fault or artifact_fault, silent=wants_diff or not conduct.stdout)
    route = result.route
    if route is None and reading.status == "ok" and manifest.route in manifest.names:
        route = manifest.route  # the solver named none, and it was locked by digest under this route
    return Transcript(
        task_id=task.id,
        pack="null_pack" if task.kind is None else "dataset",
        status=reading.status,
        abstained=reading.abstained,
        artifact=artifact or None,
        route=route,
        retries=result.retries,
        tool_calls=result.tool_calls,
        tools_used=result.tools_used,
        wall_clock_sec=round(conduct.seconds, 4),
        files_touched=conduct.touched,
        started=started,
        tokens_in=result.tokens_in,
        tokens_out=result.tokens_out,
        cost_usd=result.cost_usd,
        extra=None if reading.why is None else {"why": reading.why},
    )


def _result(conduct: Conduct) -> tuple[SolverResult, str | None]:
    if conduct.result is None:
        return SolverResult(), conduct.result_fault
    file = "result.json"
    try:
        value: Any = parse_json(conduct.result, file)
        return typed(value, SolverResult, file), None
    except Refused as refused:
        first = refused.refusals[0]
        return SolverResult(), f"the result file is refused: {first.slug} {first.path}".rstrip()


def _artifact(conduct: Conduct, wants_diff: bool) -> tuple[str | None, str | None]:
    """Return the artifact, and why there is none where there should be one."""
    if wants_diff:
        return conduct.diff, None
    cut = conduct.stop == "output"
    data = conduct.stdout[:KEPT_OF_TOO_MUCH] if cut else conduct.stdout
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError as error:
        if cut and error.end == len(data):  # the cut fell into a character
            return data[: error.start].decode("utf-8"), None
        return None, "standard output is not UTF-8"


def _reading(conduct: Conduct, result: SolverResult, fault: str | None, silent: bool) -> _Reading:
    said = bool(result.abstained)
    if conduct.stop == "timeout":
        return _Reading(status="timeout", abstained=said, why="stopped at the deadline")
    if conduct.stop is not None:
        return _Reading(status="error", abstained=said, why=f"stopped: over the limit on {conduct.stop}")
    fault = fault or conduct.workspace_fault
    if fault is not None:
        return _Reading(status="error", abstained=said, why=fault)
    if conduct.exit_code == ABSTAINED and silent and result.abstained is not False:
        return _Reading(status="ok", abstained=True)
    if conduct.exit_code != 0:
        return _Reading(status="error", abstained=said, why=f"exit code {conduct.exit_code}")
    return _Reading(status="ok", abstained=said)
