"""Evidence that is kept back: what is left is still held to the seal, the ledger and its own rows."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sitegen.digests import canonical_json, sha256
from sitegen.read.files import SourceFile
from sitegen.read.ledger import Ledger, event_bytes
from sitegen.read.library import RunFolder, Unit
from sitegen.refusals import Refusal
from sitegen.verify.commitments import published_run_files
from sitegen.verify.verified import VerifiedUnit
from sitegen.verify.verifier import verify_unit
from sitegen.verify.withheld import clustered_as_stated, find_other_tasks, withheld_note, without_hidden
from tests.audit.hidden import WORDS, hidden
from tests.sites import judge, make_run
from tests.verify.test_recount import withheld


@pytest.fixture
def unit(tmp_path: Path) -> Unit:
    """A hidden protocol with one run, as much of it as is published."""
    hidden(tmp_path, "outcomes")
    return published(tmp_path)


def published(root: Path) -> Unit:
    """Return as much of the hidden protocol and of its runs as is published."""
    verified, unit = judge(root, "demo.v1"), withheld(root)
    assert verified.protocol is not None
    shown = {report.run_id: published_run_files(verified.protocol, report) for report in verified.reports}
    runs = tuple(dataclasses.replace(run, files=shown[run.run_id]) for run in unit.runs)
    return dataclasses.replace(unit, runs=runs)


def with_report(unit: Unit, change: Callable[[dict[str, Any]], None]) -> set[str]:
    """Change the last run's report, and the end that names it, and return the slugs of what is found."""
    run = unit.runs[-1]
    value = json.loads(run.files["report.json"].data)
    change(value)
    data = canonical_json(value)
    report = SourceFile(path=run.files["report.json"].path, data=data, sha256=sha256(data))
    changed = dataclasses.replace(run, files={**run.files, "report.json": report})
    ((digest, end),) = [(digest, event) for digest, event in unit.ledger.of("end") if event.run_id == run.run_id]
    events = {name: event for name, event in unit.ledger.events.items() if name != digest}
    end = msgspec.structs.replace(end, report_sha256=report.sha256)
    events[sha256(event_bytes(end))] = end
    return slugs(verify_unit(dataclasses.replace(unit, runs=(*unit.runs[:-1], changed), ledger=Ledger(events=events))))


def slugs(unit: VerifiedUnit) -> set[str]:
    return {refusal.slug for refusal in unit.all_refusals}


def test_rates_follow_from_the_rows(unit: Unit) -> None:
    found = verify_unit(unit)
    assert found.all_refusals == []
    assert (found.reports[0].card.success.k, found.reports[0].card.success.n) == (19, 20)


def test_a_changed_row_or_number_is_noticed(unit: Unit) -> None:
    assert with_report(unit, lambda report: report.update(mean=1.0)) == {"rate-mismatch"}
    assert with_report(unit, lambda report: report["tasks"].pop()) == {"task-missing"}
    assert with_report(unit, lambda report: report["tasks"].pop(0)) == {"task-missing"}
    assert with_report(unit, lambda report: report["tasks"][0].update(outcome="excellent")) == {"outcome-unknown"}
    assert with_report(unit, lambda report: report["tasks"][1].update(id=report["tasks"][0]["id"])) == {
        "outcome-duplicate"
    }
    assert with_report(unit, lambda report: report["null_pack_rows"].pop()) == {"null-row-missing"}
    assert with_report(unit, lambda report: report["null_pack_rows"][0].update(observed="failed")) == {
        "null-pack-claim-only"
    }
    assert with_report(unit, lambda report: report["digests"].update(dataset="0" * 64)) == {"dataset-drift"}
    assert with_report(unit, lambda report: report["digests"].update(transcripts="0" * 64)) == {"evidence-mismatch"}
    assert "task-missing" in with_report(
        unit, lambda report: report["tasks"][0].update(kind="negative", outcome="abstain_ok")
    )


def test_another_report_than_the_ledgers_is_noticed(unit: Unit) -> None:
    run = unit.runs[0]
    data = run.files["report.json"].data.replace(b'"mean":0.95', b'"mean":0.96')
    report = SourceFile(path=run.files["report.json"].path, data=data, sha256=sha256(data))
    changed = dataclasses.replace(run, files={**run.files, "report.json": report})
    assert "evidence-mismatch" in slugs(verify_unit(dataclasses.replace(unit, runs=(changed,))))


