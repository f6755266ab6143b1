"""The verifier: the only maker of verified records; it collects every reason and believes no stated number."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import canonical_json
from sitegen.harness.records import withdraw
from sitegen.harness.rescoring import rescore_run
from sitegen.read.files import Tree
from sitegen.read.library import Unit, read_unit
from sitegen.refusals import Refused
from sitegen.verify.verified import VerifiedReport
from sitegen.verify.verifier import verify_origin, verify_report, verify_unit
from tests.corpus_builder.site import Site
from tests.sites import judge, make_protocol, make_run, negative_tasks, ordinary_tasks
from tests.verify.test_recount import withheld
from tests.verify.test_withheld import with_report


@pytest.fixture
def site(tmp_path: Path) -> Site:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1", wrong=("T-002",))
    return Site(tmp_path)


def slugs(site: Site) -> set[str]:
    return {refusal.slug for refusal in judge(site.root, "demo.v1").all_refusals}


def test_a_report_that_holds_is_given_with_recomputed_numbers(site: Site) -> None:
    unit = judge(site.root, "demo.v1")
    (report,) = unit.reports
    assert unit.all_refusals == []
    assert (report.card.success.k, report.card.success.n) == (2, 3)
    assert (report.level, report.witness) == ("re-scored", "unwitnessed")
    assert (report.run_number, report.runs_started, report.runs_of_route) == (1, 1, 1)
    assert [row.outcome for row in report.rows] == ["success", "miss", "success", "abstain_ok"]


def test_a_start_that_the_last_site_knew_was_announced(site: Site) -> None:
    start = site.event_file("start").stem
    with Tree(site.root) as tree:
        unit = verify_unit(read_unit(tree, "demo.v1"), frozenset((start,)))
    assert unit.reports[0].witness == "announced"


def test_runs_are_counted_in_the_order_of_their_starts(site: Site) -> None:
    make_run(site.root, "demo.v1", "beta")
    make_run(site.root, "demo.v1", "alpha", abstained=("T-001",))
    positions = [
        (report.manifest.route, report.run_number, report.runs_started, report.runs_of_route)
        for report in judge(site.root, "demo.v1").reports
    ]
    # Starts within one second are ordered by their digests, so which run is the second is not said here.
    assert sorted(number for _, number, _, _ in positions) == [1, 2, 3]
    assert {(route, total, of_route) for route, _, total, of_route in positions} == {
        ("alpha-1.0", 3, 2),
        ("beta-1.0", 3, 1),
    }


def test_nobody_else_makes_a_verified_record(site: Site) -> None:
    (report,) = judge(site.root, "demo.v1").reports
    fields = {name: getattr(report, name) for name in VerifiedReport.__dataclass_fields__}
    with pytest.raises(TypeError, match="only the verifier"):
        VerifiedReport(**{**fields, "issuer": object()})
    with pytest.raises(TypeError, match="only the verifier"):
        VerifiedReport(**{**fields, "issuer": None})


def test_insisting_raises_with_every_reason(site: Site) -> None:
    run_id = site.run.name
    with Tree(site.root) as tree:
        assert verify_report(read_unit(tree, "demo.v1"), run_id).run_id == run_id
        with pytest.raises(Refused, match="file-missing"):
            verify_report(read_unit(tree, "demo.v1"), "no-such-run")
    site.report(lambda value: value.update(mean=0.9, ci95=[0.1, 0.2], n=30))
    with Tree(site.root) as tree, pytest.raises(Refused) as caught:
        verify_report(read_unit(tree, "demo.v1"), run_id)
    assert {refusal.slug for refusal in caught.value.refusals} == {
        "rate-mismatch",
        "interval-mismatch",
        "count-mismatch",
    }


def test_reasons_of_all_kinds_are_collected_together(site: Site) -> None:
    """Outcomes, null pack, conduct and numbers: none hides the others."""

    def spoil(value: dict[str, Any]) -> None:
        value["tasks"][0]["outcome"] = "miss"
        value["null_pack_rows"][0]["observed"] = "failed"
        value["route"] = "beta-2.0"
        value["mean"] = 0.9
        value["covariates"]["retries"]["total"] = 7

    site.report(spoil)
    assert slugs(site) == {
        "outcome-disagrees",
        "null-pack-claim-only",
        "evidence-mismatch",
        "rate-mismatch",
        "covariate-mismatch",
    }


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('"mean":0.6667', '"mean":0.9', {"rate-mismatch"}),
        ('"mean":0.6667', '"mean":0.6666', {"rate-rounding"}),
        ('"ci95":[0.2', '"ci95":[0.1', {"interval-mismatch"}),
        ('"n":3', '"n":30', {"count-mismatch"}),
        ('"n":3', '"n":2', {"count-mismatch", "below-min-n"}),
        ('"miss":1', '"miss":0', {"count-mismatch"}),
        ('"outcome":"miss"', '"outcome":"success"', {"outcome-disagrees"}),
        ('"ci_method":"wilson"', '"ci_method":"bootstrap"', {"interval-method"}),
        ('"retries":{"recorded":4', '"retries":{"recorded":3', {"covariate-mismatch"}),
        ('"null_pack":"pass"', '"null_pack":"fail"', {"null-pack-claim-only"}),
        ('"observed":"refused"', '"observed":"answered"', {"null-pack-claim-only"}),
        ('"channel":"scored"', '"channel":"exploratory"', {"channel-relabelled"}),
        ('"route":"alpha-1.0"', '"route":"beta-1.0"', set()),
    ],
)
def test_another_digest_than_the_ledgers_hides_nothing(old: str, new: str, found: set[str], site: Site) -> None:
    """The report was edited after the end event named it."""
    path = site.run / "report.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    assert slugs(site) == {"evidence-mismatch", *found}


@pytest.mark.parametrize("name", ["protocol_sha256", "start_sha256"])
@pytest.mark.parametrize("part", ["dataset", "metric", "null_pack", "manifest", "solver", "transcripts"])
def test_a_wrong_digest_hides_no_wrong_number(name: str, part: str, site: Site) -> None:
    def spoil(value: dict[str, Any]) -> None:
        value.update({name: "0" * 64}, mean=0.9)
        value["digests"][part] = "1" * 64

    site.report(spoil)
    named = {"protocol_sha256": "protocol-drift", "start_sha256": "ledger-start-missing"}[name]
    drift = {"dataset": "dataset-drift", "metric": "metric-drift", "null_pack": "null-pack-drift"}
    assert slugs(site) == {named, drift.get(part, "manifest-drift" if part == "manifest" else "evidence-mismatch")} | {
        "rate-mismatch"
    }


def test_an_edited_transcript_is_judged_too(site: Site) -> None:
    site.replace(site.run / "transcripts.jsonl", '"artifact":"wrong"', '"artifact":"2"')
    (run,) = judge(site.root, "demo.v1").refused
    assert [(refusal.slug, refusal.path) for refusal in run.refusals] == [
        ("evidence-mismatch", ""),
        ("outcome-disagrees", "/tasks/1/outcome"),
        ("evidence-mismatch", "/tasks/1/artifact_sha256"),
        ("rate-mismatch", "/mean"),
        ("interval-mismatch", "/ci95"),
        ("count-mismatch", "/counts/ordinary/success"),
        ("count-mismatch", "/counts/ordinary/miss"),
    ]


def test_nothing_is_said_twice(site: Site) -> None:
    """However many checks come upon it."""
    site.report(lambda value: (value.update(mean=0.9, route="beta"), value["digests"].update(manifest="0" * 64)))
    for name in ("report.json", "transcripts.jsonl", "manifest.yaml"):
        path = site.run / name
        path.write_bytes(path.read_bytes().replace(b"alpha", b"gamma"))
    places = [(refusal.slug, refusal.file, refusal.path) for refusal in judge(site.root, "demo.v1").all_refusals]
    assert len(places) == len(set(places))


def test_a_report_without_start_is_counted(site: Site) -> None:
    for kind in ("end", "start"):
        site.event_file(kind).unlink()
    site.raw_report(lambda data: data.replace(b'"mean":0.6667', b'"mean":0.9'))
    site.event_file("end").unlink()
    assert slugs(site) == {"ledger-start-missing", "rate-mismatch"}


def test_of_a_report_that_cannot_be_read_the_transcripts_can(site: Site) -> None:
    site.transcripts(lambda rows: rows.pop())
    site.rebind()
    site.raw_report(lambda data: data[:-2])
    assert slugs(site) == {"json-malformed", "task-missing"}


@pytest.mark.parametrize("name", ["percentage", "single_percentage_only"])
def test_a_field_too_much_hides_no_wrong_number(name: str, site: Site) -> None:
    site.report(lambda value: (value.update(mean=0.9), value["made_by"].update({name: 98})))
    fields = {"percentage": {"field-unknown"}, "single_percentage_only": {"field-unknown", "forbidden-field"}}
    assert slugs(site) - {"rate-mismatch"} <= fields[name]
    assert "rate-mismatch" in slugs(site)


def test_a_report_in_the_wrong_folder_is_not_judged_further(site: Site) -> None:
    site.report(lambda value: value.update(run_id="2026-11-30-alpha-1-0-ffffff", mean=0.9))
    assert slugs(site) == {"report-misplaced"}


def test_a_report_that_cannot_be_read_still_shows_its_digest(site: Site) -> None:
    """A flipped byte: the malformed JSON is named, and what the ledger expected of the file."""
    path = site.run / "report.json"
    path.write_bytes(path.read_bytes().replace(b"{", b"[", 1))
    assert slugs(site) == {"json-malformed", "evidence-mismatch"}


def test_a_refused_run_holds_no_number(site: Site) -> None:
    site.report(lambda value: value.update(mean=0.1234))
    (run,) = judge(site.root, "demo.v1").refused
    assert run.is_fault
    assert not {"card", "rows", "report"} & set(type(run).__dataclass_fields__)


def test_a_fault_of_the_protocol_refuses_every_run(site: Site) -> None:
    make_run(site.root, "demo.v1", "beta")
    path = site.protocol / "tasks.jsonl"
    path.write_bytes(path.read_bytes() + b"\n")
    unit = judge(site.root, "demo.v1")
    assert (unit.protocol, unit.reports) == (None, ())
    assert [[refusal.slug for refusal in run.refusals] for run in unit.refused] == [["dataset-drift"]] * 2


def test_a_withdrawn_protocol_keeps_its_page_and_loses_its_rows(site: Site) -> None:
    withdraw(site.root, "demo.v1", "a wrong oracle")
    unit = judge(site.root, "demo.v1")
    assert unit.protocol is not None
    assert unit.reports == ()
    assert slugs(site) == {"protocol-withdrawn"}


def test_two_runs_may_not_rest_on_one_set_of_transcripts(site: Site) -> None:
    rows = [json.loads(line) for line in (site.run / "transcripts.jsonl").read_text().splitlines()]
    same = {row["task_id"]: {"wall_clock_sec": row["wall_clock_sec"]} for row in rows}
    again = make_run(site.root, "demo.v1", "alpha", wrong=("T-002",), rows=same, unasked=True)
    unit = judge(site.root, "demo.v1")
    assert len(unit.reports) == len(unit.refused) == 1
    assert slugs(site) == {"report-duplicate"}
    path = site.run if unit.refused[0].run_id == site.run.name else site.run.with_name(again.run_id)
    path = path / "report.json"
    path.write_bytes(path.read_bytes().replace(b'"mean":0.6667', b'"mean":0.9'))
    assert slugs(site) == {"report-duplicate", "evidence-mismatch", "rate-mismatch"}


@pytest.mark.parametrize("evidence", ["outcomes", "digests"])
def test_nor_where_each_time_they_were_salted_otherwise(evidence: str, tmp_path: Path) -> None:
    """Where the transcripts are not here, only their digest can be compared."""
    make_protocol(tmp_path, ordinary=3, negative=1, changes={"publish": {"evidence": evidence}})
    tasks = ("NP-PASS", "NP-FAIL", "NP-REFUSE", "T-001", "T-002", "T-003", "N-001")
    same = {task_id: {"wall_clock_sec": 0.1} for task_id in tasks}
    runs = [make_run(tmp_path, "demo.v1", "alpha", rows=same, unasked=True) for _ in range(2)]
    make_run(tmp_path, "demo.v1", "alpha")
    unit = judge(tmp_path, "demo.v1")
    assert [refusal.slug for refusal in unit.all_refusals] == ["report-duplicate"]
    assert len({report.report.digests.transcripts for report in unit.reports}) == len(unit.reports) == 2
    for run in runs:
        (tmp_path / "reports" / "demo.v1" / run.run_id / "transcripts.jsonl").unlink()
    assert len(judge(tmp_path, "demo.v1").reports) == 3


def test_a_start_elsewhere_may_leave_out_its_route(site: Site) -> None:
    """The format does not ask for it; where it stands, it is the manifest's."""
    site.rebind(start=lambda event: event.pop("route"))
    assert slugs(site) == set()


