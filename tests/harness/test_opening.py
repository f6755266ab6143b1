"""Opening a run: manifest and solver are locked by digest, and the start is on the disk before anything runs."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import EMPTY_FOLDER, folder_digest, sha256
from sitegen.harness import opening
from sitegen.harness.opening import (
    discard_rehearsal,
    find_run,
    new_run_id,
    opaque_ids,
    open_rehearsal,
    open_run,
    reopen_run,
    sound_exam,
)
from sitegen.read.files import Tree
from sitegen.read.library import Unit, read_exam
from sitegen.read.schema import Identifier, find_faults
from sitegen.refusals import Misuse, Refused
from tests.sites import judge, make_contestant, make_protocol, make_run

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_protocol(tmp_path, ordinary=3, negative=1)
    return tmp_path


def test_a_start_is_in_the_ledger_when_the_run_is_open(root: Path) -> None:
    manifest = make_contestant(root, "alpha")
    opened = open_run(root, "demo.v1", manifest)
    unit = judge(root, "demo.v1")
    start = unit.ledger.events[opened.start_sha256 or ""]
    assert (start.event, start.run_id, start.channel, start.route) == ("start", opened.run_id, "scored", "alpha-1.0")
    assert start.manifest_sha256 == sha256(manifest.read_bytes())
    solver = sha256((manifest.parent / "solve.sh").read_bytes())
    assert start.solver_sha256 == folder_digest({"solve.sh": solver})
    assert (opened.run_folder / "manifest.yaml").read_bytes() == manifest.read_bytes()
    assert [refusal.slug for refusal in unit.all_refusals] == ["run-open"]


@pytest.mark.parametrize(
    ("evidence", "manifest", "found"),
    [
        ("full", {}, "solve.sh"),
        ("outcomes", {}, "solve.sh"),
        ("digests", {}, None),
        ("full", {"publish_solver": False}, None),
        ("full", {"channel": "exploratory"}, None),
        ("digests", {"publish_solver": False, "title": KEY}, "manifest.yaml"),
    ],
)
def test_a_contestant_with_a_key_is_refused_before_its_run_counts(
    evidence: str, manifest: dict[str, Any], found: str | None, tmp_path: Path
) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1, changes={"publish": {"evidence": evidence}})
    contestant = make_contestant(tmp_path, "alpha", f"printf %s {KEY}\n", **manifest)
    if found is None:
        open_run(tmp_path, "demo.v1", contestant)
        return
    with pytest.raises(Refused) as caught:
        open_run(tmp_path, "demo.v1", contestant)
    assert [(one.slug, one.file) for one in caught.value.refusals] == [("evidence-secret", found)]
    assert judge(tmp_path, "demo.v1").ledger.of("start") == []
    assert [path.name for path in (tmp_path / "reports" / "demo.v1").iterdir()] == ["ledger"]


def test_the_start_is_durable_before_the_run_has_its_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an interruption leaves is a start without a run, never a run without a start."""
    seen: list[int] = []
    rename = Path.rename

    def watch(path: Path, target: Path) -> Path:
        seen.append(len(judge(root, "demo.v1").ledger.of("start")))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", watch)
    open_run(root, "demo.v1", make_contestant(root, "alpha"))
    assert seen == [1]


def test_a_crash_before_the_start_leaves_no_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*given: object, **fields: object) -> None:
        raise OSError("the disk went away")

    monkeypatch.setattr(opening, "append_event", crash)
    with pytest.raises(OSError, match="went away"):
        open_run(root, "demo.v1", make_contestant(root, "alpha"))
    assert judge(root, "demo.v1").all_refusals == []


def test_a_run_of_ours_needs_a_solver(root: Path) -> None:
    manifest = make_contestant(root, "alpha")
    (manifest.parent / "solve.sh").unlink()
    with pytest.raises(Refused, match="solver-missing"):
        open_run(root, "demo.v1", manifest)
    assert open_run(root, "demo.v1", manifest, needs_solver=False).solver_sha256 == EMPTY_FOLDER


def test_a_program_stays_a_program(root: Path) -> None:
    manifest = make_contestant(root, "alpha")
    (manifest.parent / "solve.sh").chmod(0o755)
    (manifest.parent / "bin").mkdir()
    (manifest.parent / "bin" / "data").write_bytes(b"")
    folder = open_run(root, "demo.v1", manifest).solver_folder
    assert os.access(folder / "solve.sh", os.X_OK)
    assert not os.access(folder / "bin" / "data", os.X_OK)


def test_a_solver_may_hold_no_link(root: Path) -> None:
    manifest = make_contestant(root, "alpha")
    (manifest.parent / "oracles").symlink_to(root / "protocols")
    with pytest.raises(Refused, match="path-unsafe"):
        open_run(root, "demo.v1", manifest)


