"""A public repository that does not hold its hidden test set: the same numbers, the level "numbers", and it says so."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sitegen.cli import main
from sitegen.harness.opening import open_run
from sitegen.harness.revealing import reveal_protocol
from sitegen.pipeline.auditing import audit_site
from sitegen.pipeline.build import build_site
from sitegen.refusals import Refused
from tests.audit.hidden import WORDS, hidden
from tests.audit.published import Files, files_of, script, script_says
from tests.sites import judge, make_contestant, make_protocol, make_run, negative_tasks, ordinary_tasks

SHOWN = {
    "outcomes": {"protocol.sealed.yaml", "protocol.yaml", "metric.py", "commitments.sums"},
    "digests": {"protocol.sealed.yaml", "protocol.yaml", "commitments.sums"},
}
SUMS = [False, True]


def withhold(root: Path, level: str, sums: bool) -> None:
    """Remove all that the level hides from the inputs below ``root``, as a public repository would leave it out."""
    kept = SHOWN[level] | ({"protocol.sums"} if sums else set())
    folder = root / "protocols" / "demo.v1"
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if path.relative_to(folder).as_posix() not in kept:
            path.unlink()
    shutil.rmtree(folder / "oracles", ignore_errors=True)
    for transcripts in root.glob("reports/demo.v1/*/transcripts.jsonl"):
        transcripts.unlink()
    for solver in root.glob("reports/demo.v1/*/solver") if level == "digests" else ():
        shutil.rmtree(solver)


@pytest.fixture(params=["outcomes", "digests"])
def level(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path, level: str) -> Path:
    """A hidden exam with one run, all its files there."""
    hidden(tmp_path / "root", level)
    return tmp_path / "root"


def slugs(root: Path) -> set[str]:
    return {refusal.slug for refusal in judge(root, "demo.v1").all_refusals}


def run_folder(root: Path) -> Path:
    return next(path for path in (root / "reports" / "demo.v1").iterdir() if path.name.startswith("20"))


def evidence(files: Files) -> Files:
    return {path: data for path, data in files.items() if path.startswith("evidence/")}


@pytest.mark.parametrize("sums", SUMS)
def test_the_same_numbers_and_the_same_evidence(tmp_path: Path, root: Path, level: str, sums: bool) -> None:
    build_site(root, tmp_path / "whole")
    withhold(root, level, sums)
    build_site(root, tmp_path / "site", previous=str(tmp_path / "whole"))
    before, files = files_of(tmp_path / "whole"), files_of(tmp_path / "site")
    assert evidence(files) == evidence(before)
    row, old = (json.loads(made["data/reports.json"])["reports"][0] for made in (files, before))
    assert (row["level"], old["level"]) == ("numbers", "re-scored")
    assert {**row, "level": "re-scored", "witness": "unwitnessed"} == old


@pytest.mark.parametrize("sums", SUMS)
def test_the_pages_say_so_and_both_audits_agree(tmp_path: Path, root: Path, level: str, sums: bool) -> None:
    total = sum(path.is_file() for path in (root / "protocols" / "demo.v1").rglob("*")) - 3
    withhold(root, level, sums)
    build_site(root, tmp_path / "site")
    files = files_of(tmp_path / "site")
    said = f"sealed files withheld: {total - len(SHOWN[level]) + 2} of {total}".encode()
    pages = [path for path, data in files.items() if path.endswith(".html") and said in data]
    assert {path.count("/") for path in pages} == {2, 3}
    assert script_says(script(files), files) == []
    assert audit_site(str(tmp_path / "site")).faults == ()
    assert all(word.encode() not in b"".join(files.values()) for word in ("Say 7.", "What was leaked"))


@pytest.mark.parametrize("sums", SUMS)
def test_what_is_here_must_be_what_was_sealed(root: Path, level: str, sums: bool) -> None:
    withhold(root, level, sums)
    assert slugs(root) == set()
    draft = root / "protocols" / "demo.v1" / "protocol.yaml"
    draft.write_bytes(draft.read_bytes().replace(b"timeout_sec: 60", b"timeout_sec: 61"))
    assert slugs(root) & {"file-drift", "protocol-drift"}
    draft.unlink()
    assert slugs(root) == {"file-missing"}


@pytest.mark.parametrize("sums", SUMS)
def test_a_metric_that_the_level_shows_must_be_here(tmp_path: Path, sums: bool) -> None:
    hidden(tmp_path, "outcomes")
    withhold(tmp_path, "outcomes", sums)
    metric = tmp_path / "protocols" / "demo.v1" / "metric.py"
    metric.write_bytes(metric.read_bytes() + b"#")
    assert slugs(tmp_path) == {"metric-drift"}
    metric.unlink()
    assert slugs(tmp_path) == {"file-missing"}


def test_hidden_files_that_are_here_are_held_to_the_seal(root: Path, level: str) -> None:
    tasks = (root / "protocols" / "demo.v1" / "tasks.jsonl").read_bytes()
    withhold(root, level, sums=False)
    back = root / "protocols" / "demo.v1" / "tasks.jsonl"
    back.write_bytes(tasks)
    assert slugs(root) == set()
    back.write_bytes(tasks + b"\n")
    assert slugs(root) == {"dataset-drift"}
    back.unlink()
    (back.parent / "helper.py").write_text("x = 1\n")
    assert slugs(root) == {"file-unlisted"}


def test_without_commitments_nothing_is_withheld(root: Path, level: str) -> None:
    withhold(root, level, sums=True)
    listing = root / "protocols" / "demo.v1" / "commitments.sums"
    whole = listing.read_bytes()
    listing.write_bytes(whole[whole.index(b"\n") + 1 :])
    assert slugs(root) == {"evidence-commitment"}
    listing.write_bytes(b"no digest\n")
    assert slugs(root) == {"evidence-commitment"}
    listing.unlink()
    assert slugs(root) == {"evidence-commitment"}


def test_other_commitments_than_those_published_are_another_history(tmp_path: Path, root: Path, level: str) -> None:
    build_site(root, tmp_path / "site")
    withhold(root, level, sums=False)
    listing = root / "protocols" / "demo.v1" / "commitments.sums"
    listing.write_bytes(("0" * 64).encode() + listing.read_bytes()[64:])
    assert slugs(root) == set()  # without the files nothing else can tell
    with pytest.raises(Refused) as refused:
        build_site(root, tmp_path / "new", previous=str(tmp_path / "site"))
    assert {refusal.slug for refusal in refused.value.refusals} == {"history-changed"}
    build_site(root, tmp_path / "new")
    found = audit_site(str(tmp_path / "new"), str(tmp_path / "site")).faults
    assert [refusal.slug for refusal in found] == ["history-changed"]


def test_commitments_must_open_where_the_files_are(root: Path, level: str) -> None:
    listing = root / "protocols" / "demo.v1" / "commitments.sums"
    listing.write_bytes(("0" * 64).encode() + listing.read_bytes()[64:])
    assert slugs(root) == {"evidence-commitment"}


def test_an_altered_row_is_noticed(root: Path, level: str) -> None:
    withhold(root, level, sums=False)
    report = run_folder(root) / "report.json"
    report.write_bytes(report.read_bytes().replace(b'"outcome":"miss"', b'"outcome":"success"', 1))
    assert slugs(root) == {"evidence-mismatch", "count-mismatch", "rate-mismatch", "interval-mismatch"}


def test_other_files_of_a_run_must_be_there(root: Path, level: str) -> None:
    withhold(root, level, sums=False)
    (run_folder(root) / "manifest.yaml").unlink()
    assert slugs(root) == {"evidence-missing"}


def test_transcripts_that_are_here_must_be_those_of_the_report(root: Path, level: str) -> None:
    transcripts = (run_folder(root) / "transcripts.jsonl").read_bytes()
    withhold(root, level, sums=False)
    (run_folder(root) / "transcripts.jsonl").write_bytes(transcripts + transcripts)
    assert slugs(root) == {"evidence-mismatch"}


def test_two_reports_must_be_of_the_same_tasks(tmp_path: Path) -> None:
    hidden(tmp_path, "outcomes")
    make_run(tmp_path, "demo.v1", "beta", answers={"T-001": WORDS[0]})
    withhold(tmp_path, "outcomes", sums=False)
    unit = judge(tmp_path, "demo.v1")
    assert [report.card.success.k for report in unit.reports] == [19, 1]
    assert unit.all_refusals == []


def test_a_full_or_revealed_protocol_may_lack_nothing(tmp_path: Path) -> None:
    make_protocol(tmp_path / "full", "demo.v1")
    make_run(tmp_path / "full", "demo.v1", "alpha")
    (tmp_path / "full" / "protocols" / "demo.v1" / "tasks.jsonl").unlink()
    assert "file-missing" in slugs(tmp_path / "full")
    hidden(tmp_path / "root", "outcomes")
    reveal_protocol(tmp_path / "root", "demo.v1")
    assert slugs(tmp_path / "root") == set()
    withhold(tmp_path / "root", "outcomes", sums=True)
    assert slugs(tmp_path / "root") == set()  # the record of the reveal is gone as well
    (tmp_path / "root" / "protocols" / "demo.v1" / "revealed.yaml").write_text("")
    assert "file-missing" in slugs(tmp_path / "root")


def test_running_and_revealing_need_the_files(root: Path, level: str) -> None:
    withhold(root, level, sums=True)
    for act in (
        lambda: open_run(root, "demo.v1", make_contestant(root, "beta")),
        lambda: reveal_protocol(root, "demo.v1"),
    ):
        with pytest.raises(Refused) as refused:
            act()
        assert [refusal.slug for refusal in refused.value.refusals] == ["file-missing"]


def test_verify_says_what_is_withheld(root: Path, level: str, capsys: pytest.CaptureFixture[str]) -> None:
    withhold(root, level, sums=True)
    assert main(["verify", str(root)]) == 0
    assert "demo.v1: sealed files withheld: " in capsys.readouterr().err


def test_intervals_over_clusters_need_the_dataset_to_build_and_are_as_stated_in_an_audit(tmp_path: Path) -> None:
    root = tmp_path / "root"
    rows = [
        {**row, "group": f"g{place % 5}"}
        for tasks in (ordinary_tasks(20), negative_tasks(10))
        for place, row in enumerate(tasks)
    ]
    changes = {"dataset": {"cluster": "group"}, "publish": {"evidence": "outcomes"}}
    make_protocol(root, "demo.v1", tasks=rows, changes=changes)
    make_run(root, "demo.v1", "alpha", wrong=("T-001",))
    build_site(root, tmp_path / "site")
    files = files_of(tmp_path / "site")
    assert script_says(script(files), files) == []
    assert audit_site(str(tmp_path / "site")).faults == ()
    withhold(root, "outcomes", sums=True)
    (refusal,) = judge(root, "demo.v1").all_refusals
    assert (refusal.slug, refusal.found) == ("file-missing", "3 withheld sealed files")
