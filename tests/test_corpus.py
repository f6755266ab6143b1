"""The refusal corpus: every slug has a case, and every case gives exactly the slugs and the exit code that it states.

A case is a directory with a complete tiny site, a README of one sentence and ``expected.json``; it is run through the
command line, so that anyone's verifier can be held to it. ``python -m tests.corpus_builder`` writes the cases anew.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from sitegen.refusals import KINDS
from tests.corpus_builder.__main__ import build
from tests.corpus_builder.base import fixed_clock_and_ids, make_base
from tests.corpus_builder.registry import CASES, Case

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests" / "corpus"
FOLDERS = sorted(path for path in CORPUS.iterdir() if path.is_dir())

ELSEWHERE = {
    "file-too-large": "tests/read/test_files.py::test_a_file_over_the_limit_is_refused",
    "file-changed": "tests/read/test_files.py::test_a_file_that_changes_while_it_is_read_is_refused",
    "inputs-changed": "tests/harness/test_exam.py::test_a_copy_of_the_solver_that_was_changed_ends_the_run",
    "solver-missing": "tests/harness/test_opening.py::test_a_run_of_ours_needs_a_solver",
    "evidence-commitment": "tests/harness/test_revealing.py::test_other_files_do_not_open_it",
    "signature-invalid": "tests/harness/test_countersigning.py::test_a_stranger_cannot_sign",
    "asset-drift": "tests/pipeline/test_overall.py::test_a_template_that_changes_during_a_build_is_refused",
    "output-not-ours": "tests/write/test_publish.py::test_a_folder_without_our_marker_is_never_touched",
    "output-busy": "tests/write/test_publish.py::test_a_second_build_is_kept_out",
    "page-drift": "tests/pipeline/test_remaking.py::test_a_byte_of_any_file_beside_the_evidence_is_a_fault",
    "output-not-writable": "tests/write/test_publish.py::test_trouble_of_the_disk_has_its_slug",
    "output-no-space": "tests/write/test_publish.py::test_trouble_of_the_disk_has_its_slug",
    "output-overlap": "tests/write/test_publish.py::test_the_output_may_not_overlap_an_input",
    "publish-failed": "tests/write/test_publish.py::test_a_failed_exchange_leaves_the_old_site",
    "internal-error": "tests/cli/test_cli.py::test_a_bug_is_one_line_and_no_traceback",
}
"""Slugs that no directory can show, with the test that does."""


def expected(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return value


def slugs_of(output: str) -> set[str]:
    values = [json.loads(line) for line in output.splitlines()]
    return {value["slug"] for value in values if "slug" in value}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_case_gives_exactly_its_slugs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = expected(folder).get("command", ["verify"])
    place = folder / "input"
    if command != ["verify"]:  # which writes nothing
        place = shutil.copytree(place, tmp_path / "input", symlinks=True)
    monkeypatch.chdir(place)
    code = main([*command, "--format", "json"])
    said = capsys.readouterr()
    assert sorted(slugs_of(said.out)) == sorted(expected(folder)["slugs"])
    assert code == expected(folder)["exit"]
    assert "Traceback" not in said.err


@pytest.mark.parametrize("folder", FOLDERS[::35], ids=lambda folder: folder.name)
def test_a_case_says_the_same_in_a_process_of_its_own(folder: Path, tmp_path: Path) -> None:
    place = shutil.copytree(folder / "input", tmp_path / "input", symlinks=True)
    command = [sys.executable, "-m", "sitegen", *expected(folder).get("command", ["verify"]), "--format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert (ran.returncode, slugs_of(ran.stdout)) == (expected(folder)["exit"], set(expected(folder)["slugs"]))
    assert "Traceback" not in ran.stderr


def test_the_unchanged_base_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """What a case refuses is its change: without one, the same site verifies clean."""
    with fixed_clock_and_ids():
        make_base(tmp_path / "site")
    monkeypatch.chdir(tmp_path / "site")
    assert main(["verify", "--format", "json"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["verify"]) == 0
    assert "1 report holds" in capsys.readouterr().out


def test_every_slug_has_a_case() -> None:
    """A slug without a case, and without a test elsewhere, is a check that nothing holds in place."""
    shown = {folder.name.split("--")[1] for folder in FOLDERS}
    assert shown | ELSEWHERE.keys() == set(KINDS)
    assert not shown & ELSEWHERE.keys()


@pytest.mark.parametrize("slug", sorted(ELSEWHERE))
def test_the_test_elsewhere_exists(slug: str) -> None:
    path, _, name = ELSEWHERE[slug].partition("::")
    assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_case_is_complete(folder: Path) -> None:
    """Its name has its slug, which it expects; its README is one sentence."""
    _, slug, _ = re.fullmatch(r"(refused)--([a-z0-9-]+?)--([a-z0-9-]+)", folder.name).groups()  # type: ignore[union-attr]
    assert slug in expected(folder)["slugs"]
    assert set(expected(folder)) <= {"slugs", "exit", "command"}
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert re.fullmatch(r"[A-Z].*\.\n", readme)


def test_the_expected_exit_follows_from_the_slugs() -> None:
    """Only recorded refusals leave the exit at 0."""
    for folder in FOLDERS:
        fault = any(not KINDS[slug].recorded for slug in expected(folder)["slugs"])
        assert expected(folder)["exit"] == int(fault), folder.name


def same(made: Path, committed: Path) -> None:
    """Compare file by file: what is committed has no empty folder."""
    assert contents(made) == contents(committed)


def contents(folder: Path) -> dict[str, bytes | str]:
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_symlink() or path.is_file()}
    return {name: str(path.readlink()) if path.is_symlink() else path.read_bytes() for name, path in found.items()}


@pytest.mark.parametrize("case", CASES[::20], ids=lambda case: case.folder)
def test_the_builder_writes_what_is_committed(case: Case, tmp_path: Path) -> None:
    build(case, tmp_path)
    same(tmp_path / case.folder, CORPUS / case.folder)


@pytest.mark.slow
def test_the_builder_writes_all_that_is_committed(tmp_path: Path) -> None:
    for case in CASES:
        build(case, tmp_path)
        same(tmp_path / case.folder, CORPUS / case.folder)