@pytest.mark.parametrize("change", [bytes.upper, lambda data: data + b" ", lambda data: b""])
def test_whatever_happens_to_an_event_is_seen(change: Callable[[bytes], bytes], site: Site) -> None:
    path = site.event_file("start")
    path.write_bytes(change(path.read_bytes()))
    assert "ledger-broken" in slugs(site)


def test_stated_numbers_are_never_taken_over(site: Site) -> None:
    """A report that is wrong in one number gives no verified record at all, not a corrected one."""
    value = json.loads((site.run / "report.json").read_bytes())
    for name, part in value.items():
        if isinstance(part, float):
            site.raw_report(lambda _, name=name: canonical_json({**value, name: round(1 - value[name] / 2, 4)}))  # type: ignore[misc]
            assert judge(site.root, "demo.v1").reports == ()


def test_a_run_of_an_exam_that_does_not_hold_is_no_origin(site: Site) -> None:
    (site.protocol / "metric.py").write_bytes(b"")
    with Tree(site.root) as tree, pytest.raises(Refused) as caught:
        verify_origin(read_unit(tree, "demo.v1"), site.run.name)
    assert [refusal.slug for refusal in caught.value.refusals] == ["metric-drift"]


@pytest.fixture
def rescored(tmp_path: Path) -> Site:
    """Answers of a run of demo.v0, scored again under demo.v1."""
    make_protocol(tmp_path, "demo.v0", ordinary=3, negative=1)
    make_protocol(tmp_path, "demo.v1", ordinary=3, negative=1, changes={"title": "Second"})
    rescore_run(tmp_path, make_run(tmp_path, "demo.v0").run_id, "demo.v1")
    return Site(tmp_path)


