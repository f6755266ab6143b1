"""Outcomes recomputed from the transcripts: by a shipped metric, by the recorded judge, or as far as they go."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.read.shipped import templates_dir
from tests.corpus_builder.site import Object, Site
from tests.sites import NULL_ROWS, judge, make_protocol, make_run

JUDGE = """
def score(result, oracle_path):
    good = result == open(oracle_path, encoding="utf-8").read()
    return {"pass": good, "metric": "judge", "model": "judge-1", "reply": "seen: " + result}
"""


def slugs(root: Path) -> set[str]:
    return {refusal.slug for refusal in judge(root, "demo.v1").all_refusals}


@pytest.fixture
def judged(tmp_path: Path) -> Site:
    make_protocol(tmp_path, ordinary=3, negative=1, metric=JUDGE, changes={"metric": {"deterministic": False}})
    make_run(tmp_path, "demo.v1", wrong=("T-002",))
    return Site(tmp_path)


def test_a_judges_verdicts_are_taken_as_recorded(judged: Site) -> None:
    (report,) = judge(judged.root, "demo.v1").reports
    assert (report.level, report.card.success.k) == ("judge-recorded", 2)


def test_a_verdict_that_says_otherwise_is_an_outcome_that_disagrees(judged: Site) -> None:
    path = judged.run / "verdicts.jsonl"
    judged.rows(path, lambda rows: next(r for r in rows if r["task_id"] == "T-002").update({"pass": True}))
    from sitegen.digests import sha256

    judged.report(lambda value: value["digests"].update(verdicts=sha256(path.read_bytes())))
    assert "outcome-disagrees" in slugs(judged.root)


def test_a_verdict_that_was_not_kept_is_missing(judged: Site) -> None:
    from sitegen.digests import sha256

    path = judged.run / "verdicts.jsonl"
    judged.rows(path, lambda rows: rows.pop())
    judged.report(lambda value: value["digests"].update(verdicts=sha256(path.read_bytes())))
    assert slugs(judged.root) == {"evidence-missing"}


@pytest.mark.parametrize(("row", "pack"), [("T-002", "null_pack"), ("NP-PASS", "dataset")])
def test_a_verdict_is_of_the_pack_that_it_names(row: str, pack: str, judged: Site) -> None:
    from sitegen.digests import sha256

    path = judged.run / "verdicts.jsonl"
    judged.rows(path, lambda rows: next(r for r in rows if r["task_id"] == row).update(pack=pack))
    judged.report(lambda value: value["digests"].update(verdicts=sha256(path.read_bytes())))
    assert slugs(judged.root) == {"evidence-missing"}


def test_a_metric_that_may_not_be_run_leaves_success_and_miss_as_stated(tmp_path: Path) -> None:
    """But nothing else: an abstention cannot be called a success."""
    metric = (templates_dir() / "protocol" / "metric_exact_bytes.py").read_text() + "\n# ours\n"
    make_protocol(tmp_path, ordinary=3, negative=1, metric=metric)
    make_run(tmp_path, "demo.v1", wrong=("T-002",))
    site = Site(tmp_path)
    (report,) = judge(tmp_path, "demo.v1").reports
    assert report.level == "numbers"

    def state(outcome: str) -> None:
        site.report(lambda value: value["tasks"][1].update(outcome=outcome))

    state("success")
    assert slugs(tmp_path) == {"count-mismatch", "rate-mismatch", "interval-mismatch"}
    state("error")
    assert slugs(tmp_path) == {"outcome-disagrees"}
    state("false_abstain")
    assert slugs(tmp_path) == {"abstention-disagrees"}


def test_an_oracle_that_a_shipped_metric_cannot_read_is_no_crash(tmp_path: Path) -> None:
    metric = (templates_dir() / "protocol" / "metric_exact_bytes.py").read_text() + "\n# ours\n"
    make_protocol(tmp_path, ordinary=3, negative=1, metric=metric)
    make_run(tmp_path, "demo.v1")
    site = Site(tmp_path)
    diff = (templates_dir() / "protocol" / "metric_exact_diff.py").read_bytes()
    (site.protocol / "metric.py").write_bytes(diff)
    site.rebind()
    assert slugs(tmp_path) == {"metric-failed"}


@pytest.mark.parametrize(
    ("changes", "slug"),
    [
        ({"status": "timeout"}, "outcome-disagrees"),
        ({"status": "error"}, "outcome-disagrees"),
        ({"retries": 1}, "conduct-disagrees"),
        ({"abstained": True}, "abstention-disagrees"),
        ({"artifact": "else"}, "outcome-disagrees"),
        ({"wall_clock_sec": 61.0}, "conduct-disagrees"),
    ],
)
def test_a_success_is_what_the_transcript_shows(changes: Object, slug: str, tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1")
    site = Site(tmp_path)
    site.transcripts(lambda rows: next(r for r in rows if r["task_id"] == "T-001").update(changes))
    site.rebind()
    assert slug in slugs(tmp_path)


@pytest.mark.parametrize("observed", ["refused", "answered", "error", "timeout", "passed"])
def test_a_null_row_is_what_its_transcript_shows(observed: str, tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1")
    site = Site(tmp_path)
    site.report(lambda value: value["null_pack_rows"][1].update(observed=observed))
    assert slugs(tmp_path) == {"null-pack-claim-only"}


def test_a_null_row_that_is_not_stated_is_missing(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1")
    Site(tmp_path).report(lambda value: value["null_pack_rows"].pop())
    assert slugs(tmp_path) == {"null-row-missing"}


@pytest.mark.parametrize("claimed", ["refused", "answered", "error", "timeout"])
def test_a_null_row_that_was_answered_is_nothing_else_under_a_metric_that_may_not_be_run(
    claimed: str, tmp_path: Path
) -> None:
    metric = (templates_dir() / "protocol" / "metric_exact_bytes.py").read_text() + "\n# ours\n"
    make_protocol(tmp_path, ordinary=3, negative=1, metric=metric)
    make_run(tmp_path, "demo.v1")

    def claim(report: Object) -> None:
        next(row for row in report["null_pack_rows"] if row["id"] == "NP-FAIL").update(observed=claimed)

    Site(tmp_path).report(claim)
    faults = [fault for fault in judge(tmp_path, "demo.v1").all_refusals if fault.path.endswith("/observed")]
    assert [(fault.slug, fault.expected, fault.found) for fault in faults] == [
        ("null-pack-claim-only", "passed or failed", claimed)
    ]


@pytest.mark.parametrize(("stated", "slug"), [("pass", "null-pack-claim-only"), ("fail", "null-pack-failed")])
def test_a_null_pack_that_failed_is_no_pass(stated: str, slug: str, tmp_path: Path) -> None:
    """Its rows are stated as they were; only what follows from them may not be."""
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1")
    site = Site(tmp_path)
    oracle = next(row["oracle"] for row in NULL_ROWS if row["id"] == "NP-FAIL")
    site.transcripts(lambda rows: next(r for r in rows if r["task_id"] == "NP-FAIL").update(artifact=oracle))

    def failed(report: Object) -> None:
        row = next(row for row in report["null_pack_rows"] if row["id"] == "NP-FAIL")
        row.update(observed="passed")
        report.update(null_pack=stated)

    site.rebind(report=failed)
    (refusal,) = judge(tmp_path, "demo.v1").all_refusals
    assert (refusal.slug, refusal.path, refusal.found) == (slug, "/null_pack", "failed: NP-FAIL")


def test_a_null_pack_that_passed_is_no_failure(tmp_path: Path) -> None:
    """Nobody can take back a bad run as if the instrument check had failed."""
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1")
    Site(tmp_path).report(lambda value: value.update(null_pack="fail"))
    (refusal,) = judge(tmp_path, "demo.v1").all_refusals
    assert (refusal.slug, refusal.path, refusal.found) == ("null-pack-claim-only", "/null_pack", "fail")


def test_what_was_not_recorded_is_called_null(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1")
    Site(tmp_path).report(lambda value: value["tasks"][0].update(retries=None))
    faults = [fault for fault in judge(tmp_path, "demo.v1").all_refusals if fault.path == "/tasks/0/retries"]
    assert [(fault.expected, fault.found) for fault in faults] == [("0", "null")]
