"""One agent's trajectory on one SWE-bench instance: SWE-agent's ``.traj`` and mini-swe-agent's ``.traj.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sitegen.harness.foreign.patches import files_in
from sitegen.harness.foreign.sample import Sample
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.values import Fields
from sitegen.read.transcript import Status


def is_trajectory(document: Mapping[str, Any]) -> bool:
    """Tell whether a JSON document is one agent's trajectory with its submission."""
    info = document.get("info")
    return isinstance(info, dict) and "exit_status" in info and ("messages" in document or "trajectory" in document)


def trajectory_sample(file: ForeignFile, verdicts: Mapping[str, bool]) -> Sample:
    """Return the row that a trajectory is: its instance is named inside it, or by the file's name."""
    row = Fields(file.document, file.shown, "")
    info = row.object("info")
    usage = info.object("model_stats")
    instance = row.text("instance_id") or info.text("instance_id") or _stem(file.name)
    patch = info.text("submission")
    return Sample(
        id=instance,
        place=file.shown,
        status=_status(info.text("exit_status"), patch),
        answer=patch,
        route=info.object("config").object("model").text("model_name"),
        files_touched=files_in(patch),
        tokens_in=usage.count("tokens_sent"),
        tokens_out=usage.count("tokens_received"),
        cost_usd=usage.number("instance_cost"),
        scores={"swebench": verdicts[instance]} if instance in verdicts else {},
        extra={"exit_status": info.text("exit_status"), "api_calls": usage.count("api_calls")},
    )


def _status(exit_status: str | None, patch: str | None) -> Status:
    """A run that a limit ended is judged by what it handed in; one that failed without a patch is an error."""
    ended = (exit_status or "").lower()
    if ended.startswith("submitted") or patch:
        return "ok"
    return "timeout" if "time" in ended else "error"


def _stem(name: str) -> str:
    return name.removesuffix(".json").removesuffix(".traj")
