"""`sitegen score`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from sitegen.cli.console import Console
from sitegen.cli.score import say_closed
from sitegen.harness.closing import Closed
from tests.sites import make_contestant, make_protocol

ANSWERS = {"T-001": "1", "T-002": "wrong", "T-003": "3", "NP-PASS": "yes", "NP-FAIL": "nothing was"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_contestant(tmp_path, "alpha")
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    return tmp_path


def write(root: Path, **changes: Any) -> None:
    """Transcripts under the true ids, as a rehearsal's are."""
    rows = []
    for task_id in (*ANSWERS, "NP-REFUSE", "N-001"):
        answer = ANSWERS.get(task_id)
        rows.append(
            {
                "task_id": task_id,
                "pack": "null_pack" if task_id.startswith("NP") else "dataset",
                "status": "ok",
                "abstained": answer is None,
                "artifact": answer,
                "route": "alpha-1.0",
                "retries": 0,
                "tool_calls": 0,
                "wall_clock_sec": 0.1,
                **changes,
            }
        )
    (root / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


MANIFEST = ["--manifest", "contestants/alpha/manifest.yaml"]


def start(capsys: Any) -> str:
    assert main(["start", "protocols/demo.v1", *MANIFEST, "--format", "json"]) == 0
    return str(json.loads(capsys.readouterr().out)["run_id"])


@pytest.mark.parametrize("form", ["{}", "reports/demo.v1/{}/"])
def test_a_started_run_is_closed_with_its_scorecard(form: str, root: Path, capsys: Any) -> None:
    run_id = start(capsys)
    command = ["score", "protocols/demo.v1", "--run", form.format(run_id), "--transcripts", "t.jsonl"]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "task success         0.667  2/3  95% 0.207-0.939 (wilson)" in said
    assert "abstention accuracy" in said
    assert main(["verify", "--quiet"]) == 0
    assert main(command) == 2  # it ended


def test_a_rehearsal_is_exploratory_and_leaves_the_exit_fine(root: Path, capsys: Any) -> None:
    command = ["score", "protocols/demo.v1", *MANIFEST, "--transcripts", "t.jsonl"]
    assert main(command) == 0
    said = capsys.readouterr()
    assert "exploratory" in said.out
    assert "0.667" not in said.out
    assert main(["verify", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["slug"] == "channel-exploratory"


@pytest.mark.parametrize("rehearsal", [True, False])
def test_a_failed_null_pack_is_told_without_a_number(rehearsal: bool, root: Path, capsys: Any) -> None:
    write(root, artifact="always the same", abstained=False)
    which = MANIFEST if rehearsal else ["--run", start(capsys)]
    assert main(["score", "protocols/demo.v1", *which, "--transcripts", "t.jsonl"]) == 0
    said = capsys.readouterr()
    assert "no report: null-pack-failed: NP-PASS, NP-REFUSE" in said.out
    assert "/3" not in said.out + said.err
    assert main(["verify", "--quiet"]) == 0


def test_bad_transcripts_are_refused_and_the_site_still_holds(root: Path, capsys: Any) -> None:
    write(root, abstained="false")
    run_id = start(capsys)
    assert main(["score", "protocols/demo.v1", "--run", run_id, "--transcripts", "t.jsonl"]) == 1
    assert main(["score", "protocols/demo.v1", *MANIFEST, "--transcripts", "t.jsonl"]) == 1
    assert main(["verify", "--quiet"]) == 0


def test_what_a_build_would_refuse_is_told_and_the_run_can_still_be_closed(root: Path, capsys: Any) -> None:
    run_id = start(capsys)
    command = ["score", "protocols/demo.v1", "--run", run_id, "--transcripts", "t.jsonl"]
    write(root, started="2000-01-01T00:00:00Z")
    assert main(command) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert f"refused time-order  reports/demo.v1/{run_id}/transcripts.jsonl" in said.err
    assert f"{run_id} is still open" in said.err
    assert main([*command, "--format", "json"]) == 1
    assert [json.loads(line)["slug"] for line in capsys.readouterr().out.splitlines()] == ["time-order"]
    write(root)
    assert main(command) == 0
    assert main(["verify", "--quiet"]) == 0


def test_what_is_not_there_is_misuse(root: Path, capsys: Any) -> None:
    assert main(["score", "protocols/demo.v1", "--run", "nowhere", "--transcripts", "t.jsonl"]) == 2
    assert main(["score", "protocols/demo.v1", *MANIFEST, "--transcripts", "nowhere.jsonl"]) == 2
    make_protocol(root, "other.v1", ordinary=3, negative=1)
    run_id = start(capsys)
    assert main(["score", "protocols/other.v1", "--run", run_id, "--transcripts", "t.jsonl"]) == 2


def test_the_ids_of_failed_rows_are_foreign_text(capsys: Any) -> None:
    say_closed(Closed(run_id="r", channel="scored", reason="null-pack-failed", rows=("a\nrefused \x1b[2J",)), Console())
    assert capsys.readouterr().out == "r  no report: null-pack-failed: a\\nrefused \\x1b[2J\n"
