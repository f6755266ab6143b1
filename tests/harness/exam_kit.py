"""Small sealed exams and contestants, made on the spot, and the command that runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.isolation import bwrap_fault
from sitegen.harness.sealing import prepare_seal, write_seal

ROOT = Path(__file__).resolve().parents[2]
PROTOCOL_ID = "kit.2026-11-30"

SOLVER = """\
#!/usr/bin/env bash
# Says what the task asks it to say; abstains where that is nothing.
field() { sed -n "s/.*\\"$1\\": *\\"\\([^\\"]*\\)\\".*/\\1/p" "$TASK_JSON"; }
say=$(field say)
act=$(field act)
if [[ -n $act ]]; then source "$SOLVER_DIR/act-$act.sh"; exit; fi
if [[ -z $say ]]; then printf '{"abstained": true}' >"$RESULT_JSON"; fi
printf %s "$say"
"""

Row = dict[str, Any]


def ordinary(task_id: str, say: str, oracle: str | None = None, **more: Any) -> Row:
    """A task that the kit's solver answers with ``say``; right where that is the oracle."""
    return {"id": task_id, "kind": "ordinary", "say": say, "oracle": say if oracle is None else oracle, **more}


def negative(task_id: str, say: str = "", **more: Any) -> Row:
    """A control on which the kit's solver abstains, unless it has something to say."""
    return {"id": task_id, "kind": "negative", "say": say, "note": task_id, **more}


NULL_PACK: tuple[Row, ...] = (
    {"id": "NP-PASS", "expected_class": "must_pass", "say": "null pack", "oracle": "null pack"},
    {"id": "NP-FAIL", "expected_class": "must_fail", "say": "wrong", "oracle": "right"},
    {"id": "NP-REFUSE", "expected_class": "must_refuse", "say": ""},
)
PLAIN = (ordinary("D-1", "one"), ordinary("D-2", "two", oracle="zwei"), negative("N-1"), negative("N-2", "made up"))
"""Four tasks with the outcomes success, miss, abstain_ok and invalid_completion."""


@dataclass(frozen=True, kw_only=True)
class Exam:
    """A site with one sealed exam."""

    root: Path

    @property
    def protocol(self) -> str:
        return f"protocols/{PROTOCOL_ID}"

    @property
    def reports(self) -> Path:
        return self.root / "reports" / PROTOCOL_ID

    def contestant(self, files: Mapping[str, str] | None = None, name: str = "kit", **manifest: Any) -> Path:
        """Write a contestant and return its manifest's path."""
        folder = self.root / "contestants" / name
        for path, text in (files or {"solve.sh": SOLVER}).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        settings = {
            "schema": "agent-bench-manifest/v1",
            "route": "kit-1",
            "temperature": None,
            "retry_limit": 1,
            "tool_whitelist": ["calculator"],
            "channel": "scored",
            **manifest,
        }
        (folder / "manifest.yaml").write_text("".join(f"{k}: {json.dumps(v)}\n" for k, v in settings.items()))
        return folder / "manifest.yaml"

    def start(
        self, *arguments: str, env: Mapping[str, str] | None = None, around: Sequence[str] = ()
    ) -> subprocess.Popen[str]:
        """Start the command line in the site's root, as the last arguments of the command ``around``."""
        return subprocess.Popen(
            [*around, sys.executable, "-m", "sitegen", *arguments],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(self, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Run the command line in the site's root."""
        process = self.start(*arguments, env=env)
        out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def run(self, manifest: Path, *options: str, env: Mapping[str, str] | None = None) -> tuple[Path, Row]:
        """Run a contestant that gets a report; return the run's folder and the report."""
        done = self.call("run", self.protocol, "--manifest", str(manifest), "--format", "json", *options, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
        folder = self.reports / json.loads(done.stdout)["run_id"]
        return folder, report_of(folder)

    def ends(self) -> list[Row]:
        """The end events of the ledger."""
        events = [json.loads(path.read_bytes()) for path in (self.reports / "ledger").glob("*.json")]
        return [event for event in events if event["event"] == "end"]


def make_exam(
    root: Path,
    tasks: Sequence[Row] = PLAIN,
    null_pack: Sequence[Row] = NULL_PACK,
    *,
    timeout_sec: float = 20,
    artifact: str = "stdout",
    max_files_touched: int | None = None,
    files: Mapping[str, str] | None = None,
    metric: str | None = None,
) -> Exam:
    """Write an exam into ``root`` and seal it; a ``metric`` that is given is a judge."""
    folder = root / "protocols" / PROTOCOL_ID
    (folder / "tasks").mkdir(parents=True)
    module = (ROOT / "templates" / "protocol" / "metric_exact_bytes.py").read_text(encoding="utf-8")
    (folder / "metric.py").write_text(metric or module, encoding="utf-8")
    for name, rows in (("tasks", tasks), ("null", null_pack)):
        (folder / "tasks" / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for path, text in (files or {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    classes = {name: [row["id"] for row in null_pack if row["expected_class"] == name] for name in CLASSES}
    document = {
        "schema": "agent-bench-protocol/v1",
        "protocol_id": PROTOCOL_ID,
        "dataset": {
            "path": "./tasks/tasks.jsonl",
            "sha256": "PENDING_SEAL",
            "oracle": "inline",
            "artifact": artifact,
        },
        "metric": {"module": "./metric.py", "sha256": "PENDING_SEAL", "deterministic": metric is None},
        "budget": {"timeout_sec": timeout_sec}
        | ({} if max_files_touched is None else {"max_files_touched": max_files_touched}),
        "null_pack": {"path": "./tasks/null.jsonl", "sha256": "PENDING_SEAL", "rules": classes},
        "publish": {"min_n": 1, "min_n_negative": 1},
    }
    (folder / "protocol.yaml").write_text("".join(f"{k}: {json.dumps(v)}\n" for k, v in document.items()))
    write_seal(root, prepare_seal(root, PROTOCOL_ID))
    return Exam(root=root)


CLASSES = ("must_pass", "must_fail", "must_refuse")


def report_of(folder: Path) -> Row:
    """The report of a run."""
    report: Row = json.loads((folder / "report.json").read_bytes())
    return report


def outcomes(report: Row) -> dict[str, str]:
    """Outcome by task id."""
    return {row["id"]: row["outcome"] for row in report["tasks"]}


def rows_of(folder: Path) -> dict[str, Row]:
    """Transcript by task id; fails where one id has two."""
    rows = [json.loads(line) for line in (folder / "transcripts.jsonl").read_bytes().splitlines()]
    by_id = {row["task_id"]: row for row in rows}
    assert len(by_id) == len(rows)
    return by_id


BWRAP_FAULT = bwrap_fault()
needs_bwrap = pytest.mark.skipif(BWRAP_FAULT is not None, reason=f"bubblewrap does not work here: {BWRAP_FAULT}")
levels = pytest.mark.parametrize("level", ["none", pytest.param("bwrap", marks=needs_bwrap)])
