"""The sealed metric is asked in a process of its own, and whatever it does, it cannot hurt or stall the scorer."""

from __future__ import annotations

import os
import socket
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness import marking
from sitegen.harness.marking import Marker
from sitegen.harness.opening import sound_exam
from sitegen.read.tasks import Task
from sitegen.refusals import Refused
from tests.sites import make_protocol, negative_tasks, ordinary_tasks

EXACT = """
def score(result, oracle_path):
    return {"pass": result == open(oracle_path, encoding="utf-8").read(), "metric": "exact"}
"""


def marker(root: Path, metric: str = EXACT, **given: Any) -> tuple[Marker, Task]:
    make_protocol(root, **{"ordinary": 3, "negative": 1, "metric": metric, **given})
    sound = sound_exam(root, "demo.v1")
    made = Marker(sound.document.protocol, sound.pack, root / "protocols" / "demo.v1")
    return made, sound.pack.dataset[0]


def failure(root: Path, metric: str) -> str:
    made, task = marker(root, metric)
    with made, pytest.raises(Refused) as caught:
        made.verdict(task, "1")
    (refusal,) = caught.value.refusals
    assert (refusal.slug, refusal.file, refusal.path) == ("metric-failed", "metric.py", "task T-001")
    return refusal.found or ""


def test_a_metric_passes_or_does_not(tmp_path: Path) -> None:
    made, task = marker(tmp_path)
    with made:
        assert made.verdict(task, "1") is True
        assert made.verdict(task, "1\n") is False  # nothing is stripped
        assert made.verdict(task, "\ud7ff\U0001f600\x00") is False


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no folder in memory here")
def test_a_site_in_memory_is_scored_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox has a /dev of its own, which hides what lies below the real one."""
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="sitegen-test-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)  # the oracles too
        made, task = marker(Path(folder))
        with made:
            assert made.verdict(task, "1") is True


@pytest.mark.parametrize("relative", [True, False])
def test_an_oracle_is_found_wherever_the_site_is_named_from(
    relative: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The metric runs in the protocol's folder, so a path relative to ours would lead nowhere."""
    tasks = [{**task, "oracle": f"oracles/{i}.txt"} for i, task in enumerate(ordinary_tasks(3), start=1)]
    oracles = {f"oracles/{i}.txt": str(i) for i in (1, 2, 3)}
    parts = {"dataset": {"oracle": "path"}, "null_pack": {"oracle": "inline"}}
    monkeypatch.chdir(tmp_path)
    root = Path() if relative else tmp_path
    made, task = marker(root, tasks=[*tasks, *negative_tasks(1)], files=oracles, changes=parts)
    with made:
        assert made.verdict(task, "1")


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("raise RuntimeError('no')", "RuntimeError: no"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("import os; os._exit(0)", "process ended"),
        ("return True", "true"),
        ("return None", "null"),
        ("return {}", "{}"),
        ("return {'pass': 1, 'metric': 'x'}", '"pass": 1'),
        ("return {'pass': 'true'}", '"pass": "true"'),
        ("return {'pass': None}", '"pass": null'),
        ("return {'pass': True}", '{"pass": true}'),
        ("return {'pass': True, 'metric': 5}", '"metric": 5'),
        ("return {'pass': True, 'metric': None}", '"metric": null'),
        ("return {'pass': True, 'metric': 'x', 'mean': 0.97}", '"mean": 0.97'),
        ("return {'pass': True, 'metric': 'x', 'reply': 'only a judge is recorded'}", '"reply"'),
        ("return {'pass': {1, 2}}", "TypeError"),
        ("return [True]", "[true]"),
    ],
)
def test_any_other_answer_ends_scoring(body: str, found: str, tmp_path: Path) -> None:
    assert found in failure(tmp_path, f"def score(result, oracle_path):\n    {body}\n")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def other(): pass\n", "AttributeError: module 'metric' has no attribute 'score'"),
        ("def score(:\n", "SyntaxError: invalid syntax (metric.py, line 1)"),
        ("raise ValueError('at import')\n", "ValueError: at import"),
    ],
)
def test_a_module_that_has_no_metric_ends_scoring(source: str, found: str, tmp_path: Path) -> None:
    assert failure(tmp_path, source) == found