def test_tasks_are_those_of_the_other_reports(unit: Unit) -> None:
    rows = verify_unit(unit).reports[0].rows
    assert list(find_other_tasks(rows, rows, "report.json")) == []
    other = (msgspec.structs.replace(rows[0], id="T-999"), *rows[1:])
    (fault,) = find_other_tasks(other, rows, "report.json")
    assert (fault.slug, fault.path) == ("task-unknown", "/tasks/0")


def test_a_report_of_other_tasks_than_the_first_is_refused(tmp_path: Path) -> None:
    hidden(tmp_path, "outcomes")
    make_run(tmp_path, "demo.v1", "beta", answers={"T-001": WORDS[1]})
    two = published(tmp_path)
    assert slugs(verify_unit(two)) == set()
    assert with_report(two, lambda report: report["tasks"][0].update(id="T-999")) == {"task-unknown"}


def test_intervals_over_clusters_are_taken_only_where_they_could_be_of_these_rates(unit: Unit) -> None:
    report = verify_unit(unit).reports[0]
    prefixes = ("", "abstention_", "invalid_completion_", "false_abstention_")
    claims = {f"{prefix}{name}": value for prefix in prefixes for name, value in (("clusters", 5), ("n_eff", 7.5))}
    stated = msgspec.structs.replace(report.report, **claims, ci95=(0.6, 0.99))
    card, found = clustered_as_stated(report.card, stated, "report.json")
    assert found == []
    assert (card.success.stated, card.success.cluster_note is not None) == ((0.6, 0.99), True)
    for possible in ({"clusters": 2}, {"clusters": 20}):
        altered = msgspec.structs.replace(stated, **possible)
        assert clustered_as_stated(report.card, altered, "report.json")[1] == []
    wrongs = ({"ci95": (0.96, 0.99)}, {"abstention_clusters": None}, {"n_eff": None}, {"clusters": 1}, {"clusters": 21})
    for wrong in wrongs:
        altered = msgspec.structs.replace(stated, **wrong)
        _, found = clustered_as_stated(report.card, altered, "report.json")
        assert [fault.slug for fault in found] == ["interval-mismatch"]


def test_without_its_sealed_document_or_its_report_there_is_nothing(unit: Unit) -> None:
    assert unit.protocol is not None
    bare = dataclasses.replace(unit, protocol=dataclasses.replace(unit.protocol, files={}))
    assert slugs(verify_unit(bare)) == {"seal-missing"}
    empty = dataclasses.replace(unit, runs=(dataclasses.replace(unit.runs[0], files={}),))
    assert "ledger-unpublished" in slugs(verify_unit(empty))


def test_a_site_that_withholds_says_how_much(unit: Unit, tmp_path: Path) -> None:
    withheld = verify_unit(unit).protocol
    assert withheld is not None
    assert "sealed files withheld: 23 of 25." in (withheld_note(withheld) or "")
    whole = judge(tmp_path, "demo.v1").protocol
    assert whole is not None
    assert withheld_note(whole) is None


def absent(name: str, slug: str = "evidence-missing") -> Refusal:
    return Refusal(slug=slug, file=f"r/{name}", expected="x", found="nothing")


@pytest.mark.parametrize("level", ["full", "outcomes", "digests"])
def test_only_what_the_level_hides_may_be_absent(level: Any) -> None:
    folder = RunFolder(protocol_id="p", run_id="r", path="r", files={})
    solver = absent("solver", "evidence-mismatch")
    found = [absent("transcripts.jsonl"), absent("verdicts.jsonl"), absent("manifest.yaml"), solver]
    found += [absent("transcripts.jsonl", "evidence-mismatch"), absent("solver", "path-unsafe")]  # it is a link
    always = [absent("manifest.yaml"), *found[-2:]]
    left = {"full": found, "outcomes": [always[0], solver, *always[1:]], "digests": always}
    assert without_hidden(found, folder, level) == left[level]
    assert without_hidden(found, None, level) == found
    here = SourceFile(path="x", data=b"", sha256=sha256(b""))
    files = {"transcripts.jsonl": here, "verdicts.jsonl": here, "solver/solve.sh": here}
    assert without_hidden(found, dataclasses.replace(folder, files=files), level) == found
