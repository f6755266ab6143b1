"""Ask the sealed metric, in a process of its own, whether an artifact passes."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock, RLock
from types import TracebackType
from typing import Any, NamedTuple, TypeGuard

from sitegen.digests import sha256
from sitegen.harness.isolation import bwrap_fault, is_below
from sitegen.read.pack import Pack
from sitegen.read.protocol import DraftProtocol
from sitegen.read.tasks import Task
from sitegen.read.verdicts import Verdict
from sitegen.refusals import Refusal, Refused

DEADLINE_SEC = 30.0
"""Longest that a metric may take for one verdict."""

LONGEST_ANSWER = 16 << 20
"""Most bytes of one answer."""

_SANDBOX = (
    *("bwrap", "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
)
"""Where bubblewrap works, a metric reads the disk but writes nowhere, and reaches no network and no other process."""

_OF_A_JUDGE = ', "model": text, "reply": text'
"""What a judge may add to its answer."""

_SCRIPT = Path(__file__).with_name("metric_process.py")


class Answer(NamedTuple):
    """What the metric is asked of: an answer to a task or, where it is one, to a row of the null pack."""

    null_row: bool
    task_id: str
    artifact: str


class Marker:
    """The sealed metric, running. Use as a context manager. It is asked once for each answer, one at a time.

    A judge (``deterministic: false``) gets the caller's environment, since it may need a key and the network; its
    verdicts are kept in :attr:`verdicts`. Every other metric gets an empty environment, and a sandbox where bubblewrap
    works.
    """

    def __init__(self, protocol: DraftProtocol, pack: Pack, folder: Path) -> None:
        self.verdicts: list[Verdict] = []
        self._protocol = protocol
        self._pack = pack
        self._folder = folder.resolve()  # the metric runs there, so no path that it is given may be relative
        self._module = self._folder / protocol.metric.module.removeprefix("./")
        self._known: dict[Answer, bool] = {}
        self._oracles: tempfile.TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._asking, self._ending = Lock(), RLock()
        self._closed = False

    def __enter__(self) -> Marker:
        found = sha256(self._module.read_bytes())
        if found != self._protocol.metric.sha256:
            file = str(self._protocol.metric.module)
            raise Refused([Refusal(slug="metric-drift", file=file, expected=self._protocol.metric.sha256, found=found)])
        self._oracles = tempfile.TemporaryDirectory(prefix="sitegen-oracles-")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._ending:
            self._closed = True
            self._kill()  # whoever is being answered in another thread gets no answer, and lets go of the process
        with self._asking:
            self._stop()
        if self._oracles is not None:
            self._oracles.cleanup()

    def verdict(self, task: Task, artifact: str) -> bool:
        """Return whether ``artifact`` passes for ``task``, a task or a null-pack row that has an oracle.

        A second time it is the same verdict: what a judge said of the null pack's gate is what counts at the end.

        Raises:
            Refused: ``metric-failed``: an exception, another shape, or no answer in time.
        """
        key = Answer(task.kind is None, task.id, artifact)
        with self._asking:
            if key not in self._known:
                self._known[key] = self._verdict(task, artifact)
            return self._known[key]

    def know(self, verdicts: Mapping[Answer, bool]) -> None:
        """Take verdicts that the same sealed metric gave elsewhere, which need not be asked for again."""
        self._known.update(verdicts)

    def _verdict(self, task: Task, artifact: str) -> bool:
        if self._closed:
            raise self._ended_before(task)
        question = {"artifact": artifact, "oracle_path": str(self._oracle_file(task))}
        answer = self._ask(json.dumps(question).encode() + b"\n", task)
        verdict = answer.get("verdict")
        judge = not self._protocol.metric.deterministic
        if not _is_verdict(verdict, judge):
            found = str(answer.get("error", f"the answer {json.dumps(verdict)[:200]}"))
            raise self._failed(task, f'{{"pass": true or false, "metric": text{_OF_A_JUDGE if judge else ""}}}', found)
        if judge:
            self._record(task, verdict)
        return bool(verdict["pass"])

    def _record(self, task: Task, verdict: Mapping[str, Any]) -> None:
        self.verdicts.append(
            Verdict(
                task_id=task.id,
                pack="null_pack" if task.kind is None else "dataset",
                passed=verdict["pass"],
                model=_writable(verdict.get("model")),
                reply=_writable(verdict.get("reply")),
            )
        )

    def _oracle_file(self, task: Task) -> Path:
        """Return a file with the oracle's exact bytes: the sealed file, or a copy of an inline oracle."""
        null_row = task.kind is None
        form = self._protocol.null_pack_oracle if null_row else self._protocol.dataset_oracle
        if form == "path":
            return self._folder / (task.oracle or "").removeprefix("./")
        assert self._oracles is not None
        path = Path(self._oracles.name) / "oracle"
        path.unlink(missing_ok=True)  # a new file, since cutting one to nothing makes ext4 write to the disk
        path.write_bytes((self._pack.null_oracles if null_row else self._pack.oracles)[task.id])
        return path

    def _ask(self, question: bytes, task: Task) -> dict[str, Any]:
        process = self._process or self._start(task)
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
        deadline = time.monotonic() + DEADLINE_SEC
        unread = bytearray()
        while not unread.endswith(b"\n"):
            ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
            part = os.read(descriptor, 1 << 16) if ready else b""
            unread += part
            if not part or len(unread) > LONGEST_ANSWER:
                self._stop()
                found = "the metric's process ended" if ready else f"none within {DEADLINE_SEC:g} s"
                raise self._failed(task, "an answer", found if not part else f"more than {LONGEST_ANSWER} bytes")
        return bytes(unread)

    def _start(self, task: Task) -> subprocess.Popen[bytes]:
        judge = not self._protocol.metric.deterministic
        command = [sys.executable, "-I", str(_SCRIPT), str(self._module)]
        if not judge and sandbox_works():
            command = [*_SANDBOX, *self._kept_in_sight(), "--", *command]
        with self._ending:
            if self._closed:
                raise self._ended_before(task)
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._folder,
                env=dict(os.environ) if judge else {"PATH": os.defpath, "LANG": "C.UTF-8"},
                start_new_session=True,
            )
        return self._process

    def _kept_in_sight(self) -> Iterator[str]:
        """Yield what shows the metric its own files and Python again where they lie in memory, below /dev."""
        assert self._oracles is not None
        needed = (str(self._folder), self._oracles.name, str(_SCRIPT.parent), sys.prefix, sys.base_prefix)
        for path in sorted({path for path in needed if is_below(path, "/dev")}):
            yield from ("--ro-bind", path, path)

    def _kill(self) -> None:
        with self._ending, suppress(ProcessLookupError, PermissionError):
            if self._process is not None:  # not yet waited for, so that the number is still its own
                os.killpg(self._process.pid, signal.SIGKILL)  # the metric's children are of its session

    def _stop(self) -> None:
        with self._ending:
            self._kill()
            if self._process is not None:
                with suppress(BrokenPipeError), self._process:
                    pass  # closes the pipes and waits
            self._process = None

    def _ended_before(self, task: Task) -> Refused:
        return self._failed(task, "an answer", "the run was ended")

    def _failed(self, task: Task, expected: str, found: str) -> Refused:
        file = str(self._protocol.metric.module).removeprefix("./")
        return Refused(
            [Refusal(slug="metric-failed", file=file, path=f"task {task.id}", expected=expected, found=found)]
        )


@cache
def sandbox_works() -> bool:
    """Tell whether a metric can be run under bubblewrap here; tried once."""
    return bwrap_fault() is None


def _is_verdict(value: object, judge: bool) -> TypeGuard[dict[str, Any]]:
    """Tell whether a metric's answer has the shape of one, with all it must and nothing else.

    A judge may add the served model and its raw reply, as text: they are recorded with the verdict.
    """
    if not isinstance(value, dict) or not isinstance(value.get("pass"), bool):
        return False
    added = {"model", "reply"} if judge else set()
    told = all(value.get(name) is None or isinstance(value[name], str) for name in added)
    return told and isinstance(value.get("metric"), str) and value.keys() <= {"pass", "metric", *added}


def _writable(text: str | None) -> str | None:
    """Return what a judge said as text that can be written."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")
