"""What goes to the process that supervises one task, and what comes back. Plain values that can be pickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sitegen.harness.isolation import Isolation
from sitegen.harness.limits import Caps

Stop = Literal["timeout", "output", "processes", "memory", "aborted"]
"""Why a solver was killed before it ended by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One task to be solved.

    Attributes:
        opaque_id: the id that the solver sees; the last argument of ``command``.
        task_json: the task as the solver sees it.
        command: the manifest's command; an element that names a file of the solver becomes its path.
        env: environment without the paths that are known only where the solver runs.
        files: what lies in the workspace, by path below it.
        solver_folder: where the solver's files are on the machine that runs it.
        wants_diff: whether the artifact is the workspace's diff.
        timeout_sec: seconds until everything is killed.
    """

    opaque_id: str
    task_json: str = field(repr=False)
    command: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    files: Mapping[str, bytes] = field(repr=False)
    solver_folder: str
    wants_diff: bool
    timeout_sec: float
    isolation: Isolation
    caps: Caps


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """What a solver did with one task, as observed; nothing is judged yet.

    Attributes:
        opaque_id: whose.
        exit_code: as a shell would say it (139 for a segmentation fault); ``None`` when it was killed.
        stop: why it was killed.
        seconds: wall-clock from its start to its end.
        stdout: bytes of standard output; cut where there were more than ``caps.output``.
        stderr: the last bytes of standard error, for the log.
        result: bytes of the result file, ``None`` where there is none.
        result_fault: why the result file could not be read.
        touched: files of the workspace that were added, changed or removed.
        diff: the workspace's diff where it was wanted and could be made.
        workspace_fault: why the workspace could not be compared.
    """

    opaque_id: str
    exit_code: int | None
    stop: Stop | None
    seconds: float
    stdout: bytes = field(repr=False)
    stderr: bytes = field(repr=False)
    result: bytes | None = field(repr=False, default=None)
    result_fault: str | None = None
    touched: int = 0
    diff: str | None = field(repr=False, default=None)
    workspace_fault: str | None = None
