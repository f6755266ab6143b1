"""A version is an exam reduced to digests: small, picklable, and with every byte that bears on a number in it."""

from __future__ import annotations

import pickle
from pathlib import Path

from tests.compare.test_protocols import TASKS, replaced, version


def test_a_version_is_small_and_can_be_sent_to_another_process(tmp_path: Path) -> None:
    made = version(tmp_path, "demo.v1", tasks=replaced(0, prompt="x" * 100_000))
    data = pickle.dumps(made)
    assert pickle.loads(data) == made
    assert len(data) < 20_000


def test_an_oracle_in_a_file_counts_by_its_bytes_and_not_by_its_path(tmp_path: Path) -> None:
    by_path = {"dataset": {"oracle": "path"}, "null_pack": {"oracle": "inline"}}
    tasks = [{**row, "oracle": f"oracles/{row['id']}"} if "oracle" in row else row for row in TASKS]
    files = {row["oracle"]: "right" + row["id"] for row in tasks if "oracle" in row}
    moved = [
        {**row, "oracle": row["oracle"].replace("oracles", "answers")} if "oracle" in row else row for row in tasks
    ]
    moved_files = {path.replace("oracles", "answers"): text for path, text in files.items()}
    old = version(tmp_path, "demo.v1", tasks=tasks, files=files, changes=by_path)
    same = version(tmp_path, "demo.v2", tasks=moved, files=moved_files, changes=by_path)
    other = version(tmp_path, "demo.v3", tasks=tasks, files={**files, "oracles/T-001": "wrong"}, changes=by_path)
    assert old.answers == same.answers
    assert {task_id for task_id in old.answers if old.answers[task_id] != other.answers[task_id]} == {"T-001"}
    assert old.others == same.others == other.others == {}


def test_files_that_nothing_accounts_for_are_kept_apart(tmp_path: Path) -> None:
    made = version(tmp_path, "demo.v1", files={"tables.py": "A = 1\n", "notes.md": "not sealed"})
    assert list(made.others) == ["tables.py"]
