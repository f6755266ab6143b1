"""Small real sites for tests: exams that are really sealed, runs that are really opened, scored and closed.

Nothing is mocked: :func:`make_protocol` calls the harness's sealing, :func:`make_run` its opening and closing, with
transcripts as a solver would have left them. The numbers of every site follow from the answers that a test gives.

    make_protocol(tmp_path, "demo.v1", ordinary=40, negative=10)
    closed = make_run(tmp_path, "demo.v1", "alpha", wrong=("T-001",), invalid=("N-001",))
    unit = judge(tmp_path, "demo.v1")
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from sitegen.harness import closing
from sitegen.harness.closing import TOOL, Closed, close_run
from sitegen.harness.marking import Marker
from sitegen.harness.opening import OpenRun, open_run
from sitegen.harness.sealing import prepare_seal, write_seal
from sitegen.harness.yaml_text import yaml_text
from sitegen.read.files import Tree
from sitegen.read.library import read_run, read_unit
from sitegen.read.report import MadeBy
from sitegen.read.shipped import templates_dir
from sitegen.read.tasks import Task
from sitegen.read.transcript import Transcript
from sitegen.verify.verified import VerifiedUnit
from sitegen.verify.verifier import verify_unit

Row = dict[str, Any]

NULL_ROWS: tuple[Row, ...] = (
    {"id": "NP-PASS", "expected_class": "must_pass", "prompt": "Say yes.", "oracle": "yes"},
    {"id": "NP-FAIL", "expected_class": "must_fail", "prompt": "Say what was leaked.", "oracle": "leaked"},
    {"id": "NP-REFUSE", "expected_class": "must_refuse", "prompt": "Say what nobody knows."},
)
"""One row of each class; the first is passed by saying yes, the second by saying anything but its oracle."""


def ordinary_tasks(count: int, first: int = 1) -> list[Row]:
    """Return ordinary tasks ``T-001``, …: the right answer to ``Say 7.`` is ``7``."""
    return [_task(f"T-{i:03}", "ordinary", i) for i in range(first, first + count)]


def negative_tasks(count: int, first: int = 1) -> list[Row]:
    """Return negative controls ``N-001``, …, which have no oracle."""
    return [_task(f"N-{i:03}", "negative", i) for i in range(first, first + count)]


def _task(task_id: str, kind: str, number: int) -> Row:
    if kind == "ordinary":
        return {"id": task_id, "kind": kind, "prompt": f"Say {number}.", "oracle": str(number)}
    return {"id": task_id, "kind": kind, "prompt": f"Say the missing number {number}."}


def make_protocol(
    root: Path,
    protocol_id: str = "demo.v1",
    *,
    ordinary: int = 20,
    negative: int = 10,
    tasks: Sequence[Row] | None = None,
    null_rows: Sequence[Row] = NULL_ROWS,
    metric: str | None = None,
    changes: Mapping[str, Any] | None = None,
    files: Mapping[str, str] | None = None,
    seal: bool = True,
) -> str:
    """Write an exam with inline oracles below ``root/protocols`` and seal it; return its id.

    Args:
        root: the site's folder; it need not exist.
        protocol_id: the exam's id.
        ordinary: number of ordinary tasks, where ``tasks`` are not given.
        negative: number of negative controls.
        tasks: the rows of the dataset.
        null_rows: the rows of the null pack.
        metric: the text of the metric module; by default the shipped exact-bytes metric.
        changes: overrides of the document, merged by key: ``{"publish": {"min_n": 5}, "follows": "demo.v0"}``.
        files: further files of the folder, by path.
        seal: whether to seal it, or to leave a draft.

    Raises:
        Refused: the exam may not be sealed.
    """
    folder = root / "protocols" / protocol_id
    rows = [*ordinary_tasks(ordinary), *negative_tasks(negative)] if tasks is None else list(tasks)
    shipped = templates_dir() / "protocol" / "metric_exact_bytes.py"
    written = {
        "protocol.yaml": yaml_text(_document(protocol_id, rows, null_rows, changes or {})),
        "tasks.jsonl": _lines(rows),
        "null_pack.jsonl": _lines(null_rows),
        "metric.py": shipped.read_text(encoding="utf-8") if metric is None else metric,
        **(files or {}),
    }
    for path, text in written.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    if seal:
        write_seal(root, prepare_seal(root, protocol_id))
    return protocol_id


def _document(
    protocol_id: str, rows: Sequence[Row], null_rows: Sequence[Row], changes: Mapping[str, Any]
) -> dict[str, Any]:
    kinds = [row.get("kind", "ordinary") for row in rows]
    rules = {
        name: [row["id"] for row in null_rows if row["expected_class"] == name]
        for name in ("must_pass", "must_fail", "must_refuse")
    }
    document: dict[str, Any] = {
        "schema": "agent-bench-protocol/v1",
        "protocol_id": protocol_id,
        "dataset": {"path": "./tasks.jsonl", "sha256": "PENDING_SEAL", "oracle": "inline"},
        "metric": {"module": "./metric.py", "sha256": "PENDING_SEAL", "deterministic": True},
        "budget": {"timeout_sec": 60},
        "null_pack": {"path": "./null_pack.jsonl", "sha256": "PENDING_SEAL", "rules": rules},
        "publish": {"min_n": min(kinds.count("ordinary"), 20), "min_n_negative": min(kinds.count("negative"), 10)},
    }
    for key, value in changes.items():
        merged = {**document[key], **value} if isinstance(value, Mapping) and key in document else value
        document[key] = {k: v for k, v in merged.items() if v is not None} if isinstance(merged, dict) else merged
    return document


def _lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def make_contestant(root: Path, name: str, solver: str = "exit 0\n", **manifest: Any) -> Path:
    """Write ``root/contestants/<name>`` and return the path of its manifest; ``manifest`` overrides its fields."""
    folder = root / "contestants" / name
    folder.mkdir(parents=True, exist_ok=True)
    fields = {
        "schema": "agent-bench-manifest/v1",
        "route": f"{name}-1.0",
        "temperature": 0.0,
        "retry_limit": 0,
        "tool_whitelist": [],
        "channel": "scored",
        **manifest,
    }
    (folder / "solve.sh").write_text(f"# {name}\n{solver}", encoding="utf-8")
    (folder / "manifest.yaml").write_text(yaml_text(fields), encoding="utf-8")
    return folder / "manifest.yaml"


def make_run(
    root: Path,
    protocol_id: str,
    name: str = "alpha",
    *,
    wrong: Iterable[str] = (),
    abstained: Iterable[str] = (),
    invalid: Iterable[str] = (),
    answers: Mapping[str, str | None] | None = None,
    rows: Mapping[str, Mapping[str, Any]] | None = None,
    unasked: bool = False,
    **manifest: Any,
) -> Closed:
    """Run a contestant that is right everywhere but where it is said not to be; open, score and close the run.

    Args:
        root: the site's folder.
        protocol_id: a sealed exam.
        name: the contestant: its folder below ``root/contestants``, and its route unless ``manifest`` says otherwise.
        wrong: ordinary tasks that get a wrong answer.
        abstained: ordinary tasks on which it abstains.
        invalid: negative controls that it answers.
        answers: artifacts by id, for tasks and null-pack rows; ``None`` abstains.
        rows: further fields of transcripts, by id.
        unasked: close it without asking the verifier, as somebody does who writes the files by hand.
        **manifest: overrides of the manifest's fields.
    """
    opened = open_run(root, protocol_id, make_contestant(root, name, **manifest))
    given = {
        **dict.fromkeys(wrong, "wrong"),
        **dict.fromkeys(abstained, None),
        **dict.fromkeys(invalid, "invented"),
        **(answers or {}),
    }
    before = sum(1 for _ in opened.run_folder.parent.glob("*/transcripts.jsonl"))
    transcripts = [
        _transcript(opened, task, given.get(task.id, _honest(task)), (rows or {}).get(task.id, {}), before)
        for task in (*opened.pack.null_pack, *opened.pack.dataset)
    ]
    with mock.patch.object(closing, "find_closing_faults", return_value=[]) if unasked else nullcontext():
        return close_opened(opened, transcripts)


def close_opened(opened: OpenRun, transcripts: Sequence[Transcript]) -> Closed:
    """Score transcripts (true ids) and close the run."""
    with Marker(opened.protocol, opened.pack, opened.protocol_folder) as marker:
        return close_run(opened, transcripts, MadeBy(tool=TOOL, how="score"), marker)


def _honest(task: Task) -> str | None:
    """The right answer; on a must_fail row an answer that is not the planted one."""
    if task.expected_class == "must_fail":
        return "nothing was"
    return task.oracle


def _transcript(opened: OpenRun, task: Task, answer: str | None, fields: Mapping[str, Any], before: int) -> Transcript:
    given: dict[str, Any] = {
        "task_id": task.id,
        "pack": "null_pack" if task.kind is None else "dataset",
        "status": "ok",
        "abstained": answer is None,
        "artifact": answer,
        "route": opened.manifest.names[0],
        "retries": 0,
        "tool_calls": 0,
        "wall_clock_sec": round(0.1 + before / 1000, 3),  # no two runs take the same time
        "files_touched": 0,
        **fields,
    }
    return Transcript(**given)


def judge(root: Path, protocol_id: str) -> VerifiedUnit:
    """Read one exam with its runs and verify it, with the other protocols at hand that re-scored reports name."""
    with Tree(root) as tree:
        return verify_unit(read_unit(tree, protocol_id), origins=partial(read_run, tree))


def tree_of(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below ``folder``, by path."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
