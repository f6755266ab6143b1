"""The starter's contestants keep the solver contract and pass their null pack; its texts name what is there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.starter import STARTER_ID, Starter, shipped_starter, starter_from, write_starter
from sitegen.read.files import SourceFile
from sitegen.read.manifest import read_manifest
from sitegen.read.shipped import templates_dir
from sitegen.refusals import Refused


def solve(contestant: Path, task: dict[str, Any], workspace: Path) -> tuple[str, dict[str, Any]]:
    """Call a contestant as the contract says; return standard output and the result file's value."""
    workspace.mkdir()
    for path, text in task["files"].items():
        (workspace / path).write_text(text, encoding="utf-8")
    hidden = ("id", "kind", "oracle", "expected_class")
    task_json, result_json = workspace.with_suffix(".json"), workspace.with_suffix(".result.json")
    shown = {key: value for key, value in task.items() if key not in hidden}
    task_json.write_text(json.dumps({"id": "t-1", **shown}), encoding="utf-8")
    program = {"shell": ["bash", contestant / "solve.sh"], "python": [sys.executable, contestant / "solve.py"]}
    env = {"PATH": "/usr/bin:/bin", "TASK_JSON": str(task_json), "RESULT_JSON": str(result_json)}
    ran = subprocess.run(
        program[contestant.name], cwd=workspace, env=env, capture_output=True, text=True, check=True, timeout=60
    )
    return ran.stdout, json.loads(result_json.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["shell", "python"])
def test_a_contestant_passes_the_null_pack(name: str, tmp_path: Path) -> None:
    write_starter(tmp_path / "site", shipped_starter())
    pack = tmp_path / "site" / "protocols" / STARTER_ID / "null_pack.jsonl"
    for number, line in enumerate(pack.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        answer, result = solve(tmp_path / "site" / "contestants" / name, row, tmp_path / f"w{number}")
        observed = {"must_pass": answer == row.get("oracle"), "must_fail": answer != row.get("oracle")}
        observed["must_refuse"] = result["abstained"] and answer == ""
        assert observed[row["expected_class"]], row["id"]


@pytest.mark.parametrize("name", ["shell", "python"])
def test_the_exam_has_something_to_find_in_either_contestant(name: str, tmp_path: Path) -> None:
    """Neither a perfect score nor none: the first page that somebody builds shows what the numbers mean."""
    write_starter(tmp_path / "site", shipped_starter())
    tasks = (tmp_path / "site" / "protocols" / STARTER_ID / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    right = []
    for number, task in enumerate(map(json.loads, tasks)):
        answer, result = solve(tmp_path / "site" / "contestants" / name, task, tmp_path / f"w{number}")
        right.append(answer == task["oracle"] if "oracle" in task else result["abstained"])
    assert 0 < sum(right) < len(right)


def test_a_placeholder_is_a_rehearsal(tmp_path: Path) -> None:
    tasks = [{"id": str(i), "prompt": str(i), "oracle": str(i)} for i in range(3)]
    tasks += [{"id": f"n{i}", "kind": "negative", "prompt": f"n{i}"} for i in range(2)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks), encoding="utf-8")
    starter = starter_from(tmp_path / "t.jsonl")
    data = starter.files[starter.manifests[0]]
    assert read_manifest(SourceFile(path="manifest.yaml", data=data, sha256="0" * 64)).channel == "exploratory"


def test_every_template_of_the_starter_is_used() -> None:
    """What lies beside the metrics is written by one of the two forms, or is a leftover."""
    folder = templates_dir() / "protocol"
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    there = {path.relative_to(folder).as_posix() for path in files}
    text = (Path(sys.modules[Starter.__module__].__file__ or "")).read_text(encoding="utf-8")
    named = set(re.findall(r'"([\w./-]+)"', text))
    assert {path for path in there if path not in named and Path(path).name not in named} == {"metric_exact_diff.py"}


def test_a_misread_task_names_its_own_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"id": "a", "oracle": "1"}\n{"id": 7}\n', encoding="utf-8")
    with pytest.raises(Refused) as refused:
        starter_from(tmp_path / "mine.jsonl")
    (fault,) = refused.value.refusals
    assert (fault.file, fault.path) == ("mine.jsonl", "line 2/id")
