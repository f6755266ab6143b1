"""A row is on the disk when `append` returns, one process holds the file, and what others do to it shows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sitegen.digests import sha256
from sitegen.harness.opening import OpenRun, open_run
from sitegen.harness.rows import RowLog, begin_sitting
from sitegen.read.transcript import Transcript
from sitegen.refusals import Misuse, Refused
from tests.harness.exam_kit import PROTOCOL_ID, make_exam


@pytest.fixture
def run(tmp_path: Path) -> OpenRun:
    return open_run(tmp_path, PROTOCOL_ID, make_exam(tmp_path).contestant())


def row(task_id: str, artifact: str | None = "x") -> Transcript:
    return Transcript(
        task_id=task_id,
        pack="null_pack" if task_id.startswith("NP") else "dataset",
        status="ok",
        abstained=False,
        artifact=artifact,
        route="kit-1",
        retries=None,
        tool_calls=None,
        wall_clock_sec=0.1,
    )


def test_rows_are_there_after_each_append(run: OpenRun, monkeypatch: pytest.MonkeyPatch) -> None:
    path = run.run_folder / "transcripts.jsonl"
    synced: list[int] = []
    with RowLog(run) as log:
        monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(path.stat().st_size))
        for number, task_id in enumerate(("NP-PASS", "D-1"), start=1):
            log.append(row(task_id, "line\nwith\u2028breaks"))
            assert len(log.path.read_bytes().splitlines()) == number
            assert synced[-1] == log.path.stat().st_size, "synced after it was written"
        assert log.sha256 == sha256(log.path.read_bytes())
        assert log.tampering() == []
    with RowLog(run) as log:
        assert [kept.task_id for kept in log.rows] == ["NP-PASS", "D-1"]


def test_a_torn_row_is_dropped_and_the_next_one_begins_a_line(run: OpenRun) -> None:
    with RowLog(run) as log:
        log.append(row("NP-PASS"))
    with log.path.open("ab") as file:
        file.write(b'{"task_id":"NP-F')
    with RowLog(run) as log:
        assert [kept.task_id for kept in log.rows] == ["NP-PASS"]
        log.append(row("NP-FAIL"))
        assert log.tampering() == []
    assert [line[:20] for line in log.path.read_bytes().splitlines()] == [
        b'{"task_id":"NP-PASS"',
        b'{"task_id":"NP-FAIL"',
    ]


@pytest.mark.parametrize("lines", [[b"{}"], [b"not json"]])
def test_a_damaged_row_is_refused(run: OpenRun, lines: list[bytes]) -> None:
    (run.run_folder / "transcripts.jsonl").write_bytes(b"\n".join([*lines, b""]))
    with pytest.raises(Refused), RowLog(run):
        pass
    with pytest.raises(Refused), RowLog(run):  # it was let go of
        pass


def test_a_repeated_row_and_one_of_no_task_are_refused(run: OpenRun) -> None:
    with RowLog(run) as log:
        log.append(row("D-1"))
        log.append(row("D-1"))
        log.append(row("D-9"))
    with pytest.raises(Refused, match="outcome-duplicate, task-unknown"), RowLog(run):
        pass


def test_only_one_process_holds_it(run: OpenRun) -> None:
    with RowLog(run), pytest.raises(Misuse, match="another process"), RowLog(run):
        pass
    with RowLog(run):
        pass


def test_a_link_in_its_place_is_not_followed(run: OpenRun, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"")
    (run.run_folder / "transcripts.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"), RowLog(run):
        pass


def test_tampering_shows(run: OpenRun, tmp_path: Path) -> None:
    with RowLog(run) as log:
        log.append(row("NP-PASS"))
        data = log.path.read_bytes()
        log.path.write_bytes(data.replace(b'"x"', b'"y"'))
        assert [fault.slug for fault in log.tampering()] == ["evidence-mismatch"]
        log.path.unlink()
        assert log.tampering()[0].found == "nothing"
        (tmp_path / "same").write_bytes(data)
        log.path.symlink_to(tmp_path / "same")
        assert log.tampering()[0].found == "a link"


def test_a_full_disk_is_an_error_and_no_row(run: OpenRun, monkeypatch: pytest.MonkeyPatch) -> None:
    with RowLog(run) as log:
        monkeypatch.setattr(os, "write", lambda descriptor, data: len(data) - 1)
        with pytest.raises(OSError, match="full"):
            log.append(row("NP-PASS"))
        assert log.rows == []


def test_sittings_are_counted(run: OpenRun) -> None:
    assert [begin_sitting(run.run_folder) for _ in range(3)] == [0, 1, 2]
