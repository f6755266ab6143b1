"""Answers scored again under a mended version: visible, bound to their start, and refused where anything differs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sitegen.digests import canonical_json, sha256
from sitegen.harness.ledgering import append_event
from sitegen.harness.records import withdraw
from sitegen.harness.rescoring import rescore_run
from sitegen.read.ledger import Event, event_bytes
from sitegen.refusals import Misuse, Refused
from sitegen.verify.verified import VerifiedReport, VerifiedUnit
from tests.sites import NULL_ROWS, judge, make_protocol, make_run, negative_tasks, ordinary_tasks

TASKS = [*ordinary_tasks(20), *negative_tasks(10)]
MENDED = [{**TASKS[0], "oracle": "one"}, *TASKS[1:]]
LENIENT = 'def score(result, oracle_path):\n    return {"pass": True, "metric": "lenient"}\n'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Two versions: in the second, the oracle of T-001 is mended."""
    make_protocol(tmp_path, "demo.v1", tasks=TASKS)
    make_protocol(tmp_path, "demo.v2", tasks=MENDED, changes={"follows": "demo.v1"})
    return tmp_path


def only(unit: VerifiedUnit) -> VerifiedReport:
    assert not unit.all_refusals
    (report,) = unit.reports
    return report


def slugs(unit: VerifiedUnit) -> set[str]:
    return {refusal.slug for refusal in unit.all_refusals}


def folder(site: Path, protocol_id: str, run_id: str) -> Path:
    return site / "reports" / protocol_id / run_id


def test_a_mended_oracle_changes_the_outcome_and_nothing_else(site: Path) -> None:
    run = make_run(site, "demo.v1", answers={"T-001": "one"})
    closed = rescore_run(site, run.run_id, "demo.v2")
    old, new = only(judge(site, "demo.v1")), only(judge(site, "demo.v2"))
    assert (old.card.success.k, new.card.success.k) == (19, 20)
    assert new.run_id == closed.run_id != old.run_id
    assert (new.start, new.started_at) == (old.start, old.started_at)
    assert new.report.rescored_from is not None
    assert new.report.rescored_from.run_id == run.run_id
    assert new.report.rescored_from.report_sha256 == run.report_sha256
    assert new.report.made_by.how == "rescore"
    assert (new.run_number, new.runs_started) == (1, 1)
    for name in ("manifest.yaml", "transcripts.jsonl", "solver/solve.sh"):
        one, other = (folder(site, p, r) / name for p, r in (("demo.v1", run.run_id), ("demo.v2", closed.run_id)))
        assert one.read_bytes() == other.read_bytes()


def test_what_is_refused_at_the_end_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither a metric that fails, nor what the new version would publish of the answers and the old one did not."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    make_protocol(tmp_path, "demo.v1", tasks=TASKS, changes={"publish": {"evidence": "outcomes"}})
    make_protocol(tmp_path, "demo.v2", tasks=MENDED, metric="def score(r, o):\n    return None\n")
    make_protocol(tmp_path, "demo.v3", tasks=MENDED)
    run = make_run(tmp_path, "demo.v1", answers={"T-002": key})
    for protocol_id, slug in (("demo.v2", "metric-failed"), ("demo.v3", "evidence-secret")):
        with pytest.raises(Refused, match=slug):
            rescore_run(tmp_path, run.run_id, protocol_id)
        assert judge(tmp_path, protocol_id).all_refusals == []
        assert [path.name for path in (tmp_path / "reports" / protocol_id).iterdir()] == ["ledger"]


def test_the_ledger_of_the_new_version_names_the_start_in_the_old(site: Path) -> None:
    run = make_run(site, "demo.v1")
    closed = rescore_run(site, run.run_id, "demo.v2")
    unit = judge(site, "demo.v2")
    ((_, end),) = unit.ledger.of("end")
    assert (end.run_id, end.report_sha256) == (closed.run_id, closed.report_sha256)
    assert end.start_sha256 == only(judge(site, "demo.v1")).start
    assert not unit.ledger.of("start")