def mismatches(site: Site) -> list[tuple[str, str | None, str | None]]:
    """Where the only run of demo.v1 is no re-scoring: it is refused, and for nothing else."""
    unit = judge(site.root, "demo.v1")
    assert not unit.reports
    assert {refusal.slug for refusal in unit.all_refusals} == {"rescore-mismatch"}
    return [(refusal.path, refusal.expected, refusal.found) for refusal in unit.all_refusals]


def test_a_run_that_was_started_here_is_no_rescoring(site: Site) -> None:
    """Even of a run that there is."""
    make_protocol(site.root, "demo.v0", ordinary=3, negative=1)
    run = make_run(site.root, "demo.v0")
    source = judge(site.root, "demo.v0").reports[0].report
    named = {
        "protocol_id": "demo.v0",
        "protocol_sha256": source.protocol_sha256,
        "run_id": run.run_id,
        "report_sha256": run.report_sha256,
    }
    site.report(lambda value: value.update(rescored_from=named))
    assert mismatches(site) == [("/rescored_from", "what the ledger says of this run", "started here")]


def test_a_run_that_was_started_elsewhere_says_where(rescored: Site) -> None:
    assert len(judge(rescored.root, "demo.v1").reports) == 1

    def without(data: bytes) -> bytes:
        return canonical_json({name: part for name, part in json.loads(data).items() if name != "rescored_from"})

    rescored.raw_report(without)
    assert mismatches(rescored) == [("/rescored_from", "what the ledger says of this run", "started elsewhere")]