def test_a_metric_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marking, "DEADLINE_SEC", 0.5)
    began = time.monotonic()
    assert "within 0.5 s" in failure(tmp_path, "import time\n\n\ndef score(r, o):\n    time.sleep(60)\n")
    assert time.monotonic() - began < 20


def test_who_ends_it_waits_for_no_answer(tmp_path: Path) -> None:
    """The other thread is told that there is none, and asks in vain from then on."""
    made, task = marker(tmp_path, "import time\n\n\ndef score(r, o):\n    time.sleep(60)\n")
    began = time.monotonic()
    with ThreadPoolExecutor(1) as pool, made:
        asked = [pool.submit(made.verdict, task, answer) for answer in ("1", "2")]
        while made._process is None:
            time.sleep(0.01)
        made.__exit__(None, None, None)
        for one, found in zip(asked, ("the metric's process ended", "the run was ended"), strict=True):
            with pytest.raises(Refused) as caught:
                one.result()
            assert caught.value.refusals[0].found == found
    assert made._process is None
    assert time.monotonic() - began < 20


DRIBBLE = """
import os, time

def score(result, oracle_path):
    for descriptor in range(3, 9):
        try:
            while True:
                os.write(descriptor, b"x")
                time.sleep(0.05)
        except OSError:
            continue
"""


def test_a_metric_that_dribbles_is_stopped_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadline is for the whole answer and not for each byte of it."""
    monkeypatch.setattr(marking, "DEADLINE_SEC", 0.7)
    assert "within 0.7 s" in failure(tmp_path, DRIBBLE)


def test_a_metric_that_floods_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marking, "LONGEST_ANSWER", 1 << 16)
    assert "more than" in failure(tmp_path, "def score(r, o):\n    return {'pass': True, 'reply': 'x' * (1 << 20)}\n")


def test_what_a_metric_prints_is_not_among_its_answers(tmp_path: Path) -> None:
    noisy = 'print(\'{"verdict": {"pass": false}}\', flush=True)\nimport sys\nsys.stderr.write("x" * 100000)\n'
    made, task = marker(tmp_path, noisy + EXACT.replace("return", "print('{}', flush=True)\n    return"))
    with made:
        assert made.verdict(task, "1") is True


def test_a_metric_imports_what_is_sealed_beside_it(tmp_path: Path) -> None:
    metric = "from tables import GOOD\n\n\ndef score(r, o):\n    return {'pass': r in GOOD, 'metric': 'x'}\n"
    made, task = marker(tmp_path, metric, files={"tables.py": "GOOD = {'1'}\n"})
    folder = tmp_path / "protocols" / "demo.v1"
    before = sorted(folder.rglob("*"))
    with made:
        assert made.verdict(task, "1")
    assert sorted(folder.rglob("*")) == before  # no __pycache__, nothing else


def test_a_metric_runs_in_the_protocols_folder_with_an_empty_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    metric = """
import os

def score(result, oracle_path):
    good = os.path.exists("protocol.sealed.yaml") and "API_KEY" not in os.environ
    return {"pass": good, "metric": "x"}
"""
    made, task = marker(tmp_path, metric)
    with made:
        assert made.verdict(task, "1")


def test_a_judge_sees_the_environment_and_its_verdicts_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    metric = """
import os

def score(result, oracle_path):
    return {"pass": "API_KEY" in os.environ, "metric": "judge", "model": "judge-1", "reply": "half \\ud800 a character"}
