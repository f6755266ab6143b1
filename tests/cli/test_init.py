"""`sitegen init` writes a site that seals at once, and refuses tasks of which no honest exam can be made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from sitegen.read.files import Tree
from sitegen.read.library import read_unit
from sitegen.read.pack import Pack
from sitegen.read.shipped import templates_dir
from sitegen.verify.verified import VerifiedUnit
from sitegen.verify.verifier import verify_unit


def judged(root: Path, protocol_id: str) -> VerifiedUnit:
    with Tree(root) as tree:
        return verify_unit(read_unit(tree, protocol_id))


def sealed_pack(root: Path, protocol_id: str) -> Pack:
    unit = judged(root, protocol_id)
    assert unit.protocol is not None, unit.refusals
    return unit.protocol.pack


def rows(ordinary: int = 4, negative: int = 2) -> list[dict[str, Any]]:
    answered = [{"id": f"Q{i}", "prompt": f"Say {i}.", "oracle": str(i)} for i in range(ordinary)]
    return answered + [{"id": f"X{i}", "kind": "negative", "prompt": f"Say what {i} hid."} for i in range(negative)]


def write(path: Path, tasks: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(task) + "\n" for task in tasks), encoding="utf-8")
    return path


def test_the_starter_seals_without_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = tmp_path / "demo"
    assert main(["init", str(site)]) == 0
    assert main(["seal", str(site / "protocols" / "lookup.v1")]) == 0
    said = capsys.readouterr()
    assert "below the founding floor" not in said.out
    pack = sealed_pack(site, "lookup.v1")
    assert len(pack.ordinary) >= 20
    assert len(pack.negative) >= 10
    assert {row.expected_class for row in pack.null_pack} == {"must_pass", "must_fail", "must_refuse"}


def test_the_starter_keeps_bytes_and_leaves_out_what_is_built(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / "demo")]) == 0
    attributes = (tmp_path / "demo" / ".gitattributes").read_text(encoding="utf-8")
    assert all(f"{folder}/**" in attributes for folder in ("protocols", "reports", "contestants"))
    assert "/_site/" in (tmp_path / "demo" / ".gitignore").read_text(encoding="utf-8")


def test_the_metric_is_the_shipped_one(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / "demo")]) == 0
    name = "metric_exact_bytes.py"
    shipped = templates_dir() / "protocol" / name
    assert (tmp_path / "demo" / "protocols" / "lookup.v1" / name).read_bytes() == shipped.read_bytes()


def test_no_question_stands_in_both_packs_and_each_oracle_is_the_files_value(tmp_path: Path) -> None:
    """An independent reading of the settings agrees with every oracle, and finds no value for any control."""
    assert main(["init", str(tmp_path / "demo")]) == 0
    folder = tmp_path / "demo" / "protocols" / "lookup.v1"
    for line in (folder / "tasks.jsonl").read_text(encoding="utf-8").splitlines():
        task = json.loads(line)
        found = None
        for text in task["files"]["settings.conf"].splitlines():
            key, equals, value = text.partition("=")
            if equals and not text.strip().startswith("#") and key.strip() == task["key"]:
                found = value.strip() or None
        assert found == task.get("oracle"), task["id"]
        assert task["files"]["key.txt"] == task["key"] + "\n"
        assert task["prompt"].endswith(f"Key: {task['key']}")


def test_the_next_commands_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path / "demo")]) == 0
    said = capsys.readouterr().err
    assert f"cd {tmp_path / 'demo'}" in said
    assert "sitegen seal protocols/lookup.v1" in said
    assert "--manifest contestants/shell/manifest.yaml" in said


def test_a_program_reads_what_was_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path / "demo"), "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    there = sorted(
        path.relative_to(tmp_path / "demo").as_posix() for path in (tmp_path / "demo").rglob("*") if path.is_file()
    )
    assert said["files"] == there
    assert said["manifests"] == ["contestants/shell/manifest.yaml", "contestants/python/manifest.yaml"]


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    assert main(["init", str(tmp_path)]) == 2
    assert "README.md" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_a_fresh_repository_is_empty_enough(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert main(["init", str(tmp_path)]) == 0


def test_own_attributes_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / ".gitattributes").write_text("* text\n", encoding="utf-8")
    assert main(["init", str(tmp_path)]) == 2


def test_own_tasks_become_an_exam_that_seals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = write(tmp_path / "My.Tasks.jsonl", rows(ordinary=6, negative=3))
    assert main(["init", str(tmp_path / "site"), "--from", str(tasks)]) == 0
    assert "Q0, Q1, X0" in capsys.readouterr().err
    assert main(["seal", str(tmp_path / "site" / "protocols" / "my-tasks.v1")]) == 0
    pack = sealed_pack(tmp_path / "site", "my-tasks.v1")
    assert [task.id for task in pack.dataset] == ["Q2", "Q3", "Q4", "Q5", "X1", "X2"]
    assert [(row.id, row.expected_class) for row in pack.null_pack] == [
        ("Q0", "must_pass"),
        ("Q1", "must_fail"),
        ("X0", "must_refuse"),
    ]
    assert pack.null_oracles["Q0"] == b"0"
    assert pack.null_oracles["Q1"] != b"1"
    assert "protocols/my-tasks.v1" in (tmp_path / "site" / "README.md").read_text(encoding="utf-8")


def test_oracles_and_files_beside_the_tasks_come_along(tmp_path: Path) -> None:
    tasks = rows()
    for task in tasks:
        if "oracle" in task:
            (tmp_path / f"{task['id']}.txt").write_text(task["oracle"], encoding="utf-8")
            task["oracle"] = f"{task['id']}.txt"
    tasks[3]["files"] = ["input.txt"]
    (tmp_path / "input.txt").write_text("given", encoding="utf-8")
    path = write(tmp_path / "exam.jsonl", tasks)
    assert main(["init", str(tmp_path / "site"), "--from", str(path)]) == 0
    folder = tmp_path / "site" / "protocols" / "exam.v1"
    assert (folder / "input.txt").read_text(encoding="utf-8") == "given"
    assert main(["seal", str(folder)]) == 0
    assert sealed_pack(tmp_path / "site", "exam.v1").oracles == {"Q2": b"2", "Q3": b"3"}


@pytest.mark.parametrize(
    ("tasks", "slug"),
    [
        (rows(negative=0), "no-negative-controls"),
        (rows(negative=1), "pack-below-min-n"),
        (rows(ordinary=2), "pack-below-min-n"),
        ([*rows(), {"id": "Q0", "prompt": "again", "oracle": "x"}], "task-id-duplicate"),
        ([*rows(), {"id": "Q9", "prompt": "no answer"}], "oracle-missing"),
        ([*rows(), {"id": "Q9", "prompt": "Say 0.", "oracle": "0"}], "pack-content-duplicate"),
        ([*rows(), {"id": "Q9", "prompt": "?", "oracle": "x", "kind": "hard"}], "task-kind-unknown"),
        ([*rows(), {"prompt": "no id", "oracle": "x"}], "field-missing"),
        ([*rows(), {"id": "Q9", "oracle": "x", "files": ["../secret"]}], "path-unsafe"),
        ([*rows(), {"id": "Q9", "oracle": "x", "files": ["absent"]}], "file-missing"),
        ([*rows(), {"id": "Q9", "oracle": "x", "files": ["./exam.jsonl"]}], "rules-contradict"),
        ([*rows(), {"id": "Q9", "oracle": "x", "files": ["protocol.yaml"]}], "rules-contradict"),
    ],
)
def test_tasks_that_make_no_exam_are_refused_and_nothing_is_written(
    tasks: list[dict[str, Any]], slug: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "exam.jsonl", tasks)
    assert main(["init", str(tmp_path / "site"), "--from", str(path), "--format", "json"]) == 1
    assert slug in [json.loads(line)["slug"] for line in capsys.readouterr().out.splitlines()]
    assert not (tmp_path / "site").exists()


def test_oracles_that_are_all_alike_leave_no_wrong_answer_to_plant(tmp_path: Path) -> None:
    tasks = [{**row, "oracle": "yes"} if "oracle" in row else row for row in rows()]
    assert main(["init", str(tmp_path / "site"), "--from", str(write(tmp_path / "t.jsonl", tasks))]) == 2


def test_a_file_that_is_not_there_is_misuse(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / "site"), "--from", str(tmp_path / "absent.jsonl")]) == 2
