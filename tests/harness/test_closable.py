"""A run is closed only with what a build would publish: the verifier is asked before the end is recorded for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import sha256
from sitegen.harness.closing import Closed
from sitegen.harness.handed_in import score_handed_in
from sitegen.harness.opening import OpenRun, open_rehearsal, open_run, reopen_run
from sitegen.harness.records import withdraw
from sitegen.refusals import Refused
from tests.harness.exam_kit import make_exam
from tests.sites import judge, make_contestant, make_protocol

ANSWERS = {"T-001": "1", "T-002": "2", "T-003": "3", "NP-PASS": "yes", "NP-FAIL": "nothing was"}
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LATER = "2999-01-01T00:00:{:02}Z"
Row = dict[str, Any]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_protocol(tmp_path, ordinary=3, negative=1)
    return tmp_path


def opened(root: Path, name: str = "alpha", **manifest: Any) -> OpenRun:
    return open_run(root, "demo.v1", make_contestant(root, name, **{"route": "alpha-1.0", **manifest}))


def rows(**changes: Row) -> list[Row]:
    """Honest transcripts under the true ids; ``changes`` by id, with an underscore for the hyphen."""
    found = []
    for task_id in (*ANSWERS, "NP-REFUSE", "N-001"):
        answer = ANSWERS.get(task_id)
        row: Row = {"task_id": task_id, "pack": "null_pack" if task_id.startswith("NP") else "dataset", "status": "ok"}
        row |= {"abstained": answer is None, "artifact": answer, "route": "alpha-1.0"}
        row |= {"retries": 0, "tool_calls": 0, "wall_clock_sec": 0.1}
        found.append({**row, **changes.get(task_id.replace("-", "_"), {})})
    return found


def score(run: OpenRun, given: list[Row]) -> Closed:
    path = run.root / "handed-in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in given))
    return score_handed_in(run, path)


def refused(run: OpenRun, given: list[Row]) -> list[tuple[str, str]]:
    """The slugs and places for which a closing is refused; it changes nothing."""
    before = files(run.root)
    with pytest.raises(Refused) as caught:
        score(run, given)
    after = files(run.root)
    after["handed-in.jsonl"] = before.get("handed-in.jsonl", b"")
    before.setdefault("handed-in.jsonl", b"")
    assert after == before
    return [(one.slug, one.path) for one in caught.value.refusals]


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        ({"T_002": {"started": "2000-01-01T00:00:00Z"}}, [("time-order", "")]),
        (
            {"T_002": {"started": LATER.format(1)}, "NP_REFUSE": {"started": LATER.format(2)}},
            [("null-pack-late", "task T-002")],
        ),
        ({"T_003": {"artifact": KEY}}, [("evidence-secret", "line 3")]),
        ({"N_001": {"extra": {"said": KEY}}}, [("evidence-secret", "line 7")]),
        (
            {"T_002": {"started": "2000-01-01T00:00:00Z"}, "NP_REFUSE": {"started": LATER.format(2)}},
            [("null-pack-late", "task T-002"), ("time-order", "")],
        ),
    ],
)
def test_what_a_build_would_refuse_leaves_the_run_open_for_others(
    changes: dict[str, Row], reasons: list[tuple[str, str]], root: Path
) -> None:
    run = opened(root)
    assert refused(run, rows(**changes)) == reasons
    assert [one.slug for one in judge(root, "demo.v1").all_refusals] == ["run-open"]
    score(reopen_run(root, run.run_id), rows())
    assert judge(root, "demo.v1").all_refusals == []


@pytest.mark.parametrize("first_closed_first", [True, False])
@pytest.mark.parametrize("evidence", ["full", "outcomes", "digests"])
def test_one_run_is_not_closed_twice(evidence: str, first_closed_first: bool, tmp_path: Path) -> None:
    """Of a hidden test set too, whose transcripts have other salts each time; and whichever run began first."""
    make_protocol(tmp_path, ordinary=3, negative=1, changes={"publish": {"evidence": evidence}})
    one, other = opened(tmp_path), opened(tmp_path, "beta")
    first, second = (one, other) if first_closed_first else (other, one)
    score(first, rows())
    assert refused(second, rows()) == [("report-duplicate", "")]
    score(second, rows(T_001={"wall_clock_sec": 0.2}))
    assert judge(tmp_path, "demo.v1").all_refusals == []


def test_what_is_not_published_is_no_duplicate(root: Path) -> None:
    """Neither a rehearsal, nor a run that was withdrawn, nor one that ended without a report."""
    score(open_rehearsal(root, "demo.v1", make_contestant(root, "alpha", channel="exploratory")), rows())
    score(opened(root, "beta", channel="exploratory"), rows())
    withdrawn = opened(root, "gamma")
    score(withdrawn, rows())
    withdraw(root, withdrawn.run_id, "the wrong model")
    failed = rows(NP_PASS={"artifact": "no"})
    assert score(opened(root, "delta"), failed).reason == score(opened(root, "delta"), failed).reason
    closed = score(opened(root, "epsilon"), rows())
    assert [report.run_id for report in judge(root, "demo.v1").reports] == [closed.run_id]


def test_an_unreadable_run_beside_it_is_not_to_its_blame(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1, changes={"publish": {"evidence": "outcomes"}})
    gone, torn, run = opened(tmp_path), opened(tmp_path, "beta"), opened(tmp_path, "gamma")
    score(gone, rows())
    score(torn, rows(T_001={"wall_clock_sec": 0.2}))
    (gone.run_folder / "transcripts.jsonl").unlink()
    (torn.run_folder / "transcripts.jsonl").write_bytes(b"{")
    assert score(run, rows()).card is not None


def test_reviewed_text_is_no_secret_and_the_run_can_then_be_closed(root: Path) -> None:
    run = opened(root)
    given = rows(T_003={"artifact": KEY})
    assert refused(run, given) == [("evidence-secret", "line 3")]
    (root / "sitegen.toml").write_text(f'allow_secrets = ["{sha256(KEY.encode())}"]\n')
    assert score(run, given).card is not None


def test_what_is_hidden_may_hold_what_may_not_be_published(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1, changes={"publish": {"evidence": "outcomes"}})
    assert score(opened(tmp_path), rows(T_003={"artifact": KEY})).card is not None


@pytest.mark.parametrize("channel", ["scored", "exploratory"])
def test_a_rehearsal_is_published_in_no_way(channel: str, root: Path) -> None:
    run = open_rehearsal(root, "demo.v1", make_contestant(root, "alpha", channel=channel))
    given = rows(T_001={"abstained": None}, T_002={"started": "2000-01-01T00:00:00Z"}, T_003={"artifact": KEY})
    assert score(run, given).card is not None
    assert [one.slug for one in judge(root, "demo.v1").all_refusals] == ["channel-exploratory"]


def test_a_stray_file_among_those_of_the_run_is_named_before_the_end(root: Path) -> None:
    run = opened(root)
    (run.run_folder / "stray.txt").write_text("x")
    assert refused(run, rows()) == [("evidence-unlisted", "")]
    (run.run_folder / "stray.txt").unlink()
    assert score(run, rows()).card is not None


def test_a_metric_that_must_be_run_again_is_run_after_the_end(tmp_path: Path) -> None:
    """The level that the protocol asks for is reached by `verify --rescore`, which needs a closed run."""
    metric = 'def score(r, o):\n    return {"pass": r == open(o).read(), "metric": "own"}\n'
    changes = {"publish": {"require_level": "re-scored"}}
    make_protocol(tmp_path, ordinary=3, negative=1, metric=metric, changes=changes)
    assert score(opened(tmp_path), rows()).card is not None
    assert [one.slug for one in judge(tmp_path, "demo.v1").all_refusals] == ["evidence-level"]


def test_a_field_that_only_some_reports_have_can_still_be_forbidden(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1, changes={"publish": {"forbidden_fields": ["ids"]}})
    run = opened(tmp_path)
    assert refused(run, rows()) == [("forbidden-field", "/made_by/ids")]


def test_a_judge_s_verdicts_are_published_too_and_not_left_behind_by_a_closing_that_was_refused(tmp_path: Path) -> None:
    metric = 'def score(r, o):\n    return {"pass": r == open(o).read(), "metric": "judge", "reply": r}\n'
    make_protocol(tmp_path, ordinary=3, negative=1, metric=metric, changes={"metric": {"deterministic": False}})
    run = opened(tmp_path)
    assert refused(run, rows(T_002={"artifact": KEY})) == [("evidence-secret", "line 2"), ("evidence-secret", "line 4")]
    score(run, rows())
    (report,) = judge(tmp_path, "demo.v1").reports
    assert report.level == "judge-recorded"


def test_a_run_that_a_solver_s_key_keeps_open_is_closed_when_it_was_reviewed(tmp_path: Path) -> None:
    """The rows are kept, so that nothing is asked again."""
    exam = make_exam(tmp_path)
    manifest = exam.contestant({"solve.sh": LEAKING})
    command = ("run", exam.protocol, "--manifest", str(manifest))
    done = exam.call(*command)
    assert (done.returncode, done.stdout) == (1, "")
    assert "refused evidence-secret" in done.stderr
    assert KEY not in done.stderr
    assert exam.ends() == []
    (tmp_path / "sitegen.toml").write_text(f'allow_secrets = ["{sha256(KEY.encode())}"]\n')
    again = exam.call(*command, "--resume")
    assert again.returncode == 0, again.stderr
    assert len(exam.ends()) == 1


LEAKING = f"""\
field() {{ sed -n "s/.*\\"$1\\": *\\"\\([^\\"]*\\)\\".*/\\1/p" "$TASK_JSON"; }}
say=$(field say)
if [[ -z $say ]]; then printf '{{"abstained": true}}' >"$RESULT_JSON"; fi
if [[ $say == two ]]; then say="{KEY[:10]}""{KEY[10:]}"; fi
printf %s "$say"
"""
"""The kit's solver with a key in its answer, and in pieces in its text."""
