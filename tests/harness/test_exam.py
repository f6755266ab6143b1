"""A whole exam: what a run leaves behind holds when it is verified, sequentially, in parallel and with a judge."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sitegen.harness import exam as exam_module
from sitegen.harness.exam import ExamOptions, examine
from sitegen.harness.isolation import Isolation
from sitegen.harness.opening import open_run
from sitegen.harness.progress import Progress
from sitegen.refusals import Refused
from tests.harness.exam_kit import (
    NULL_PACK,
    PLAIN,
    PROTOCOL_ID,
    SOLVER,
    levels,
    make_exam,
    negative,
    ordinary,
    outcomes,
    report_of,
    rows_of,
)

NONE = ExamOptions(isolation=Isolation(level="none"))


def verified(root: Path, exam: Any) -> None:
    done = exam.call("verify")
    assert done.returncode == 0, done.stdout + done.stderr


@levels
@pytest.mark.parametrize("jobs", ["1", "3"])
def test_a_run_holds_when_it_is_verified(tmp_path: Path, level: str, jobs: str) -> None:
    exam = make_exam(tmp_path)
    folder, report = exam.run(exam.contestant(), "--isolation", level, "--jobs", jobs)
    assert outcomes(report) == {"D-1": "success", "D-2": "miss", "N-1": "abstain_ok", "N-2": "invalid_completion"}
    assert report["null_pack_rows"] == [
        {"id": "NP-PASS", "expected_class": "must_pass", "observed": "passed"},
        {"id": "NP-FAIL", "expected_class": "must_fail", "observed": "failed"},
        {"id": "NP-REFUSE", "expected_class": "must_refuse", "observed": "refused"},
    ]
    made_by = report["made_by"]
    assert (made_by["isolation"], made_by["jobs"], made_by["interruptions"], made_by["ids"]) == (
        level,
        int(jobs),
        0,
        "opaque",
    )
    packs = [json.loads(line)["pack"] for line in (folder / "transcripts.jsonl").read_bytes().splitlines()]
    assert packs == ["null_pack"] * 3 + ["dataset"] * 4
    verified(tmp_path, exam)


@levels
def test_a_workspace_s_diff_is_scored(tmp_path: Path, level: str) -> None:
    diff = "--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-teh\n+the\n"
    fix = "if grep -q teh f.txt 2>/dev/null; then sed -i s/teh/the/ f.txt; else exit 75; fi\n"
    tasks = [
        {"id": "D-1", "kind": "ordinary", "files": {"f.txt": "teh\n"}, "oracle": diff},
        {"id": "N-1", "kind": "negative", "files": {"f.txt": "the\n"}},
        {"id": "N-2", "kind": "negative", "files": {"f.txt": "teh \n"}},
    ]
    null_pack = [
        {"id": "NP-1", "expected_class": "must_pass", "files": {"f.txt": "teh\n"}, "oracle": diff, "n": 1},
        {"id": "NP-2", "expected_class": "must_fail", "files": {"f.txt": "teh\n"}, "oracle": "other", "n": 2},
        {"id": "NP-3", "expected_class": "must_refuse", "files": {"f.txt": "the\n"}, "n": 3},
    ]
    exam = make_exam(tmp_path, tasks, null_pack, artifact="workspace-diff")
    folder, report = exam.run(exam.contestant({"solve.sh": fix}), "--isolation", level)
    assert outcomes(report) == {"D-1": "success", "N-1": "abstain_ok", "N-2": "invalid_completion"}
    assert rows_of(folder)["D-1"]["artifact"] == diff
    verified(tmp_path, exam)


def test_files_of_the_protocol_s_folder_are_laid_out(tmp_path: Path) -> None:
    tasks = [*PLAIN, ordinary("D-F", "", oracle="inner\n", files=["inputs/a.txt"], act="cat")]
    exam = make_exam(tmp_path, tasks, files={"inputs/a.txt": "inner\n"})
    manifest = exam.contestant({"solve.sh": SOLVER, "act-cat.sh": "cat inputs/a.txt\n"})
    assert outcomes(exam.run(manifest)[1])["D-F"] == "success"


def test_a_watcher_sees_both_phases_from_the_first_row_to_the_last(tmp_path: Path) -> None:
    run = open_run(tmp_path, PROTOCOL_ID, make_exam(tmp_path).contestant())
    seen: list[Progress] = []
    closed, words = examine(run, NONE, seen.append)
    assert words == ()
    assert closed.card is not None
    assert [(at.phase, at.done) for at in seen] == [
        *(("null pack", done) for done in range(4)),
        *(("dataset", done) for done in range(3, 8)),
    ]
    assert (seen[-1].passed, seen[-1].abstained, seen[-1].total) == (1, 2, 7)


def test_a_clock_behind_the_start_stops_before_the_first_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = open_run(tmp_path, PROTOCOL_ID, make_exam(tmp_path).contestant())
    monkeypatch.setattr(exam_module, "now", lambda: "2020-01-01T00:00:00Z")
    with pytest.raises(Refused, match="time-order"):
        examine(run, NONE, lambda progress: None)
    assert (run.run_folder / "transcripts.jsonl").read_bytes() == b""
    assert not (run.run_folder / "logs").exists()


def test_a_served_name_that_nobody_reports_stops_the_run(tmp_path: Path) -> None:
    exam = make_exam(tmp_path)
    run = open_run(tmp_path, PROTOCOL_ID, exam.contestant(served_as=["other"]))
    with pytest.raises(Refused, match="route-unnamed"):
        examine(run, NONE, lambda progress: None)
    assert exam.ends() == []


def test_a_copy_of_the_solver_that_was_changed_ends_the_run(tmp_path: Path) -> None:
    exam = make_exam(tmp_path, [*PLAIN, ordinary("D-S", "x", act="self")])
    act = 'chmod -R u+w "$SOLVER_DIR"; echo "# more" >>"$SOLVER_DIR/solve.sh"; printf x\n'
    manifest = exam.contestant({"solve.sh": SOLVER, "act-self.sh": act})
    done = exam.call("run", exam.protocol, "--manifest", str(manifest), "--isolation", "none")
    assert done.returncode == 1
    assert "refused inputs-changed" in done.stderr
    assert "open" not in done.stderr
    assert exam.ends()[0]["reason"] == "inputs-changed"


def test_a_metric_that_fails_leaves_all_rows_and_no_report(tmp_path: Path) -> None:
    metric = "def score(result, oracle_path):\n    if result == 'two': raise ValueError('no')\n    return "
    metric += "{'pass': result == open(oracle_path).read(), 'metric': 'x'}\n"
    exam = make_exam(tmp_path, metric=metric)
    done = exam.call("run", exam.protocol, "--manifest", str(exam.contestant()), "--isolation", "none")
    assert done.returncode == 1
    assert "refused metric-failed" in done.stderr
    (folder,) = [path for path in exam.reports.iterdir() if path.name != "ledger"]
    assert len(rows_of(folder)) == 7
    assert not (folder / "report.json").exists()
    assert f"{folder.name} is still open: `sitegen run {exam.protocol} --run {folder.name} --resume`" in done.stderr
    assert exam.call("end", folder.name, "--reason", "the metric cannot judge it").returncode == 0


JUDGE = """
import json, os, urllib.request
from pathlib import Path
def score(result, oracle_path):
    body = json.dumps({"answer": result, "oracle": Path(oracle_path).read_text()}).encode()
    with urllib.request.urlopen(os.environ["JUDGE_URL"], body, timeout=20) as response:
        reply = response.read().decode()
    said = json.loads(reply)
    return {"pass": said["verdict"] == "yes", "metric": "judge", "model": said["model"], "reply": reply}
