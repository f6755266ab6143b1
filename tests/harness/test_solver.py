"""One task, one folder: what goes in, what comes out, and nothing stays."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from sitegen.harness import solver
from sitegen.harness.isolation import Level
from sitegen.harness.solver import RESULT_LIMIT
from tests.harness.assignments import assignment, solve
from tests.harness.exam_kit import levels


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@levels
def test_the_folder_holds_the_task_s_files_and_nothing_else(tmp_path: Path, level: Level, temporary: Path) -> None:
    listing = 'find . -type f | sort; cat a/b "$TASK_JSON"; echo "$@"'
    script = f'{listing}; ls -A "$HOME" "$TMPDIR" | grep -v ":$" | tr -d "\\n"'
    task = assignment(tmp_path / "solver", script, level=level, files={"a/b": b"text\n", "c": b""})
    assert solve(task).stdout.decode() == './a/b\n./c\ntext\n{"id": "t-0", "prompt": "…"}\nt-0\n'
    assert list(temporary.iterdir()) == []


@levels
@pytest.mark.parametrize("command", [("bash", "solve.sh"), ("bash", "./solve.sh", "-x"), ("sh", "-c", "echo $0")])
def test_the_command_finds_the_solver_s_files_by_name(tmp_path: Path, level: Level, command: tuple[str, ...]) -> None:
    (tmp_path / "solver").mkdir()
    (tmp_path / "solver" / "sibling").write_text("sibling")
    task = assignment(
        tmp_path / "solver",
        'cat "$(dirname "$0")/sibling" && cmp "$0" "$SOLVER_DIR/solve.sh"; echo $*',
        level=level,
        command=command,
    )
    said = solve(task).stdout.decode()
    assert said == ("t-0\n" if command[0] == "sh" else f"sibling{' '.join((*command[2:], 't-0'))}\n")


@levels
def test_an_executable_of_the_solver_can_be_the_command(tmp_path: Path, level: Level) -> None:
    task = assignment(tmp_path / "solver", "#!/bin/sh\necho here $1\n", level=level, command=("./solve.sh",))
    (tmp_path / "solver" / "solve.sh").chmod(0o755)
    assert solve(task).stdout == b"here t-0\n"


def test_a_command_that_is_not_there_is_the_solver_s_fault(tmp_path: Path) -> None:
    conduct = solve(assignment(tmp_path / "solver", "", command=("no-such-program",)))
    assert (conduct.exit_code, conduct.stdout) == (127, b"")


def test_a_missing_bwrap_is_the_machine_s_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "wrapped", lambda *_: ["no-such-bwrap"])
    with pytest.raises(OSError, match="no-such-bwrap"):
        solve(assignment(tmp_path / "solver", "", level="bwrap"))


def test_a_bwrap_that_stopped_working_is_the_machine_s_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "echo 'bwrap: no namespaces left' >&2; exit 1"
    task = assignment(tmp_path / "solver", script)
    monkeypatch.setattr(solver, "bwrap_fault", lambda: None)
    assert solve(task).exit_code == 1, "a solver may say so, but bubblewrap works"
    monkeypatch.setattr(solver, "bwrap_fault", lambda: "no namespaces left")
    with pytest.raises(OSError, match="stopped working"):
        solve(task)


@levels
def test_the_workspace_s_diff_is_made_where_it_is_wanted(tmp_path: Path, level: Level) -> None:
    script = "echo two >>a; rm b; echo new >c"
    files = {"a": b"one\n", "b": b"b\n"}
    conduct = solve(assignment(tmp_path / "solver", script, level=level, files=files, wants_diff=True))
    assert conduct.touched == 3
    assert conduct.diff == (
        "--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n one\n+two\n"
        "--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n"
        "--- /dev/null\n+++ b/c\n@@ -0,0 +1 @@\n+new\n"
    )
    conduct = solve(assignment(tmp_path / "solver", script, level=level, files=files))
    assert (conduct.touched, conduct.diff) == (3, None)


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("exit", None),
        ("ln -s /etc/hostname $RESULT_JSON", "cannot be read"),
        ("mkfifo $RESULT_JSON", "no regular file"),
        ("mkdir $RESULT_JSON", "no regular file"),
        (f"head -c {RESULT_LIMIT + 1} /dev/zero >$RESULT_JSON", "more than"),
    ],
)
def test_a_result_file_that_is_none_is_not_read(tmp_path: Path, script: str, fault: str | None) -> None:
    conduct = solve(assignment(tmp_path / "solver", script))
    assert conduct.result is None
    assert (conduct.result_fault is None) == (fault is None)
    assert fault is None or fault in (conduct.result_fault or "")


def test_a_solver_that_destroys_its_folders_leaves_nothing_behind(tmp_path: Path, temporary: Path) -> None:
    conduct = solve(assignment(tmp_path / "solver", 'rm -rf "$PWD" "$HOME" "$TMPDIR"', files={"a": b""}))
    assert conduct.workspace_fault is not None
    assert conduct.touched == 1
    assert list(temporary.iterdir()) == []


def test_this_process_s_environment_is_not_the_solver_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "A_SECRET", "secret")
    assert b"secret" not in solve(assignment(tmp_path / "solver", "env")).stdout