def test_a_rescoring_of_another_report_than_it_names_is_refused(rescored: Site) -> None:
    named = json.loads((rescored.run / "report.json").read_bytes())["rescored_from"]
    right = named["report_sha256"]
    rescored.raw_report(lambda data: data.replace(right.encode(), b"0" * 64))
    assert mismatches(rescored) == [("/rescored_from/report_sha256", right, "0" * 64)]


def test_a_rescoring_of_a_run_that_is_not_published_is_not_published_either(rescored: Site) -> None:
    source = json.loads((rescored.run / "report.json").read_bytes())["rescored_from"]["run_id"]
    withdraw(rescored.root, source, "the wrong model")
    assert mismatches(rescored) == [("/rescored_from", "a run that would itself be published", "report-withdrawn")]


def test_the_owners_notes_come_with_the_verified_protocol(site: Site) -> None:
    """They are not sealed, and are shown as they are."""
    (site.protocol / "notes.md").write_bytes(b"A remark.\n")
    protocol = judge(site.root, "demo.v1").protocol
    assert protocol is not None
    assert protocol.notes is not None
    assert protocol.notes.data == protocol.sources["notes.md"].data == b"A remark.\n"


def test_a_withdrawn_report_is_not_judged(site: Site) -> None:
    """Its owner has taken it back, whatever else is wrong with it."""
    site.report(lambda value: value.update(mean=0.1))
    assert slugs(site) == {"rate-mismatch"}
    withdraw(site.root, site.run.name, "a wrong mean")
    assert slugs(site) == {"report-withdrawn"}