"""


class JudgeServer(BaseHTTPRequestHandler):
    """Says yes to what it saw before as an oracle's text in another letter case, and counts."""

    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(said["answer"])
        verdict = "yes" if said["answer"].lower() == said["oracle"].lower() else "no"
        data = json.dumps({"verdict": verdict, "model": "judge-7", "number": len(self.asked)}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None: ...


def test_a_judge_s_verdicts_are_recorded_each_once(tmp_path: Path) -> None:
    exam = make_exam(
        tmp_path,
        [ordinary("D-1", "ONE", oracle="one"), ordinary("D-2", "two", oracle="x"), negative("N")],
        NULL_PACK,
        metric=JUDGE,
    )
    JudgeServer.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), JudgeServer)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        env = {"JUDGE_URL": f"http://127.0.0.1:{server.server_address[1]}/"}
        folder, report = exam.run(exam.contestant(), env=env)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert outcomes(report) == {"D-1": "success", "D-2": "miss", "N": "abstain_ok"}
    assert JudgeServer.asked == ["null pack", "wrong", "ONE", "two"]
    verdicts = [json.loads(line) for line in (folder / "verdicts.jsonl").read_bytes().splitlines()]
    assert [(row["task_id"], row["pass"], row["model"]) for row in verdicts] == [
        ("NP-PASS", True, "judge-7"),
        ("NP-FAIL", False, "judge-7"),
        ("D-1", True, "judge-7"),
        ("D-2", False, "judge-7"),
    ]
    assert [json.loads(row["reply"])["number"] for row in verdicts] == [1, 2, 3, 4]
    assert report_of(folder)["digests"]["verdicts"]
    verified(tmp_path, exam)
