"""Run one solver on one task, in folders of its own that are gone afterwards (templates/docs/solver-contract.md)."""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitegen.harness.assignment import Assignment, Conduct
from sitegen.harness.attending import Ended, attend
from sitegen.harness.diffing import TooLaborious, unified_diff
from sitegen.harness.isolation import Places, bwrap_fault, seen_by_solver, wrapped
from sitegen.harness.workspace import WorkspaceFault, changes, lay_out, remove

RESULT_LIMIT = 1 << 20
"""Most bytes of a result file."""

_NOT_STARTED = 127


@contextmanager
def solved(assignment: Assignment, abort: int | None = None) -> Iterator[Conduct]:
    """Give what the solver did with one task; every process that it started is gone, and at the end its folders are.

    Raises:
        OSError: this machine cannot run it (no space, no namespaces left): nothing that the solver answers for.
    """
    base = Path(tempfile.mkdtemp(prefix=_prefix(os.getpid())))
    try:
        places = _make_places(assignment, base)
        ended = _run(assignment, places, abort)
        yield _observe(assignment, places, ended)
    finally:
        remove(base)


def remove_folders_of(pid: int) -> None:
    """Remove the folders of a supervisor that died before it could.

    Raises:
        OSError: they cannot be removed.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{_prefix(pid)}*"):
        remove(folder)


def _prefix(pid: int) -> str:
    return f"sitegen-exam-{pid}-"


def _make_places(assignment: Assignment, base: Path) -> Places:
    folders = {name: base / name for name in ("task", "exchange", "home", "temporary")}
    for folder in folders.values():
        folder.mkdir()
    lay_out(folders["task"], assignment.files)
    places = Places(solver=assignment.solver_folder, **{name: str(folder) for name, folder in folders.items()})
    Path(places.task_json).write_text(f"{assignment.task_json}\n", encoding="utf-8", errors="surrogatepass")
    return places


def _run(assignment: Assignment, places: Places, abort: int | None) -> Ended:
    seen = seen_by_solver(places, assignment.isolation)
    command = wrapped(_command(assignment, seen), places, assignment.isolation)
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=places.task,
            env=_environment(assignment, seen),
            start_new_session=True,
        )
    except (FileNotFoundError, PermissionError) as error:
        if assignment.isolation.level == "bwrap":
            raise
        said = f"{command[0]}: {error.strerror}\n".encode()
        return Ended(exit_code=_NOT_STARTED, stop=None, seconds=0.0, stdout=b"", stderr=said)
    ended = attend(process, assignment.timeout_sec, assignment.caps, abort)
    if ended.exit_code == 1 and ended.stderr.startswith(b"bwrap: ") and (fault := bwrap_fault()) is not None:
        raise OSError(f"bubblewrap stopped working: {fault}")
    return ended


def _command(assignment: Assignment, seen: Places) -> list[str]:
    """Return the manifest's command with the solver's files by their paths, and the opaque id."""
    own = Path(assignment.solver_folder)
    parts = [f"{seen.solver}/{part.removeprefix('./')}" if _is_own(own, part) else part for part in assignment.command]
    return [*parts, assignment.opaque_id]


def _is_own(solver: Path, part: str) -> bool:
    return bool(part) and not part.startswith("/") and ".." not in part.split("/") and (solver / part).is_file()


def _environment(assignment: Assignment, seen: Places) -> dict[str, str]:
    return {
        **assignment.env,
        "SOLVER_DIR": seen.solver,
        "TASK_JSON": seen.task_json,
        "RESULT_JSON": seen.result_json,
        "HOME": seen.home,
        "TMPDIR": seen.temporary,
    }


def _observe(assignment: Assignment, places: Places, ended: Ended) -> Conduct:
    result, result_fault = _read_result(Path(places.result_json))
    touched, diff, workspace_fault = _observe_workspace(assignment, Path(places.task))
    return Conduct(
        opaque_id=assignment.opaque_id,
        exit_code=ended.exit_code,
        stop=ended.stop,
        seconds=ended.seconds,
        stdout=ended.stdout[: assignment.caps.output],
        stderr=ended.stderr,
        result=result,
        result_fault=result_fault,
        touched=touched,
        diff=diff,
        workspace_fault=workspace_fault,
    )


def _observe_workspace(assignment: Assignment, task: Path) -> tuple[int, str | None, str | None]:
    """Return files touched, the diff where it is wanted, and why there is none."""
    try:
        found = changes(task, assignment.files, assignment.caps)
    except WorkspaceFault as fault:
        return fault.touched, None, f"the workspace cannot be compared: {fault}"
    if not assignment.wants_diff:
        return len(found), None, None
    try:
        return len(found), unified_diff(found, assignment.caps.steps), None
    except TooLaborious:
        return len(found), None, "the workspace cannot be compared: too many differences"


def _read_result(path: Path) -> tuple[bytes | None, str | None]:
    """Return the result file's bytes, or why it cannot be read. A link is not followed, a pipe not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None, None
    except OSError as error:
        return None, f"the result file cannot be read: {error.strerror}"
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None, "the result file is no regular file"
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(RESULT_LIMIT + 1)
    if len(data) > RESULT_LIMIT:
        return None, f"the result file has more than {RESULT_LIMIT} bytes"
    return data, None
