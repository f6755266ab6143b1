"""`sitegen start`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sitegen.cli import main
from tests.sites import judge, make_contestant, make_protocol


def test_a_start_prints_the_run_and_writes_its_tasks(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    manifest = make_contestant(tmp_path, "alpha")
    monkeypatch.chdir(tmp_path)
    command = ["start", "protocols/demo.v1", "--manifest", str(manifest), "--format", "json"]
    assert main(command) == 0
    said = json.loads(capsys.readouterr().out)
    (start,) = judge(tmp_path, "demo.v1").ledger.of("start")
    assert (said["run_id"], said["start_sha256"]) == (start[1].run_id, start[0])
    assert len(Path(said["tasks"]).read_text().splitlines()) == 7
    assert main(["verify", "--quiet"]) == 0  # the tasks lie in the run's logs, which are never read
    assert main([*command[:4], "--tasks", "out/tasks.jsonl"]) == 0
    assert capsys.readouterr().out.strip().startswith("2")
    assert Path("out/tasks.jsonl").is_file()


def test_a_start_needs_a_sealed_protocol_and_a_manifest(tmp_path: Path, monkeypatch: Any) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1, seal=False)
    manifest = make_contestant(tmp_path, "alpha")
    monkeypatch.chdir(tmp_path)
    assert main(["start", "protocols/demo.v1", "--manifest", str(manifest)]) == 1
    make_protocol(tmp_path, "other.v1", ordinary=3, negative=1)
    assert main(["start", "protocols/other.v1", "--manifest", "nowhere.yaml"]) == 2
    assert main(["start", "protocols/nowhere", "--manifest", str(manifest)]) == 2
