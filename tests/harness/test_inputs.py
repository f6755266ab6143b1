"""What a run rests on is digested, and a change of any of it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.harness.inputs import copy_solver, fingerprint_of, input_changes, workspace_files
from sitegen.harness.opening import OpenRun, open_run
from sitegen.refusals import Refused
from tests.harness.exam_kit import PLAIN, PROTOCOL_ID, SOLVER, make_exam, ordinary

FILES = {"inputs/a.txt": "a\n", "notes.md": "notes\n"}


@pytest.fixture
def run(tmp_path: Path) -> OpenRun:
    exam = make_exam(tmp_path, [*PLAIN, ordinary("D-F", "x", files=["inputs/a.txt"])], files=FILES)
    return open_run(tmp_path, PROTOCOL_ID, exam.contestant({"solve.sh": SOLVER, "part.txt": "part"}))


def test_everything_but_the_notes_is_an_input(run: OpenRun) -> None:
    exam, own = f"protocols/{PROTOCOL_ID}", f"reports/{PROTOCOL_ID}/{run.run_id}"
    names = ("inputs/a.txt", "metric.py", "protocol.sealed.yaml", "protocol.sums", "protocol.yaml", "tasks/null.jsonl")
    assert set(fingerprint_of(run)) == {
        *(f"{exam}/{name}" for name in (*names, "tasks/tasks.jsonl")),
        *(f"{own}/{name}" for name in ("manifest.yaml", "solver/part.txt", "solver/solve.sh")),
    }


def test_nothing_changed(run: OpenRun) -> None:
    before = fingerprint_of(run)
    (run.protocol_folder / "notes.md").write_text("other notes")
    assert input_changes(run, before) == []


def test_every_change_is_named(run: OpenRun) -> None:
    before = fingerprint_of(run)
    (run.protocol_folder / "inputs" / "a.txt").write_text("b\n")
    (run.protocol_folder / "inputs" / "new.txt").write_text("new\n")
    (run.solver_folder / "part.txt").unlink()
    found = {fault.file.rsplit("/", 1)[-1]: fault for fault in input_changes(run, before)}
    assert sorted(found) == ["a.txt", "new.txt", "part.txt"]
    assert {fault.slug for fault in found.values()} == {"inputs-changed"}
    assert (found["new.txt"].expected, found["part.txt"].found) == ("no such file", "nothing")


def test_what_cannot_be_read_any_more_is_a_change(run: OpenRun) -> None:
    before = fingerprint_of(run)
    (run.protocol_folder / "inputs" / "link").symlink_to("a.txt")
    assert [fault.slug for fault in input_changes(run, before)] == ["inputs-changed"]


def test_files_are_given_as_text_or_as_paths(run: OpenRun) -> None:
    before = fingerprint_of(run)
    assert workspace_files(run, before, {"./b": "ä\r\n"}) == {"b": "ä\r\n".encode()}
    assert workspace_files(run, before, ["./inputs/a.txt"]) == {"inputs/a.txt": b"a\n"}
    assert workspace_files(run, before, ["inputs"]) == {"inputs/a.txt": b"a\n"}
    assert workspace_files(run, before, None) == {}


def test_a_file_that_changed_since_the_start_is_not_handed_out(run: OpenRun) -> None:
    before = fingerprint_of(run)
    (run.protocol_folder / "inputs" / "a.txt").write_text("b\n")
    with pytest.raises(Refused, match="inputs-changed"):
        workspace_files(run, before, ["inputs/a.txt"])


def test_the_solver_s_copy_cannot_be_written_and_keeps_what_is_executable(run: OpenRun, tmp_path: Path) -> None:
    (run.solver_folder / "solve.sh").chmod(0o755)
    folder = tmp_path / "copy"
    copy_solver(run, folder)
    assert (folder / "part.txt").read_text() == "part"
    modes = [oct(path.stat().st_mode & 0o777) for path in (folder, folder / "part.txt", folder / "solve.sh")]
    assert modes == ["0o555", "0o444", "0o555"]
