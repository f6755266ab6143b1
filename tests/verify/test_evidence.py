"""Whether a run's files are the ones that its start, its end and its report name."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import sha256
from sitegen.read.tasks import Task
from sitegen.verify.commitments import published_files
from sitegen.verify.evidence import coverage_faults, covers
from tests.audit.hidden import hidden
from tests.corpus_builder.site import Site
from tests.sites import judge, make_contestant, make_protocol, make_run


@pytest.fixture
def site(tmp_path: Path) -> Site:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1")
    return Site(tmp_path)


def named(site: Site) -> set[tuple[str, str]]:
    refusals = judge(site.root, "demo.v1").all_refusals
    return {(refusal.slug, refusal.file.removeprefix(f"reports/demo.v1/{site.run.name}/")) for refusal in refusals}


@pytest.mark.parametrize(
    ("name", "changed", "gone"),
    [
        ("manifest.yaml", "manifest-drift", "evidence-missing"),
        ("transcripts.jsonl", "evidence-mismatch", "evidence-missing"),
        ("report.json", "evidence-mismatch", "ledger-unpublished"),
    ],
)
def test_a_file_that_changed_or_is_gone_is_named(name: str, changed: str, gone: str, site: Site) -> None:
    path = site.run / name
    data = path.read_bytes()
    path.write_bytes(data + b"\n")
    assert (changed, name) in named(site)
    path.unlink()
    assert named(site) == {(gone, name)}


def test_the_solver_is_one_digest_over_its_folder(site: Site) -> None:
    (site.run / "solver" / "more.sh").write_bytes(b"")
    assert named(site) == {("evidence-mismatch", "solver")}


def test_a_solver_may_be_withheld_by_its_manifest_only(tmp_path: Path) -> None:
    import shutil

    make_protocol(tmp_path, ordinary=3, negative=1)
    closed = make_run(tmp_path, "demo.v1", publish_solver=False)
    run = tmp_path / "reports" / "demo.v1" / closed.run_id
    shutil.rmtree(run / "solver")
    assert judge(tmp_path, "demo.v1").all_refusals == []
    (run / "solver").mkdir()
    (run / "solver" / "other.sh").write_bytes(b"exit 0\n")
    assert [refusal.slug for refusal in judge(tmp_path, "demo.v1").all_refusals] == ["evidence-mismatch"]


def test_an_open_run_is_held_to_its_start_already(tmp_path: Path) -> None:
    from sitegen.harness.opening import open_run

    make_protocol(tmp_path, ordinary=3, negative=1)
    opened = open_run(tmp_path, "demo.v1", make_contestant(tmp_path, "alpha"))
    assert [refusal.slug for refusal in judge(tmp_path, "demo.v1").all_refusals] == ["run-open"]
    (opened.run_folder / "manifest.yaml").write_bytes(b"")
    assert "manifest-drift" in {refusal.slug for refusal in judge(tmp_path, "demo.v1").all_refusals}


TASKS = [Task(id=name, shown={}, file="x", path="") for name in ("a", "b")]


@pytest.mark.parametrize(
    ("ids", "slugs"),
    [
        (["a", "b"], []),
        (["b", "a"], []),
        (["a"], ["task-missing"]),
        (["a", "a", "b"], ["outcome-duplicate"]),
        (["a", "b", "c"], ["task-unknown"]),
        (["c", "c"], ["task-unknown", "task-unknown", "task-missing", "task-missing"]),
        ([], ["task-missing", "task-missing"]),
    ],
)
def test_rows_are_exactly_one_of_each_task(ids: list[str], slugs: list[str]) -> None:
    rows = [(name, f"line {number}") for number, name in enumerate(ids, start=1)]
    assert [fault.slug for fault in coverage_faults(TASKS, rows, "x")] == slugs


def test_without_a_start_the_manifest_is_held_to_the_report(site: Site) -> None:
    site.event_file("end").unlink()
    site.event_file("start").unlink()
    assert {slug for slug, _ in named(site)} == {"ledger-start-missing"}
    path = site.run / "manifest.yaml"
    path.write_bytes(path.read_bytes() + b"title: Another\n")
    assert named(site) == {("ledger-start-missing", "report.json"), ("manifest-drift", "manifest.yaml")}


def test_rows_cover_tasks_one_to_one() -> None:
    assert covers(["b", "a"], TASKS)
    assert not any(covers(ids, TASKS) for ids in (["a", "c"], ["a"], ["a", "b", "b"], ["a", "a"]))


def test_verdicts_that_the_report_names_are_there(site: Site) -> None:
    site.report(lambda value: value["digests"].update(verdicts="0" * 64))
    assert named(site) == {("evidence-missing", "verdicts.jsonl")}


def test_a_file_that_cannot_be_read_is_not_missing(site: Site) -> None:
    """The listing of the folder has said what it is."""
    (site.run / "transcripts.jsonl").unlink()
    (site.run / "transcripts.jsonl").symlink_to("report.json")
    assert named(site) == {("path-unsafe", "transcripts.jsonl")}


def test_only_a_manifest_that_can_be_read_withholds_the_solver(site: Site) -> None:
    shutil.rmtree(site.run / "solver")
    (site.run / "manifest.yaml").write_bytes(b"publish_solver: false\n")
    site.rebind(start=lambda event: event.update(solver_sha256=site.events["start"]["solver_sha256"]))
    assert {("evidence-mismatch", "solver"), ("field-missing", "manifest.yaml")} <= named(site)


def test_where_the_end_names_no_transcripts_the_report_does(site: Site) -> None:
    site.rebind(end=lambda event: event.pop("transcripts_sha256"))
    assert named(site) == set()
    other = {"transcripts": "0" * 64}
    site.rebind(report=lambda value: value["digests"].update(other), end=lambda event: event.pop("transcripts_sha256"))
    assert named(site) == {("evidence-mismatch", "transcripts.jsonl")}


def test_verdicts_that_nobody_asks_hide_no_outcome(site: Site) -> None:
    """A shipped metric judges again; what a judge is said to have recorded beside it changes nothing."""
    (site.run / "verdicts.jsonl").write_bytes(b"{\n")
    digest = sha256(b"{\n")

    def change(report: Any) -> None:
        report["digests"].update(verdicts=digest)
        report["tasks"][0].update(outcome="miss")

    site.report(change)
    assert {slug for slug, _ in named(site)} == {"json-malformed", "outcome-disagrees"}


def test_answers_without_their_tasks_were_not_scored_again(tmp_path: Path) -> None:
    """Though the transcripts are here, and the metric is one that sitegen ships."""
    hidden(tmp_path, "outcomes")
    whole = judge(tmp_path, "demo.v1")
    assert whole.protocol is not None
    folder = tmp_path / "protocols" / "demo.v1"
    shown = {"commitments.sums", *published_files(whole.protocol)}
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if path.relative_to(folder).as_posix() not in shown:
            path.unlink()
    (report,) = judge(tmp_path, "demo.v1").reports
    assert "transcripts.jsonl" in report.folder.files
    assert (whole.reports[0].level, report.level) == ("re-scored", "numbers")
    said = {step.name: step.result for step in report.steps}
    assert said["Outcomes"].startswith("Outcomes are as the report states them.")
    assert said["Tasks"].startswith("One row for each of 20 ordinary tasks")


@pytest.mark.parametrize("evidence", ["full", "outcomes"])
def test_transcripts_that_need_not_be_here_are_no_re_scoring(evidence: str, tmp_path: Path) -> None:
    """They are kept elsewhere, or the protocol does not publish them: no fault, but less than it asks."""
    changes = {"publish": {"require_level": "re-scored", "evidence": evidence}}
    make_protocol(tmp_path, ordinary=3, negative=1, changes=changes)
    make_run(tmp_path, "demo.v1")
    run = Site(tmp_path).run
    data = (run / "transcripts.jsonl").read_bytes()
    (run / "transcripts.jsonl").unlink()
    if evidence == "full":
        (run / "evidence.yaml").write_text(
            "schema: agent-bench-evidence/v1\nfiles:\n  transcripts.jsonl:\n"
            f'    sha256: "{sha256(data)}"\n    size: {len(data)}\n    url: "https://example.org/t.jsonl"\n'
        )
    (refusal,) = judge(tmp_path, "demo.v1").all_refusals
    assert (refusal.slug, refusal.expected, refusal.found) == ("evidence-level", "re-scored", "numbers")


def test_a_row_that_is_there_twice_is_the_only_one_that_is_named(site: Site) -> None:
    """Rows of the other pack are none of this one's."""
    site.transcripts(lambda rows: rows.extend([rows[0], rows[-1]]))
    site.rebind()
    found = judge(site.root, "demo.v1").all_refusals
    assert [(refusal.slug, refusal.path) for refusal in found] == [
        ("outcome-duplicate", "line 9"),
        ("outcome-duplicate", "line 8"),
    ]