def test_a_mended_metric(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1", tasks=TASKS)
    rows = [row for row in NULL_ROWS if row["expected_class"] != "must_fail"]
    refused = {"id": "NP-FAIL", "expected_class": "must_fail", "prompt": "Say what was leaked.", "oracle": "leaked"}
    make_protocol(tmp_path, "demo.v2", tasks=TASKS, metric=LENIENT, null_rows=[rows[0], refused, rows[1]])
    run = make_run(tmp_path, "demo.v1", wrong=["T-001"], answers={"NP-FAIL": None})
    rescore_run(tmp_path, run.run_id, "demo.v2")
    new = only(judge(tmp_path, "demo.v2"))
    assert new.card.success.k == 20
    assert new.level == "numbers"


def test_a_null_pack_that_fails_under_the_new_version_leaves_no_report(site: Path) -> None:
    make_protocol(site, "demo.v3", tasks=TASKS, null_rows=[{**NULL_ROWS[0], "oracle": "aye"}, *NULL_ROWS[1:]])
    run = make_run(site, "demo.v1")
    closed = rescore_run(site, run.run_id, "demo.v3")
    assert (closed.reason, closed.rows) == ("null-pack-failed", ("NP-PASS",))
    unit = judge(site, "demo.v3")
    assert slugs(unit) == {"null-pack-failed"}
    assert not unit.reports


@pytest.mark.parametrize(
    ("made", "what"),
    [
        ({"tasks": [{**TASKS[0], "prompt": "Say one."}, *TASKS[1:]]}, "dataset T-001"),
        ({"tasks": [*TASKS, *ordinary_tasks(1, first=50)]}, "dataset T-050"),
        ({"tasks": TASKS, "null_rows": [{**NULL_ROWS[0], "prompt": "Say yes!"}, *NULL_ROWS[1:]]}, "null_pack NP-PASS"),
        ({"tasks": TASKS, "changes": {"budget": {"timeout_sec": 30}}}, "timeout_sec"),
        ({"tasks": TASKS, "changes": {"dataset": {"artifact": "workspace-diff"}}}, "artifact"),
    ],
)
def test_nothing_is_scored_again_where_the_solver_would_have_seen_something_else(
    site: Path, made: dict[str, Any], what: str
) -> None:
    make_protocol(site, "demo.v3", **made)
    run = make_run(site, "demo.v1")
    with pytest.raises(Refused) as refused:
        rescore_run(site, run.run_id, "demo.v3")
    assert [(fault.slug, fault.path) for fault in refused.value.refusals] == [
        ("rescore-mismatch", f"what the solver saw: {what}")
    ]
    assert not list((site / "reports" / "demo.v3").glob("*/report.json"))


def test_only_a_run_that_is_itself_published_can_be_a_source(site: Path) -> None:
    exploratory = make_run(site, "demo.v1", "beta", channel="exploratory")
    withdrawn = make_run(site, "demo.v1", "gamma")
    withdraw(site, withdrawn.run_id, "the wrong model")
    failed = make_run(site, "demo.v1", "delta", answers={"NP-REFUSE": "invented"})
    for run, slug in (
        (exploratory, "channel-exploratory"),
        (withdrawn, "report-withdrawn"),
        (failed, "null-pack-failed"),
    ):
        with pytest.raises(Refused) as refused:
            rescore_run(site, run.run_id, "demo.v2")
        assert {fault.slug for fault in refused.value.refusals} == {slug}


def test_a_run_is_scored_again_once_and_under_another_version(site: Path) -> None:
    run = make_run(site, "demo.v1")
    closed = rescore_run(site, run.run_id, "demo.v2")
    with pytest.raises(Misuse, match="already"):
        rescore_run(site, run.run_id, "demo.v2")
    with pytest.raises(Misuse, match="itself"):
        rescore_run(site, run.run_id, "demo.v1")
    make_protocol(site, "demo.v3", tasks=TASKS, changes={"title": "Third"})
    with pytest.raises(Refused) as refused:  # the chain is one link long: score the original again
        rescore_run(site, closed.run_id, "demo.v3")
    assert {fault.slug for fault in refused.value.refusals} == {"rescore-mismatch"}


def test_the_protocol_that_was_mended_may_be_withdrawn(site: Path) -> None:
    run = make_run(site, "demo.v1")
    rescore_run(site, run.run_id, "demo.v2")
    withdraw(site, "demo.v1", "the oracle of T-001 is wrong")
    assert slugs(judge(site, "demo.v1")) == {"protocol-withdrawn"}
    only(judge(site, "demo.v2"))


def test_a_source_that_is_withdrawn_later_takes_the_new_report_with_it(site: Path) -> None:
    run = make_run(site, "demo.v1")
    closed = rescore_run(site, run.run_id, "demo.v2")
    withdraw(site, run.run_id, "the wrong model was served")
    assert slugs(judge(site, "demo.v2")) == {"rescore-mismatch"}
    withdraw(site, closed.run_id, "so is its source")
    assert slugs(judge(site, "demo.v2")) == {"report-withdrawn"}


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("name", ["manifest.yaml", "transcripts.jsonl", "solver/solve.sh", "report.json"])
def test_one_flipped_byte_on_either_side_is_a_fault(site: Path, name: str) -> None:
    run = make_run(site, "demo.v1")
    closed = rescore_run(site, run.run_id, "demo.v2")
    kept = site.with_name(f"{site.name}-kept")
    shutil.copytree(site, kept)
    flip(folder(site, "demo.v2", closed.run_id) / name)
    assert judge(site, "demo.v2").refused[0].is_fault
    flip(folder(kept, "demo.v1", run.run_id) / name)
    assert slugs(judge(kept, "demo.v2")) == {"rescore-mismatch"}


def test_a_missing_source_or_a_missing_report_is_a_fault(site: Path) -> None:
    run = make_run(site, "demo.v1")
    closed = rescore_run(site, run.run_id, "demo.v2")
    shutil.rmtree(folder(site, "demo.v2", closed.run_id))
    assert slugs(judge(site, "demo.v2")) == {"ledger-unpublished"}
    shutil.rmtree(folder(site, "demo.v1", run.run_id))
    assert "ledger-unpublished" in slugs(judge(site, "demo.v1"))


def rewritten(site: Path, run_id: str, event: dict[str, Any], **report: Any) -> None:
    """Change the report and write an end of one's own choosing: what a forger would do."""
    path = folder(site, "demo.v2", run_id) / "report.json"
    stated = {**json.loads(path.read_text()), **report}
    stated = {name: value for name, value in stated.items() if value is not None}
    path.write_bytes(canonical_json(stated))
    ledger = site / "reports/demo.v2/ledger"
    (end,) = [file for file in ledger.glob("*.json") if json.loads(file.read_text())["event"] == "end"]
    changed = {**json.loads(end.read_text()), "report_sha256": sha256(canonical_json(stated)), **event}
    end.unlink()
    data = event_bytes(msgspec.convert({k: v for k, v in changed.items() if v is not None}, Event))
    (ledger / f"{sha256(data)}.json").write_bytes(data)


@pytest.mark.parametrize(
    ("event", "report", "slug"),
    [
        ({}, {}, None),  # the forger's tool changes nothing by itself
        ({"start_sha256": "0" * 64}, {}, "rescore-mismatch"),
        ({"start_sha256": None}, {}, "ledger-broken"),
        ({}, {"rescored_from": None}, "rescore-mismatch"),
        ({}, {"start_sha256": "0" * 64}, "ledger-start-missing"),
    ],
)
def test_a_forged_binding_is_refused(
    site: Path, event: dict[str, Any], report: dict[str, Any], slug: str | None
) -> None:
    run = make_run(site, "demo.v1")
    closed = rescore_run(site, run.run_id, "demo.v2")
    rewritten(site, closed.run_id, event, **report)
    found = slugs(judge(site, "demo.v2"))
    assert slug in found if slug else not found


@pytest.mark.parametrize(
    ("field", "value"), [("report_sha256", "0" * 64), ("protocol_sha256", "0" * 64), ("run_id", "2026-01-01-x-aaaaaa")]
)
def test_a_source_that_is_named_wrongly_is_refused(site: Path, field: str, value: str) -> None:
    run = make_run(site, "demo.v1")
    closed = rescore_run(site, run.run_id, "demo.v2")
    stated = json.loads((folder(site, "demo.v2", closed.run_id) / "report.json").read_text())
    rewritten(site, closed.run_id, {}, rescored_from={**stated["rescored_from"], field: value})
    assert slugs(judge(site, "demo.v2")) == {"rescore-mismatch"}


def test_another_run_cannot_lend_its_start(site: Path) -> None:
    """Answers of a second run under the start of the first: manifest and transcripts do not belong to it."""
    run, other = make_run(site, "demo.v1", "alpha"), make_run(site, "demo.v1", "beta")
    closed = rescore_run(site, run.run_id, "demo.v2")
    stated = json.loads((folder(site, "demo.v2", closed.run_id) / "report.json").read_text())
    named = {**stated["rescored_from"], "run_id": other.run_id, "report_sha256": other.report_sha256}
    rewritten(site, closed.run_id, {}, rescored_from=named)
    assert slugs(judge(site, "demo.v2")) == {"rescore-mismatch"}


def test_an_interrupted_rescoring_is_completed_by_a_second_call(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(site, "demo.v1")

    def stopped(*arguments: object, **fields: object) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("sitegen.harness.closing.append_event", stopped)
        with pytest.raises(KeyboardInterrupt):
            rescore_run(site, run.run_id, "demo.v2")
    assert "ledger-broken" in slugs(judge(site, "demo.v2"))
    rescore_run(site, run.run_id, "demo.v2")
    only(judge(site, "demo.v2"))


def test_an_end_that_claims_a_start_elsewhere_for_a_run_started_here_is_broken(site: Path) -> None:
    run = make_run(site, "demo.v1")
    identity = only(judge(site, "demo.v1")).report.protocol_sha256
    append_event(
        site, "demo.v1", event="end", run_id=run.run_id, protocol_sha256=identity, start_sha256="0" * 64, reason="x"
    )
    assert "ledger-broken" in slugs(judge(site, "demo.v1"))