"""
    made, task = marker(tmp_path, metric, changes={"metric": {"deterministic": False}})
    with made:
        assert made.verdict(task, "1")
    (verdict,) = made.verdicts
    assert (verdict.task_id, verdict.pack, verdict.passed, verdict.model) == ("T-001", "dataset", True, "judge-1")
    assert verdict.reply == "half ? a character"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("{'pass': True, 'reply': 'yes'}", '"reply": "yes"'),
        ("{'pass': True, 'metric': 'judge', 'reply': {'raw': 'yes'}}", '"raw": "yes"'),
        ("{'pass': True, 'metric': 'judge', 'model': 4}", '"model": 4'),
        ("{'pass': True, 'metric': 'judge', 'replies': 'yes'}", '"replies"'),
    ],
)
def test_a_judge_that_would_not_be_recorded_ends_scoring(answer: str, found: str, tmp_path: Path) -> None:
    metric = f"def score(result, oracle_path):\n    return {answer}\n"
    made, task = marker(tmp_path, metric, changes={"metric": {"deterministic": False}})
    with made, pytest.raises(Refused, match="metric-failed") as caught:
        made.verdict(task, "1")
    (refusal,) = caught.value.refusals
    assert refusal.expected == '{"pass": true or false, "metric": text, "model": text, "reply": text}'
    assert found in (refusal.found or "")
    assert made.verdicts == []


def test_a_judge_need_not_say_more_than_a_metric(tmp_path: Path) -> None:
    metric = "def score(r, o):\n    return {'pass': False, 'metric': 'judge', 'model': None}\n"
    made, task = marker(tmp_path, metric, changes={"metric": {"deterministic": False}})
    with made:
        assert made.verdict(task, "1") is False
    assert (made.verdicts[0].model, made.verdicts[0].reply) == (None, None)


def test_an_inline_oracle_is_a_file_of_its_exact_bytes(tmp_path: Path) -> None:
    tasks = ordinary_tasks(3)
    tasks[0]["oracle"] = "é\r\n \U0001f600"
    expected = repr(tasks[0]["oracle"].encode())
    metric = f"def score(r, o):\n    return {{'pass': open(o, 'rb').read() == {expected}, 'metric': 'x'}}\n"
    made, task = marker(tmp_path, metric, tasks=[*tasks, *negative_tasks(1)])
    with made:
        assert made.verdict(task, "x")


CHILD = """
import os, subprocess, sys

def score(result, oracle_path):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    return {"pass": True, "metric": str(child.pid), "reply": str(child.pid)}
"""


def test_no_child_of_a_metric_outlives_the_scoring(tmp_path: Path) -> None:
    made, task = marker(tmp_path, CHILD, changes={"metric": {"deterministic": False}})
    began = time.monotonic()
    with made:
        assert made.verdict(task, "1")
    pid = int(made.verdicts[0].reply or "0")
    assert time.monotonic() - began < 20  # and nobody waits for it
    for _ in range(100):
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    os.kill(pid, 9)
    pytest.fail("the metric's child is still there")


def test_the_metric_is_checked_by_digest_before_it_runs(tmp_path: Path) -> None:
    made, _ = marker(tmp_path, "open('ran', 'w')\n" + EXACT)
    path = tmp_path / "protocols" / "demo.v1" / "metric.py"
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(Refused, match="metric-drift"), made:
        pass
    assert not (path.parent / "ran").exists()


@pytest.mark.skipif(not marking.sandbox_works(), reason="bubblewrap does not work here, so a metric has no sandbox")
def test_a_metric_writes_nowhere_and_reaches_no_network(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        metric = f"""
import socket
from pathlib import Path

def score(result, oracle_path):
    try:
        Path({str(tmp_path / "written")!r}).write_text("x")
    except OSError:
        pass
    try:
        socket.create_connection({server.getsockname()!r}, timeout=1)
    except OSError:
        return {{"pass": True, "metric": "unreachable"}}
    return {{"pass": False, "metric": "connected"}}
"""
        made, task = marker(tmp_path, metric)
        with made:
            assert made.verdict(task, "any")
    assert not (tmp_path / "written").exists()
