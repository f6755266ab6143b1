"""Scoring with the metric on a cluster gives what scoring here gives, the failures of the metric included."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from sitegen.harness import spread_marking
from sitegen.harness.marking import Answer, Marker
from sitegen.harness.opening import OpenRun, open_run
from sitegen.harness.spread_marking import ShippedExam, mark
from sitegen.harness.spreading import received, sent
from sitegen.read.transcript import Transcript, write_transcript
from sitegen.refusals import Misuse
from tests.harness.cluster_kit import local_cluster
from tests.sites import make_contestant, make_protocol

PICKY = """
def score(result, oracle_path):
    if result == "boom":
        raise ValueError("boom")
    return {"pass": result == open(oracle_path).read(), "metric": "picky"}
"""


def opened(root: Path, **changes: Any) -> OpenRun:
    make_protocol(root, ordinary=3, negative=1, metric=PICKY, changes=changes)
    return open_run(root, "demo.v1", make_contestant(root, "alpha"))


def transcripts(answers: dict[str, str | None]) -> list[Transcript]:
    whole = {
        "NP-PASS": "yes",
        "NP-FAIL": "no",
        "NP-REFUSE": None,
        "T-001": "1",
        "T-002": "x",
        "T-003": None,
        "N-001": None,
    }
    given = {"status": "ok", "route": "alpha-1.0", "retries": 0, "tool_calls": 0, "wall_clock_sec": 0.5}
    return [
        Transcript(
            task_id=task_id,
            pack="null_pack" if task_id.startswith("NP") else "dataset",
            abstained=answer is None,
            artifact=answer,
            **given,  # type: ignore[arg-type]
        )
        for task_id, answer in {**whole, **answers}.items()
    ]


def spread_here(address: str, function: Any, items: Any, *common: object) -> Any:
    """What a cluster does, in this process: everything is pickled on its way."""
    shared = [received(sent(value)) for value in common]
    for item in items:
        yield pickle.loads(pickle.dumps(function(received(sent(item)), *shared)))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread_marking, "spread", spread_here)
    monkeypatch.setattr(spread_marking, "CHUNK", 2)


def test_what_the_metric_decides_is_asked_and_nothing_else(here: None, tmp_path: Path) -> None:
    run = opened(tmp_path)
    rows = transcripts({"T-003": "3"})
    found = spread_marking.verdicts_ahead(run, rows, "dask://x")
    with Marker(run.protocol, run.pack, run.protocol_folder) as marker:
        tasks = {task.id: task for task in run.pack.dataset}
        assert found == {answer: marker.verdict(tasks[answer.task_id], answer.artifact) for answer in found}
    assert found == {
        Answer(False, "T-001", "1"): True,
        Answer(False, "T-002", "x"): False,
        Answer(False, "T-003", "3"): True,
    }
    assert Answer(False, "T-003", "") not in spread_marking.verdicts_ahead(run, transcripts({}), "dask://x")


def test_what_it_fails_on_is_left_to_be_asked_again(tmp_path: Path) -> None:
    run = opened(tmp_path)
    files = {path.name: path.read_bytes() for path in run.protocol_folder.iterdir()}
    exam = ShippedExam(protocol=run.protocol, pack=run.pack, files=files)
    assert mark([Answer(False, "T-001", "boom"), Answer(False, "T-001", "1")], exam) == {
        Answer(False, "T-001", "1"): True
    }


def test_what_is_known_is_not_asked(tmp_path: Path) -> None:
    run = opened(tmp_path)
    with Marker(run.protocol, run.pack, run.protocol_folder) as marker:
        marker.know({Answer(False, "T-001", "boom"): True})
        assert marker.verdict(run.pack.dataset[0], "boom")


def test_a_judge_is_asked_here(here: None, tmp_path: Path) -> None:
    run = opened(tmp_path, metric={"deterministic": False})
    with pytest.raises(Misuse, match="judge"):
        spread_marking.verdicts_ahead(run, transcripts({}), "dask://x")


def test_a_run_is_scored_on_a_cluster_as_it_is_here(tmp_path: Path, capsys: Any) -> None:
    told = []
    with local_cluster() as cluster:
        for name, more in (("here", []), ("there", ["--executor", f"dask://{cluster['address']}"])):
            run = opened(tmp_path / name)
            (tmp_path / f"{name}.jsonl").write_bytes(b"".join(map(write_transcript, transcripts({}))))
            where = ["score", str(run.protocol_folder), "--run", str(run.run_folder), "--format", "json"]
            assert main([*where, "--transcripts", str(tmp_path / f"{name}.jsonl"), *more]) == 0, capsys.readouterr()
            assert json.loads(capsys.readouterr().out)["reason"] is None
            report = json.loads((run.run_folder / "report.json").read_bytes())
            told.append((report["tasks"], report["counts"], report["null_pack_rows"], report["mean"]))
    assert told[0] == told[1]
