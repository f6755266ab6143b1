"""What another harness gets: tasks under opaque ids, without anything that the solver may not see."""

from __future__ import annotations

import json
from pathlib import Path

from sitegen.harness.handout import write_handout
from sitegen.harness.opening import open_run
from tests.sites import make_contestant, make_protocol, negative_tasks, ordinary_tasks


def test_nothing_of_the_answers_is_handed_out(tmp_path: Path) -> None:
    tasks = [{**task, "oracle": f"canary-{i}", "pack": "mine"} for i, task in enumerate(ordinary_tasks(3))]
    make_protocol(tmp_path, tasks=[*tasks, *negative_tasks(1)])
    opened = open_run(tmp_path, "demo.v1", make_contestant(tmp_path, "alpha"))
    path = tmp_path / "tasks.jsonl"
    write_handout(opened, path)
    text = path.read_text(encoding="utf-8")
    for word in ("canary", "oracle", "expected_class", "must_", "kind", "T-001", "NP-PASS", '"leaked"', '"yes"'):
        assert word not in text
    rows = [json.loads(line) for line in text.splitlines()]
    assert [row["pack"] for row in rows] == ["null_pack"] * 3 + ["dataset"] * 4
    assert {row["id"] for row in rows} == set(opened.opaque.values())