def test_a_run_can_be_reopened_until_it_ends(root: Path) -> None:
    opened = open_run(root, "demo.v1", make_contestant(root, "alpha"))
    assert reopen_run(root, opened.run_id) == opened
    closed = make_run(root, "demo.v1", "beta")
    with pytest.raises(Misuse, match="ended"):
        reopen_run(root, closed.run_id)
    with pytest.raises(Misuse, match="no run"):
        reopen_run(root, "nowhere")


LOCKED = [("manifest.yaml", "manifest-drift"), ("solver/solve.sh", "evidence-mismatch")]


@pytest.mark.parametrize(("name", "slug"), LOCKED)
def test_what_was_locked_cannot_be_changed(name: str, slug: str, root: Path) -> None:
    opened = open_run(root, "demo.v1", make_contestant(root, "alpha"))
    path = opened.run_folder / name
    path.write_bytes(path.read_bytes() + b"# more\n")
    with pytest.raises(Refused, match=slug):
        reopen_run(root, opened.run_id)


def test_a_draft_and_a_changed_exam_may_not_be_run(root: Path) -> None:
    make_protocol(root, "other.v1", ordinary=3, negative=1, seal=False)
    manifest = make_contestant(root, "alpha")
    with pytest.raises(Refused, match=r"protocol-draft|seal-missing"):
        open_run(root, "other.v1", manifest)
    with pytest.raises(Misuse):
        open_run(root, "nowhere.v1", manifest)
    with pytest.raises(Misuse):
        open_run(root, "demo.v1", manifest.with_name("other.yaml"))
    tasks = root / "protocols" / "demo.v1" / "tasks.jsonl"
    tasks.write_bytes(tasks.read_bytes() + b"\n")
    with pytest.raises(Refused, match="dataset-drift"):
        open_run(root, "demo.v1", manifest)


def test_opaque_ids_tell_nothing_and_differ_in_every_run(root: Path) -> None:
    first = open_run(root, "demo.v1", make_contestant(root, "alpha"))
    second = open_run(root, "demo.v1", make_contestant(root, "alpha"))
    assert len(set(first.opaque.values())) == len(first.opaque) == 7
    assert not set(first.opaque.values()) & set(second.opaque.values())
    for true, opaque in first.opaque.items():
        assert re.fullmatch(r"t-[0-9a-f]{16}", opaque)
        assert true not in opaque
    pack = sound_exam(root, "demo.v1").pack
    assert opaque_ids(pack, "0" * 64) == opaque_ids(pack, "0" * 64)


@pytest.mark.parametrize("route", ["alpha-1.0", "Vendor/Model:1.0 (beta)", "модель", "x" * 300, "../..", "-"])
def test_a_run_id_is_an_identifier_that_ends_in_six_random_digits(route: str) -> None:
    first, second = new_run_id(route), new_run_id(route)
    assert find_faults(first, Identifier, "x") == []
    assert re.search(r"-[0-9a-f]{6}\Z", first)
    assert first != second


def test_a_rehearsal_has_no_start_and_can_be_dropped(root: Path) -> None:
    opened = open_rehearsal(root, "demo.v1", make_contestant(root, "alpha"))
    assert (opened.start_sha256, opened.channel) == (None, "exploratory")
    assert judge(root, "demo.v1").ledger.of("start") == []
    discard_rehearsal(opened)
    assert not opened.run_folder.exists()
    started = open_run(root, "demo.v1", make_contestant(root, "alpha"))
    discard_rehearsal(started)
    assert started.run_folder.is_dir()


def test_a_run_is_found_by_its_id(root: Path) -> None:
    opened = open_run(root, "demo.v1", make_contestant(root, "alpha"))
    assert find_run(root, opened.run_id) == "demo.v1"
    for name in ("nowhere", f"reports/demo.v1/{opened.run_id}"):
        with pytest.raises(Misuse, match="no run is called"):
            find_run(root, name)
    shutil.rmtree(opened.run_folder)  # the ledger still knows it
    assert find_run(root, opened.run_id) == "demo.v1"


def test_starting_a_run_reads_no_other_protocol(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a site of a thousand protocols that would be most of the time."""
    make_protocol(root, "other.v1")
    read: list[str] = []

    def noted(tree: Tree, protocol_id: str) -> Unit:
        read.append(protocol_id)
        return read_exam(tree, protocol_id)

    monkeypatch.setattr(opening, "read_exam", noted)
    opened = open_run(root, "demo.v1", make_contestant(root, "alpha"))
    reopen_run(root, opened.run_id)
    assert set(read) == {"demo.v1"}


def test_a_solvers_subfolders_are_copied_and_digested(root: Path) -> None:
    manifest = make_contestant(root, "deep")
    below = manifest.parent / "lib" / "inner"
    below.mkdir(parents=True)
    (below / "part.py").write_text("x = 1\n")
    run = open_run(root, "demo.v1", manifest)
    assert (run.solver_folder / "lib/inner/part.py").read_text() == "x = 1\n"
    (run.solver_folder / "lib/inner/part.py").write_text("x = 2\n")
    with pytest.raises(Refused, match="evidence-mismatch"):
        reopen_run(root, run.run_id)
