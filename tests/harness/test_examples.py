"""The examples keep the solver contract, and the one for an endpoint keeps its head before a server that does not."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sitegen.read.files import Tree
from sitegen.read.manifest import read_manifest
from tests.harness.exam_kit import ROOT, Exam, levels, make_exam, outcomes, rows_of

EXAMPLES = ROOT / "templates" / "examples"
MODEL = "example-model-2026-11-01"


def completion(text: str | None, model: str = MODEL, reason: str = "stop", **message: Any) -> dict[str, Any]:
    return {
        "model": model,
        "choices": [{"message": {"role": "assistant", "content": text, **message}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }


class Stub(ThreadingHTTPServer):
    """Answers with what is next in ``turns``; the last turn for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.turns: list[Any] = []
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Stub

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        stub = self.server
        stub.asked.append({"path": self.path, **body})
        stub.keys.append(self.headers["Authorization"])
        turn = stub.turns.pop(0) if len(stub.turns) > 1 else stub.turns[0]
        turn = turn(body) if callable(turn) else turn
        if turn == "slow":
            time.sleep(30)
            return
        if turn == "cut off":
            self._send(200, json.dumps(completion("half")).encode(), cut=20)
            return
        if turn == "hang up":
            self.close_connection = True
            return
        if isinstance(turn, int):
            self._send(turn, b"{}")
            return
        self._send(200, turn if isinstance(turn, bytes) else json.dumps(turn).encode())

    def _send(self, status: int, data: bytes, cut: int = 0) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Retry-After", "0.05")
        self.end_headers()
        self.wfile.write(data[: len(data) - cut])
        self.close_connection = True

    def log_message(self, *arguments: object) -> None: ...


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def ask(
    stub: Stub, folder: Path, turns: list[Any], timeout_sec: float = 20
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    stub.turns = turns
    (folder / "task.json").write_text(json.dumps({"id": "t-1", "prompt": "What?", "unit": "km"}))
    env = {
        "TASK_JSON": f"{folder}/task.json",
        "RESULT_JSON": f"{folder}/result.json",
        "ROUTE": MODEL,
        "MODEL": MODEL,
        "DECODER": '{"max_tokens": 16}',
        "TEMPERATURE": "0",
        "RETRY_LIMIT": "2",
        "TIMEOUT_SEC": f"{timeout_sec}",
        "OPENAI_BASE_URL": stub.url,
        "OPENAI_API_KEY": "a-key",
    }
    script = EXAMPLES / "openai-compatible" / "solve.py"
    done = subprocess.run(
        [sys.executable, script, "t-1"], env=env, capture_output=True, text=True, check=False, timeout=60
    )
    return done, json.loads((folder / "result.json").read_bytes())


def test_a_plain_answer(stub: Stub, tmp_path: Path) -> None:
    done, said = ask(stub, tmp_path, [completion("42 km")])
    assert (done.returncode, done.stdout) == (0, "42 km")
    assert said == {
        "abstained": False,
        "retries": 0,
        "tool_calls": 0,
        "tools_used": [],
        "route": MODEL,
        "tokens_in": 7,
        "tokens_out": 3,
    }
    (asked,) = stub.asked
    assert (asked["path"], asked["model"], asked["max_tokens"]) == ("/v1/chat/completions", MODEL, 16)
    assert asked["temperature"] == 0
    assert "What?" in asked["messages"][1]["content"]
    assert '"unit": "km"' in asked["messages"][1]["content"]
    assert stub.keys == ["Bearer a-key"]


@pytest.mark.parametrize("trouble", [429, 500, 503, "cut off", "hang up", b"{not json", b"[]", {"choices": []}])
def test_what_may_pass_is_tried_again_and_reported(stub: Stub, tmp_path: Path, trouble: Any) -> None:
    done, said = ask(stub, tmp_path, [trouble, completion("42 km")])
    assert (done.returncode, done.stdout, said["retries"]) == (0, "42 km", 1)


def test_it_gives_up_at_the_retry_limit(stub: Stub, tmp_path: Path) -> None:
    done, said = ask(stub, tmp_path, [429])
    assert done.returncode == 1
    assert done.stdout == ""
    assert said["retries"] == 2
    assert len(stub.asked) == 3


@pytest.mark.parametrize("trouble", [400, 401, completion("42", reason="length")])
def test_what_cannot_pass_is_not_tried_again(stub: Stub, tmp_path: Path, trouble: Any) -> None:
    done, said = ask(stub, tmp_path, [trouble])
    assert (done.returncode, done.stdout, said["retries"], said["abstained"]) == (1, "", 0, False)


def test_it_gives_up_before_its_time_is_over(stub: Stub, tmp_path: Path) -> None:
    began = time.monotonic()
    done, said = ask(stub, tmp_path, ["slow"], timeout_sec=2)
    assert time.monotonic() - began < 20  # the answer would come after 30
    assert (done.returncode, said["abstained"]) == (1, False)


@pytest.mark.parametrize(
    "answer",
    [
        completion("ABSTAIN"),
        completion(" ABSTAIN\n"),
        completion(""),
        completion(None, refusal="I cannot help with that."),
        completion("half of", reason="content_filter"),
    ],
)
def test_a_refusal_is_an_abstention(stub: Stub, tmp_path: Path, answer: Any) -> None:
    done, said = ask(stub, tmp_path, [answer])
    assert (done.returncode, done.stdout, said["abstained"]) == (0, "", True)


def test_another_model_is_reported(stub: Stub, tmp_path: Path) -> None:
    _, said = ask(stub, tmp_path, [completion("42 km", model="example-model-mini")])
    assert said["route"] == "example-model-mini"


def contestant(exam: Exam, name: str) -> Path:
    folder = exam.root / "contestants" / name
    shutil.copytree(EXAMPLES / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "manifest.yaml"


NULL_PACK = (
    {"id": "NP-PASS", "expected_class": "must_pass", "prompt": "three little words", "oracle": "3"},
    {"id": "NP-FAIL", "expected_class": "must_fail", "prompt": "one two", "oracle": "3"},
    {"id": "NP-REFUSE", "expected_class": "must_refuse", "prompt": ""},
)
TASKS = (
    {"id": "D-1", "kind": "ordinary", "prompt": 'say \\"four words\\" now', "oracle": "4"},
    {"id": "N-1", "kind": "negative", "note": "no prompt"},
)


@levels
def test_an_endpoint_is_examined_through_the_network_that_is_allowed(stub: Stub, tmp_path: Path, level: str) -> None:
    def turn(body: dict[str, Any]) -> Any:
        text = body["messages"][1]["content"]
        return completion(str(len(text.split())) if not text.startswith("\n") and text else "ABSTAIN")

    stub.turns = [429, turn]
    exam = make_exam(tmp_path, TASKS, NULL_PACK)
    network = ["--network"] if level == "bwrap" else []
    env = {"OPENAI_BASE_URL": stub.url, "OPENAI_API_KEY": "a-key"}
    folder, report = exam.run(contestant(exam, "openai-compatible"), "--isolation", level, *network, env=env)
    assert outcomes(report) == {"D-1": "success", "N-1": "abstain_ok"}
    assert report["made_by"]["isolation"] == ("bwrap+network" if network else "none")
    assert report["covariates"]["retries"]["total"] == 0
    assert rows_of(folder)["NP-PASS"]["retries"] == 1
    assert "a-key" not in (folder / "transcripts.jsonl").read_text()


def test_the_example_in_shell(tmp_path: Path) -> None:
    exam = make_exam(tmp_path, TASKS, NULL_PACK)
    _, report = exam.run(contestant(exam, "shell"))
    assert outcomes(report) == {"D-1": "success", "N-1": "abstain_ok"}


def test_the_example_in_python(tmp_path: Path) -> None:
    rows = [{**row, "oracle": "little"} if "oracle" in row else row for row in NULL_PACK]
    rows[1]["prompt"] = "wrong"
    exam = make_exam(tmp_path, [{**TASKS[0], "prompt": "a word", "oracle": "word"}, TASKS[1]], rows)
    _, report = exam.run(contestant(exam, "python"))
    assert outcomes(report) == {"D-1": "success", "N-1": "abstain_ok"}


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir()))
def test_every_example_is_a_contestant_and_no_scored_one(name: str) -> None:
    with Tree(EXAMPLES / name) as tree:
        manifest = read_manifest(tree.read("manifest.yaml"))
    assert manifest.channel == "exploratory"
