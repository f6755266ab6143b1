"""Assignments for the tests of single modules: a solver in shell on the spot, without an exam."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sitegen.harness.assignment import Assignment, Conduct
from sitegen.harness.isolation import Isolation, Level
from sitegen.harness.limits import Caps
from sitegen.harness.solver import solved


def assignment(
    folder: Path,
    script: str,
    *,
    level: Level = "none",
    files: Mapping[str, bytes] | None = None,
    wants_diff: bool = False,
    timeout_sec: float = 20,
    caps: Caps | None = None,
    opaque_id: str = "t-0",
    command: tuple[str, ...] = ("bash", "solve.sh"),
) -> Assignment:
    """Write the solver into ``folder`` and return its assignment."""
    folder.mkdir(exist_ok=True)
    (folder / "solve.sh").write_text(script)
    return Assignment(
        opaque_id=opaque_id,
        task_json='{"id": "t-0", "prompt": "…"}',
        command=command,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"},
        files=files or {},
        solver_folder=str(folder),
        wants_diff=wants_diff,
        timeout_sec=timeout_sec,
        isolation=Isolation(level=level),
        caps=caps or Caps(),
    )


def solve(task: Assignment) -> Conduct:
    """What the solver did; its folders are gone."""
    with solved(task) as conduct:
        return conduct