def test_a_refused_run_is_shown_with_its_route(site: Site) -> None:
    site.report(lambda value: value.update(mean=0.1))
    (run,) = judge(site.root, "demo.v1").refused
    assert (run.run_id, run.route) == (site.run.name, "alpha-1.0")
    site.event_file("start").unlink()
    (run,) = judge(site.root, "demo.v1").refused
    assert (run.run_id, run.route) == (site.run.name, None)
    shutil.rmtree(site.run)
    assert judge(site.root, "demo.v1").refused == ()


def test_intervals_over_clusters_of_a_published_exam_that_is_whole_are_counted(tmp_path: Path) -> None:
    """Only where clusters are withheld are they taken as stated."""
    tasks = [
        {**row, "repository": f"repo-{i // 4}"} for i, row in enumerate([*ordinary_tasks(20), *negative_tasks(10)])
    ]
    make_protocol(tmp_path, tasks=tasks, changes={"dataset": {"cluster": "repository"}})
    make_run(tmp_path, "demo.v1", wrong=["T-001"])
    Site(tmp_path).report(lambda value: value.update(n_eff=18.0))
    with Tree(tmp_path) as tree:
        unit = verify_unit(read_unit(tree, "demo.v1"), published=True)
    assert [(fault.slug, fault.path) for fault in unit.all_refusals] == [("interval-mismatch", "/n_eff")]


def test_of_an_exam_that_is_published_whole_transcripts_are_compared_as_they_are(site: Site) -> None:
    """None of them is salted by a run's closing, so that a salt in them is a field like another."""
    rows = [json.loads(line) for line in (site.run / "transcripts.jsonl").read_text().splitlines()]
    same = {row["task_id"]: {"wall_clock_sec": row["wall_clock_sec"], "extra": {"salt": "0"}} for row in rows}
    make_run(site.root, "demo.v1", "alpha", wrong=("T-002",), rows=same, unasked=True)
    unit = judge(site.root, "demo.v1")
    assert (len(unit.reports), unit.all_refusals) == (2, [])


