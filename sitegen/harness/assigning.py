"""A task of the exam → the assignment that a supervisor gets: what the solver sees, and under which conditions."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.harness.assignment import Assignment
from sitegen.harness.exposure import exposed_paths
from sitegen.harness.handout import shown_task
from sitegen.harness.inputs import Fingerprint, workspace_files
from sitegen.harness.isolation import Isolation, Level, bwrap_fault
from sitegen.harness.limits import Caps
from sitegen.harness.opening import OpenRun
from sitegen.read.files import Tree
from sitegen.read.manifest import Manifest, read_manifest
from sitegen.read.tasks import Task
from sitegen.refusals import Misuse, Refusal, Refused

SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where a solver finds programs, unless its manifest lets ``PATH`` through."""

_DEFAULT_COMMAND = ("bash", "solve.sh")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What is the same for all tasks of a sitting; ``solver_folder`` is where the copy is that solvers run from."""

    run: OpenRun
    solver_folder: Path
    isolation: Isolation
    caps: Caps
    fingerprint: Fingerprint = field(repr=False)
    env: Mapping[str, str] = field(repr=False)

    def assignment(self, task: Task) -> Assignment:
        """Return the assignment of one task or null-pack row.

        Raises:
            Refused: a file of the task changed since the start.
        """
        run = self.run
        return Assignment(
            opaque_id=run.opaque[task.id],
            task_json=json.dumps(shown_task(run, task), ensure_ascii=False),
            command=run.manifest.command,
            env=self.env,
            files=workspace_files(run, self.fingerprint, task.shown.get("files")),
            solver_folder=str(self.solver_folder),
            wants_diff=run.protocol.dataset.artifact == "workspace-diff",
            timeout_sec=run.protocol.budget.timeout_sec,
            isolation=self.isolation,
            caps=self.caps,
        )


def choose_isolation(level: Level | None, network: bool, manifest: Manifest, root: Path) -> Isolation:
    """Return the isolation in force: bubblewrap where it works, unless another is asked for.

    Raises:
        Misuse: no network can be given or taken without bubblewrap.
        OSError: bubblewrap is asked for and does not work here.
    """
    if level == "none" and network:
        raise Misuse("--network goes with bubblewrap; with --isolation none the network is open anyway")
    fault = None if level == "none" else bwrap_fault()
    if level == "bwrap" and fault is not None:
        raise OSError(f"bubblewrap does not work here: {fault}")
    if level == "none" or fault is not None:
        return Isolation(level="none")
    return Isolation(
        level="bwrap",
        network=network,
        exposed=exposed_paths(let_through(manifest), root),
        hidden=(str(root.resolve()),),
    )


def let_through(manifest: Manifest) -> dict[str, str]:
    """Return the variables of this process's environment that the manifest lets through."""
    return {name: os.environ[name] for name in manifest.env if name in os.environ}


def environment_of(manifest: Manifest, timeout_sec: float) -> dict[str, str]:
    """Return a solver's environment, but for the paths that are known only where it runs."""
    own = {
        "LANG": "C.UTF-8",
        "ROUTE": manifest.route,
        "MODEL": manifest.model or "",
        "TEMPERATURE": "" if manifest.temperature is None else f"{manifest.temperature:g}",
        "DECODER": json.dumps(manifest.decoder, sort_keys=True),
        "RETRY_LIMIT": str(manifest.retry_limit),
        "TOOL_WHITELIST": json.dumps(list(manifest.tool_whitelist)),
        "TIMEOUT_SEC": f"{timeout_sec:g}",
    }
    return {"PATH": SEARCH_PATH, **let_through(manifest), **own}


def manifest_at(path: Path) -> Manifest:
    """Return the manifest of a contestant that no run was opened for yet.

    Raises:
        Misuse: there is none.
        Refused: it is not in order.
    """
    if not path.is_file():
        raise Misuse(f"there is no manifest {path}")
    with Tree(path.parent) as tree:
        return read_manifest(tree.read(path.name))


def check_command(manifest: Manifest, solver: Path, file: str) -> None:
    """Refuse a contestant whose command is not there: it would fail every task. ``file`` names its manifest.

    Raises:
        Refused: ``solver-missing``.
    """
    program = manifest.command[0]
    search = environment_of(manifest, 0)["PATH"]
    missing = None
    if manifest.command == _DEFAULT_COMMAND and not (solver / "solve.sh").is_file():
        missing = "solve.sh"
    elif not (solver / program).is_file() and shutil.which(program, path=search) is None:
        missing = program
    if missing is not None:
        expected = f"{missing}, beside the manifest or on {search}"
        raise Refused([Refusal(slug="solver-missing", file=file, path="/command", expected=expected, found="nothing")])
