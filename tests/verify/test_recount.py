"""Outcomes and numbers are counted again as far as what is here tells them: one fault does not hide another."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import sha256
from sitegen.read.files import Tree
from sitegen.read.library import Unit, read_unit
from sitegen.read.shipped import templates_dir
from sitegen.refusals import Refusal
from sitegen.verify.commitments import published_files
from sitegen.verify.verifier import verify_unit
from tests.audit.hidden import hidden
from tests.corpus_builder.site import Object, Site
from tests.sites import judge, make_protocol, make_run, negative_tasks, ordinary_tasks


@pytest.fixture
def site(tmp_path: Path) -> Site:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1", wrong=("T-002",))
    return Site(tmp_path)


def refusals(site: Site) -> list[Refusal]:
    return judge(site.root, "demo.v1").all_refusals


def slugs(site: Site) -> set[str]:
    return {refusal.slug for refusal in refusals(site)}


def keep_elsewhere(site: Site) -> None:
    """Take the transcripts away and say where they are."""
    data = (site.run / "transcripts.jsonl").read_bytes()
    (site.run / "transcripts.jsonl").unlink()
    (site.run / "evidence.yaml").write_text(
        "schema: agent-bench-evidence/v1\nfiles:\n  transcripts.jsonl:\n"
        f'    sha256: "{sha256(data)}"\n    size: {len(data)}\n    url: "https://example.org/t"\n'
    )


def say(text: bytes) -> Callable[[Site], Any]:
    """Overwrite the transcripts."""
    return lambda site: (site.run / "transcripts.jsonl").write_bytes(text)


def without_manifest(site: Site) -> None:
    (site.run / "manifest.yaml").unlink()


def with_unreadable_manifest(site: Site) -> None:
    (site.run / "manifest.yaml").write_bytes(b"route: 1\n")


def without_transcripts(site: Site) -> None:
    (site.run / "transcripts.jsonl").unlink()


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (say(b"{\n"), {"evidence-mismatch", "json-malformed"}),
        (say(b"\xff\n"), {"evidence-mismatch", "text-encoding"}),
        (say(b""), {"evidence-mismatch", "task-missing", "null-row-missing"}),
        (without_transcripts, {"evidence-missing"}),
        (without_manifest, {"evidence-missing"}),
        (with_unreadable_manifest, {"manifest-drift", "field-missing", "field-type"}),
    ],
)
def test_what_cannot_be_read_stops_only_what_needs_it(
    spoil: Callable[[Site], Any], named: set[str], site: Site
) -> None:
    """The report is still held to its own rows; nothing is said that would only follow from the missing file."""
    site.report(lambda value: value.update(mean=0.9))
    spoil(site)
    assert slugs(site) == named | {"rate-mismatch"}


def test_transcripts_beside_those_of_the_pack_stop_nothing(site: Site) -> None:
    site.transcripts(lambda rows: rows.append({**rows[-1], "task_id": "T-009"}))
    site.rebind(report=lambda value: value["tasks"][1].update(outcome="success"))
    assert slugs(site) == {"task-unknown", "outcome-disagrees"}


def test_two_transcripts_of_a_task_say_nothing_of_its_outcome(site: Site) -> None:
    site.transcripts(lambda rows: rows.append({**rows[4], "artifact": "2"}))
    site.rebind()
    assert slugs(site) == {"outcome-duplicate"}


@pytest.mark.parametrize("kind", ["ordinary", "negative"])
def test_rows_of_the_wrong_slice_are_not_counted(kind: str, site: Site) -> None:
    """There is no rate of no task."""

    def all_of(value: Object) -> None:
        for row in value["tasks"]:
            row.update(kind=kind, outcome="error")

    site.report(all_of)
    keep_elsewhere(site)
    assert slugs(site) == {"outcome-disagrees"}


def test_a_verdict_that_nobody_kept_is_one_fault(site: Site) -> None:
    site.draft(lambda value: value["metric"].update(deterministic=False))
    site.rebind(report=lambda value: value.update(mean=0.9))
    found = refusals(site)
    assert [refusal.slug for refusal in found] == ["evidence-missing", "rate-mismatch"]
    assert found[0].expected == "the judge's verdict of T-001"


def test_verdicts_that_cannot_be_read_are_one_fault(site: Site) -> None:
    site.draft(lambda value: value["metric"].update(deterministic=False))
    (site.run / "verdicts.jsonl").write_bytes(b"{\n")
    digest = sha256(b"{\n")
    site.rebind(report=lambda value: (value.update(mean=0.9), value["digests"].update(verdicts=digest)))
    assert slugs(site) == {"json-malformed", "rate-mismatch"}


def test_an_oracle_that_the_metric_cannot_read_hides_no_number(site: Site) -> None:
    metric = (templates_dir() / "protocol" / "metric_exact_diff.py").read_bytes()
    (site.protocol / "metric.py").write_bytes(metric)
    site.rebind(report=lambda value: value.update(mean=0.9))
    found = refusals(site)
    assert {refusal.slug for refusal in found} == {"metric-failed", "rate-mismatch"}
    places = [refusal.path for refusal in found if refusal.slug == "metric-failed"]
    assert places == ["task T-001", "task NP-PASS"]


def test_a_null_pack_that_is_only_said_to_have_failed(site: Site) -> None:
    """However much of the evidence is here."""
    site.report(lambda value: value.update(null_pack="fail"))
    assert [(r.slug, r.path, r.found) for r in refusals(site)] == [("null-pack-claim-only", "/null_pack", "fail")]
    keep_elsewhere(site)
    assert [(r.slug, r.path, r.found) for r in refusals(site)] == [("null-pack-claim-only", "/null_pack", "fail")]


def test_a_null_pack_of_a_hidden_test_set_that_is_only_said_to_have_failed(tmp_path: Path) -> None:
    hidden(tmp_path, "outcomes")
    Site(tmp_path).report(lambda value: value.update(null_pack="fail"))
    assert [refusal.slug for refusal in verify_unit(withheld(tmp_path)).all_refusals] == ["null-pack-claim-only"]


def withheld(root: Path, protocol_id: str = "demo.v1") -> Unit:
    """What a repository that keeps a test set hidden has of it: all but the files that it does not publish."""
    verified = judge(root, protocol_id)
    assert verified.protocol is not None
    with Tree(root) as tree:
        unit = read_unit(tree, protocol_id)
    assert unit.protocol is not None
    files = published_files(verified.protocol)
    files["commitments.sums"] = unit.protocol.files["commitments.sums"]
    return dataclasses.replace(unit, protocol=dataclasses.replace(unit.protocol, files=files))


def test_clusters_that_are_withheld_hide_no_other_fault(tmp_path: Path) -> None:
    rows = [*ordinary_tasks(20), *negative_tasks(10)]
    tasks = [{**row, "topic": "ab"[number % 2]} for number, row in enumerate(rows)]
    changes = {"dataset": {"cluster": "topic"}, "publish": {"evidence": "outcomes"}}
    make_protocol(tmp_path, tasks=tasks, changes=changes)
    make_run(tmp_path, "demo.v1")
    Site(tmp_path).report(lambda value: value.update(ci_method="bootstrap"))
    found = {refusal.slug for refusal in verify_unit(withheld(tmp_path)).all_refusals}
    assert found == {"file-missing", "interval-method"}


def test_a_report_that_holds_is_counted_as_it_says(site: Site) -> None:
    (report,) = judge(site.root, "demo.v1").reports
    stated = json.loads((site.run / "report.json").read_bytes())
    assert [row.outcome for row in report.rows] == [row["outcome"] for row in stated["tasks"]]
    assert (report.card.success.k, report.card.success.n) == (2, 3)


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda value: value["tasks"].pop(), {"task-missing"}),
        (lambda value: value["tasks"].append(value["tasks"][-1]), {"outcome-duplicate"}),
        (lambda value: value["tasks"][-1].update(outcome="excellent"), {"outcome-unknown"}),
    ],
)
def test_numbers_are_counted_only_of_one_known_outcome_a_task(
    spoil: Callable[[Object], Any], named: set[str], tmp_path: Path
) -> None:
    """The rates that the report states are right of the rows that it ought to have, and are not called wrong."""
    make_protocol(tmp_path, ordinary=3, negative=2)
    make_run(tmp_path, "demo.v1", invalid=("N-002",))
    site = Site(tmp_path)
    site.report(spoil)
    keep_elsewhere(site)
    assert slugs(site) == named


@pytest.mark.parametrize("reason", ["evidence-missing", "metric-failed"])
def test_where_no_answer_can_be_judged_the_rows_are_held_to_the_pack(reason: str, site: Site) -> None:
    """Of the tasks as of the null pack."""
    if reason == "metric-failed":
        (site.protocol / "metric.py").write_bytes((templates_dir() / "protocol" / "metric_exact_diff.py").read_bytes())
    else:
        site.draft(lambda value: value["metric"].update(deterministic=False))

    def spoil(value: Object) -> None:
        value["tasks"][0]["outcome"] = "excellent"
        value["null_pack_rows"][0]["observed"] = "failed"

    site.rebind(report=spoil)
    places = {(fault.slug, fault.path) for fault in refusals(site) if fault.slug != reason}
    assert places == {("outcome-unknown", "row T-001"), ("null-pack-claim-only", "row NP-PASS")}


def test_the_rows_of_a_hidden_test_set_are_held_to_its_seal(tmp_path: Path) -> None:
    hidden(tmp_path, "outcomes")
    Site(tmp_path).report(lambda value: value["tasks"].pop())
    found = verify_unit(withheld(tmp_path)).all_refusals
    assert [(fault.slug, fault.expected, fault.found) for fault in found] == [
        ("task-missing", "10 rows of negative tasks", "9")
    ]


@pytest.mark.parametrize("cluster", [None, "topic"])
def test_on_a_published_site_only_intervals_over_withheld_clusters_are_taken_as_stated(
    cluster: str | None, tmp_path: Path
) -> None:
    rows = [*ordinary_tasks(20), *negative_tasks(10)]
    tasks = [{**row, "topic": "abcd"[number % 4]} for number, row in enumerate(rows)]
    make_protocol(tmp_path, tasks=tasks, changes={"dataset": {"cluster": cluster}, "publish": {"evidence": "outcomes"}})
    make_run(tmp_path, "demo.v1", wrong=("T-001",))
    (report,) = verify_unit(withheld(tmp_path), published=True).reports
    assert (report.card.success.k, report.card.success.interval.method) == (19, "wilson-eff" if cluster else "wilson")
    Site(tmp_path).report(lambda value: value.update(ci95=[0.9, 0.96]))
    found = [fault.path for fault in verify_unit(withheld(tmp_path), published=True).all_refusals]
    assert found == ([] if cluster else ["/ci95"])
