"""What a solver sees of an exam: everything that it could have noticed, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitegen.verify.exposure import Exposure, exposure_of, find_exposure_differences
from tests.sites import NULL_ROWS, judge, make_protocol, negative_tasks, ordinary_tasks

TASKS = [*ordinary_tasks(20), *negative_tasks(10)]


def exposure(root: Path, protocol_id: str, **made: Any) -> Exposure:
    make_protocol(root, protocol_id, **made)
    protocol = judge(root, protocol_id).protocol
    assert protocol is not None
    return exposure_of(protocol.protocol, protocol.pack, {file.path: file.sha256 for file in protocol.files})


@pytest.mark.parametrize(
    ("made", "seen"),
    [
        ({"tasks": [{**TASKS[0], "oracle": "one"}, *TASKS[1:]]}, []),
        ({"metric": 'def score(result, oracle_path):\n    return {"pass": True, "metric": ""}\n'}, []),
        ({"tasks": [{**TASKS[0], "hint": "it is 1"}, *TASKS[1:]]}, ["dataset T-001"]),
        ({"tasks": [*TASKS, *negative_tasks(1, first=99)]}, ["dataset N-099"]),
        ({"tasks": TASKS[1:], "changes": {"publish": {"min_n": 19}}}, ["dataset T-001"]),
        ({"null_rows": [{**NULL_ROWS[0], "prompt": "Say aye."}, *NULL_ROWS[1:]]}, ["null_pack NP-PASS"]),
        ({"changes": {"budget": {"timeout_sec": 61}}}, ["timeout_sec"]),
        ({"changes": {"budget": {"max_files_touched": 1}}}, ["max_files_touched"]),
        ({"changes": {"dataset": {"artifact": "workspace-diff"}}}, ["artifact"]),
    ],
)
def test_only_what_could_be_noticed_counts(tmp_path: Path, made: dict[str, Any], seen: list[str]) -> None:
    old = exposure(tmp_path, "demo.v1", tasks=TASKS)
    new = exposure(tmp_path, "demo.v2", **{"tasks": TASKS, **made})
    assert [what for what, _, _ in find_exposure_differences(old, new)] == seen


@pytest.mark.parametrize(("named", "seen"), [("data/a.txt", True), ("data", True), ("data/b.txt", False)])
def test_the_bytes_of_named_files_are_seen_and_no_others(named: str, seen: bool, tmp_path: Path) -> None:
    tasks = [{**TASKS[0], "files": [named]}, *TASKS[1:]]
    old = exposure(tmp_path, "demo.v1", tasks=tasks, files={"data/a.txt": "1\n", "data/b.txt": "1\n"})
    new = exposure(tmp_path, "demo.v2", tasks=tasks, files={"data/a.txt": "2\n", "data/b.txt": "1\n"})
    assert [what for what, _, _ in find_exposure_differences(old, new)] == ["dataset T-001"] * seen
