"""Contestants that are hostile as a whole: dead, always silent, always talking, under another name, or at the files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness.exam_kit import NULL_PACK, PLAIN, SOLVER, Exam, levels, make_exam, ordinary, outcomes, report_of

ABSTAIN = """printf '{"abstained": true}' >"$RESULT_JSON"\n"""


@pytest.fixture
def exam(tmp_path: Path) -> Exam:
    return make_exam(tmp_path)


@pytest.mark.parametrize(
    ("script", "ids"),
    [
        ("exit 1\n", ["NP-PASS", "NP-FAIL", "NP-REFUSE"]),
        ("exit 0\n", ["NP-PASS", "NP-REFUSE"]),
        (ABSTAIN, ["NP-PASS"]),
        ("printf 'null pack'\n", ["NP-REFUSE"]),
        (ABSTAIN + "printf 'null pack'\n", ["NP-REFUSE"]),
        ("touch changed\n" + ABSTAIN, ["NP-PASS", "NP-FAIL", "NP-REFUSE"]),
    ],
    ids=["dead", "silent", "always abstains", "always answers", "both", "abstains and touches"],
)
def test_a_contestant_that_does_not_do_what_the_null_pack_asks_gets_no_figure(
    exam: Exam, script: str, ids: list[str]
) -> None:
    manifest = exam.contestant({"solve.sh": script})
    done = exam.call("run", exam.protocol, "--manifest", str(manifest), "--isolation", "none")
    assert done.returncode == 0
    (end,) = exam.ends()
    assert (end["reason"], end["rows"]) == ("null-pack-failed", ids)
    folder = exam.reports / end["run_id"]
    assert sorted(path.name for path in folder.iterdir() if path.name != "logs") == [
        "manifest.yaml",
        "solver",
        "transcripts.jsonl",
    ]
    assert len((folder / "transcripts.jsonl").read_bytes().splitlines()) == len(NULL_PACK), "no task was tried"
    for task_id in ids:
        assert f"null-pack-failed: {task_id} is must_" in done.stderr
    assert "%" not in done.stdout
    assert "95" not in (done.stdout + done.stderr).replace(end["run_id"], "")  # of which six digits are drawn


def test_another_route_ends_the_run_at_once_and_for_ever(tmp_path: Path) -> None:
    exam = make_exam(tmp_path, [*PLAIN, ordinary("D-OTHER", "x", act="other"), ordinary("D-AFTER", "after")])
    act = """printf '{"route": "kit-2"}' >"$RESULT_JSON"; printf x\n"""
    manifest = exam.contestant({"solve.sh": SOLVER, "act-other.sh": act})
    done = exam.call("run", exam.protocol, "--manifest", str(manifest), "--isolation", "none")
    assert done.returncode == 0
    (end,) = exam.ends()
    assert (end["reason"], end["rows"]) == ("route-changed", ["D-OTHER"])
    assert "D-OTHER was answered by kit-2" in done.stderr
    folder = exam.reports / end["run_id"]
    assert not (folder / "report.json").exists()
    assert b"D-AFTER" not in (folder / "transcripts.jsonl").read_bytes()
    again = exam.call("run", exam.protocol, "--run", end["run_id"], "--resume")
    assert again.returncode == 2


def test_a_name_in_served_as_is_the_same_route(tmp_path: Path) -> None:
    exam = make_exam(tmp_path, [*PLAIN, ordinary("D-OTHER", "x", act="other")])
    act = """printf '{"route": "kit-2"}' >"$RESULT_JSON"; printf x\n"""
    manifest = exam.contestant({"solve.sh": SOLVER, "act-other.sh": act}, served_as=["kit-1", "kit-2"])
    _, report = exam.run(manifest, "--isolation", "none")
    assert outcomes(report)["D-OTHER"] == "success"


@levels
def test_an_edit_of_the_dataset_ends_the_run_and_is_out_of_reach_under_bwrap(tmp_path: Path, level: str) -> None:
    site = tmp_path / "site"
    act = 'printf "\\n" >>"$(cat "$SOLVER_DIR/where")"/protocols/*/tasks/tasks.jsonl; printf x\n'
    exam = make_exam(site, [*PLAIN, ordinary("D-EDIT", "x", act="edit")])
    manifest = exam.contestant({"solve.sh": SOLVER, "act-edit.sh": act, "where": str(site)})
    done = exam.call("run", exam.protocol, "--manifest", str(manifest), "--isolation", level)
    (end,) = exam.ends()
    if level == "bwrap":
        assert done.returncode == 0
        assert outcomes(report_of(exam.reports / end["run_id"]))["D-1"] == "success"
    else:
        assert done.returncode == 1
        assert "refused inputs-changed  protocols/kit.2026-11-30/tasks/tasks.jsonl" in done.stderr
        assert end["reason"] == "inputs-changed"
        assert not (exam.reports / end["run_id"] / "report.json").exists()


@levels
@pytest.mark.parametrize("name", ["report.json", "transcripts.jsonl"])
def test_a_link_planted_for_what_the_runner_writes_is_never_followed(tmp_path: Path, level: str, name: str) -> None:
    site, canary = tmp_path / "site", tmp_path / "canary"
    canary.write_text("untouched")
    act = f'where=$(cat "$SOLVER_DIR/where"); for run in "$where"/*-kit-1-*; do ln -sfn {canary} "$run/{name}"; done\n'
    exam = make_exam(site, [*PLAIN, ordinary("D-LINK", "x", act="link")])
    where = str(site / "reports" / "kit.2026-11-30")
    manifest = exam.contestant({"solve.sh": SOLVER, "act-link.sh": act + "printf x\n", "where": where})
    done = exam.call("run", exam.protocol, "--manifest", str(manifest), "--isolation", level)
    assert canary.read_text() == "untouched"
    (end,) = exam.ends()
    written = exam.reports / end["run_id"] / name
    if level == "none" and name == "transcripts.jsonl":
        assert done.returncode == 1
        assert "refused evidence-mismatch" in done.stderr
        assert end["reason"] == "inputs-changed"
    else:
        assert done.returncode == 0, done.stderr
        assert not written.is_symlink()
        assert report_of(written.parent)["n"] == 3


def test_a_solver_that_kills_its_supervisor_stops_the_run_which_stays_open(tmp_path: Path) -> None:
    exam = make_exam(tmp_path, [*PLAIN, ordinary("D-KILL", "x", act="kill"), ordinary("D-AFTER", "after")])
    manifest = exam.contestant({"solve.sh": SOLVER, "act-kill.sh": "kill -9 $PPID; sleep 5\n"})
    done = exam.call("run", exam.protocol, "--manifest", str(manifest), "--isolation", "none")
    assert done.returncode == 3
    assert "3 supervisors died over one task" in done.stderr
    assert "--resume" in done.stderr
    assert exam.ends() == []


@levels
def test_the_solver_sees_no_oracle_kind_class_or_true_id(tmp_path: Path, level: str) -> None:
    exam = make_exam(tmp_path)
    spy = 'cat "$TASK_JSON" >&2; env >&2; echo "$@" >&2\n'
    folder, _ = exam.run(exam.contestant({"solve.sh": spy + SOLVER}), "--isolation", level)
    logs = [path.read_text() for path in (folder / "logs").glob("*.stderr")]
    assert len(logs) == 7
    for log in logs:
        task = json.loads(log.splitlines()[0])
        assert set(task) <= {"id", "say", "note"}
        assert task["id"].startswith("t-")
        assert log.splitlines()[-1] == task["id"]
        assert str(tmp_path) not in log
        assert not any(word in log for word in ("D-1", "NP-", "oracle", "expected_class", "kind"))


@levels
def test_the_environment_is_empty_but_for_the_contract_and_what_the_manifest_lets_through(
    tmp_path: Path, level: str
) -> None:
    exam = make_exam(tmp_path)
    manifest = exam.contestant({"solve.sh": "env >&2\n" + SOLVER}, env=["LET_IN", "NOT_SET"], decoder={"top_p": 0.5})
    env = {"LET_IN": "yes", "KEPT_OUT": "secret"}
    folder, _ = exam.run(manifest, "--isolation", level, env=env)
    for log in (folder / "logs").glob("*.stderr"):
        found = dict(line.split("=", 1) for line in log.read_text().splitlines())
        shell = {"PWD", "SHLVL", "_", "OLDPWD"}
        assert set(found) - shell == {
            *("PATH", "LANG", "HOME", "TMPDIR", "LET_IN", "SOLVER_DIR", "TASK_JSON", "RESULT_JSON"),
            *("ROUTE", "MODEL", "TEMPERATURE", "DECODER", "RETRY_LIMIT", "TOOL_WHITELIST", "TIMEOUT_SEC"),
        }
        assert (found["LET_IN"], found["DECODER"], found["TEMPERATURE"]) == ("yes", '{"top_p": 0.5}', "")
