"""Ask the sealed metric, in a process of its own, whether an artifact passes."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from sitegen.digests import sha256
from sitegen.read.pack import Pack
from sitegen.read.protocol import DraftProtocol
from sitegen.read.tasks import Task
from sitegen.read.verdicts import Verdict
from sitegen.refusals import Refusal, Refused

DEADLINE_SEC = 30.0
"""Longest that a metric may take for one verdict."""

_SCRIPT = Path(__file__).with_name("metric_process.py")


class Marker:
    """The sealed metric, running. Use as a context manager.

    A judge (``deterministic: false``) gets the caller's environment, since it may need a key and the network; its
    verdicts are kept in :attr:`verdicts`. Every other metric gets an empty environment.
    """

    def __init__(self, protocol: DraftProtocol, pack: Pack, folder: Path) -> None:
        self.verdicts: list[Verdict] = []
        self._protocol = protocol
        self._pack = pack
        self._module = folder / protocol.metric.module.removeprefix("./")
        self._folder = folder
        self._oracles = tempfile.TemporaryDirectory(prefix="sitegen-oracles-")
        self._process: subprocess.Popen[bytes] | None = None
        self._unread = b""

    def __enter__(self) -> Marker:
        found = sha256(self._module.read_bytes())
        if found != self._protocol.metric.sha256:
            file = str(self._protocol.metric.module)
            raise Refused([Refusal(slug="metric-drift", file=file, expected=self._protocol.metric.sha256, found=found)])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self._oracles.cleanup()

    def verdict(self, task: Task, artifact: str) -> bool:
        """Return whether ``artifact`` passes for ``task``, a task or a null-pack row that has an oracle.

        Raises:
            Refused: ``metric-failed``: an exception, another shape, or no answer in time.
        """
        question = {"artifact": artifact, "oracle_path": str(self._oracle_file(task))}
        answer = self._ask(json.dumps(question).encode() + b"\n", task)
        verdict = answer.get("verdict")
        if not isinstance(verdict, dict) or not isinstance(verdict.get("pass"), bool):
            found = str(answer.get("error", f"the answer {json.dumps(verdict)[:200]}"))
            raise self._failed(task, '{"pass": true or false, "metric": text}', found)
        if not self._protocol.metric.deterministic:
            self._record(task, verdict)
        return bool(verdict["pass"])

    def _record(self, task: Task, verdict: Mapping[str, Any]) -> None:
        model, reply = verdict.get("model"), verdict.get("reply")
        self.verdicts.append(
            Verdict(
                task_id=task.id,
                pack="null_pack" if task.kind is None else "dataset",
                passed=verdict["pass"],
                model=model if isinstance(model, str) else None,
                reply=reply if isinstance(reply, str) else None,
            )
        )

    def _oracle_file(self, task: Task) -> Path:
        """Return a file with the oracle's exact bytes: the sealed file, or a copy of an inline oracle."""
        null_row = task.kind is None
        form = self._protocol.null_pack_oracle if null_row else self._protocol.dataset_oracle
        if form == "path":
            return self._folder / (task.oracle or "").removeprefix("./")
        path = Path(self._oracles.name) / "oracle"
        path.write_bytes((self._pack.null_oracles if null_row else self._pack.oracles)[task.id])
        return path

    def _ask(self, question: bytes, task: Task) -> dict[str, Any]:
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(question)
            process.stdin.flush()
            line = self._read_line(process.stdout.fileno(), task)
        except BrokenPipeError:
            self._stop()
            raise self._failed(task, "an answer", "the metric's process ended") from None
        try:
            answer = json.loads(line)
        except ValueError:
            answer = {"error": "an answer that is no JSON"}
        return answer if isinstance(answer, dict) else {"error": "an answer that is no object"}

    def _read_line(self, descriptor: int, task: Task) -> bytes:
        while b"\n" not in self._unread:
            ready, _, _ = select.select([descriptor], [], [], DEADLINE_SEC)
            part = os.read(descriptor, 1 << 16) if ready else b""
            if not part:
                self._stop()
                found = "the metric's process ended" if ready else f"none within {DEADLINE_SEC:g} s"
                raise self._failed(task, "an answer", found)
            self._unread += part
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _start(self) -> subprocess.Popen[bytes]:
        judge = not self._protocol.metric.deterministic
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(_SCRIPT), str(self._module.resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            env=dict(os.environ) if judge else {"PATH": os.defpath, "LANG": "C.UTF-8"},
            start_new_session=True,
        )
        return self._process

    def _stop(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.communicate()
        self._process = None
        self._unread = b""

    def _failed(self, task: Task, expected: str, found: str) -> Refused:
        file = str(self._protocol.metric.module).removeprefix("./")
        return Refused(
            [Refusal(slug="metric-failed", file=file, path=f"task {task.id}", expected=expected, found=found)]
        )