def test_runs_that_were_started_elsewhere_are_not_counted_among_those_started_here(rescored: Site) -> None:
    run_id = make_run(rescored.root, "demo.v1").run_id
    reports = {report.run_id: report for report in judge(rescored.root, "demo.v1").reports}
    assert len(reports) == 2
    own = reports[run_id]
    assert (own.run_number, own.runs_started, own.runs_of_route) == (1, 1, 1)
    with Tree(rescored.root) as tree:
        position = verify_origin(read_unit(tree, "demo.v1"), run_id).position
    assert (position.number, position.total, position.of_route) == (1, 1, 1)


def test_each_run_of_an_exam_can_be_the_origin_of_a_rescoring(site: Site) -> None:
    """Asked of a unit with all its runs, too."""
    other = make_run(site.root, "demo.v1", "beta").run_id
    with Tree(site.root) as tree:
        unit = read_unit(tree, "demo.v1")
    for run_id, successes in ((site.run.name, 2), (other, 3)):
        report = verify_origin(unit, run_id).report
        assert (report.run_id, report.card.success.k) == (run_id, successes)


def test_a_rehearsal_that_is_said_to_be_a_rescoring_of_nothing_is_told_both(rescored: Site) -> None:
    rescored.raw_report(lambda data: data.replace(b'"channel":"scored"', b'"channel":"exploratory"'))
    with Tree(rescored.root) as tree:
        unit = verify_unit(read_unit(tree, "demo.v1"))
    assert sorted(fault.slug for fault in unit.all_refusals) == ["channel-exploratory", "rescore-mismatch"]


HIDDEN = {"publish": {"evidence": "outcomes"}}


def ledger_step(origin: Unit, unit: Unit) -> str:
    """What the page of the only report of ``unit`` says of the ledger, where the run is one of ``origin``."""
    (report,) = verify_unit(unit, origins=lambda protocol_id, run_id: origin).reports
    return next(step.result for step in report.steps if step.name == "Ledger")


@pytest.mark.parametrize(("old", "new"), [({}, HIDDEN), (HIDDEN, {})])
def test_a_report_that_was_scored_again_says_where_withheld_tasks_leave_open_what_was_seen(
    old: dict[str, Any], new: dict[str, Any], tmp_path: Path
) -> None:
    """Whichever of the two exams they are of."""
    make_protocol(tmp_path, "demo.v0", ordinary=3, negative=1, changes=old)
    make_protocol(tmp_path, "demo.v1", ordinary=3, negative=1, changes={"title": "Second", **new})
    rescore_run(tmp_path, make_run(tmp_path, "demo.v0").run_id, "demo.v1")
    with Tree(tmp_path) as tree:
        whole = [read_unit(tree, protocol_id) for protocol_id in ("demo.v0", "demo.v1")]
    kept = [withheld(tmp_path, "demo.v0") if old else whole[0], withheld(tmp_path, "demo.v1") if new else whole[1]]
    said = [ledger_step(*units) for units in (whole, kept)]
    assert said[0].endswith("All that the solver saw under either protocol has the same digests.")
    assert said[1].endswith("is not checked, since tasks are withheld.")


def test_of_a_published_exam_whose_tasks_are_withheld_the_publisher_has_asked_for_the_level(tmp_path: Path) -> None:
    changes = {"publish": {"evidence": "outcomes", "require_level": "re-scored"}}
    make_protocol(tmp_path, ordinary=3, negative=1, changes=changes)
    make_run(tmp_path, "demo.v1")
    unit = withheld(tmp_path)
    assert verify_unit(unit, published=True).all_refusals == []
    assert [fault.slug for fault in verify_unit(unit).all_refusals] == ["evidence-level"]


def test_where_the_tasks_are_here_no_report_is_held_to_the_rows_of_another(site: Site) -> None:
    """What a report says of its tasks is held to the tasks themselves."""
    make_run(site.root, "demo.v1", "beta")
    with Tree(site.root) as tree:
        unit = read_unit(tree, "demo.v1")
    *others, last = unit.runs
    files = {name: source for name, source in last.files.items() if name != "transcripts.jsonl"}
    unit = dataclasses.replace(unit, runs=(*others, dataclasses.replace(last, files=files)))
    found = with_report(unit, lambda report: report["tasks"][0].update(kind="negative"))
    assert found == {"evidence-missing", "outcome-disagrees"}
