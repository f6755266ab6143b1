"""A protocol's folder → the parts of a verified protocol, or every reason against it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from sitegen.digests import sha256
from sitegen.harness.sealing import prepare_seal, write_seal
from sitegen.harness.yaml_text import yaml_text
from sitegen.read import source
from sitegen.read.files import LargeFile, Tree
from sitegen.read.library import read_exam
from sitegen.verify.protocols import examine_protocol
from tests.audit.hidden import hidden
from tests.corpus_builder.site import Site
from tests.sites import make_protocol, make_run


def examine(root: Path, protocol_id: str = "demo.v1") -> tuple[bool, list[str]]:
    with Tree(root) as tree:
        sound, refusals = examine_protocol(read_exam(tree, protocol_id))
    return sound is not None, [refusal.slug for refusal in refusals]


def test_a_sealed_exam_is_sound(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    assert examine(tmp_path) == (True, [])


def test_a_draft_is_an_honest_state(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1, seal=False)
    assert examine(tmp_path) == (False, ["protocol-draft"])
    (tmp_path / "protocols" / "demo.v1" / "protocol.yaml").write_bytes(b"- nothing\n")
    assert examine(tmp_path) == (False, ["protocol-draft"])


def test_what_cannot_be_read_of_a_draft_is_a_fault(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1, seal=False)
    (tmp_path / "protocols" / "demo.v1" / "link").symlink_to("tasks.jsonl")
    assert examine(tmp_path) == (False, ["path-unsafe"])


def test_no_folder_and_no_draft_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "protocols" / "empty.v1").mkdir(parents=True)
    assert examine(tmp_path, "empty.v1") == (False, ["file-missing"])
    assert examine(tmp_path, "nowhere.v1") == (False, ["seal-missing"])


def test_a_seal_without_its_event_is_none(tmp_path: Path) -> None:
    """A crash between the sealed file and its event; sealing again completes it."""
    make_protocol(tmp_path, ordinary=3, negative=1)
    shutil.rmtree(tmp_path / "reports")
    assert examine(tmp_path) == (False, ["seal-missing"])
    write_seal(tmp_path, prepare_seal(tmp_path, "demo.v1"))
    assert examine(tmp_path) == (True, [])


def folder_of(root: Path) -> Path:
    return root / "protocols" / "demo.v1"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1")
    return Site(tmp_path)


@pytest.mark.parametrize("name", ["n", "n_negative", "n_null_pack"])
def test_the_seal_says_how_large_the_slices_are(name: str, site: Site) -> None:
    site.rebind(sealed=lambda value: value["seal"].update({name: value["seal"][name] + 1}))
    assert examine(site.root) == (False, ["seal-incomplete"])


def test_the_document_is_the_one_that_its_seal_event_names(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    path = folder_of(tmp_path) / "protocol.sealed.yaml"
    path.write_bytes(path.read_bytes() + b"# a remark\n")
    assert examine(tmp_path) == (False, ["protocol-drift"])


def test_only_files_that_were_sealed_are_called_sealed(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    (folder_of(tmp_path) / "notes.md").write_text("A note.\n")
    with Tree(tmp_path) as tree:
        sound, _ = examine_protocol(read_exam(tree, "demo.v1"))
    assert sound is not None
    assert {file.path for file in sound.files} == {"protocol.yaml", "tasks.jsonl", "null_pack.jsonl", "metric.py"}


def test_a_sealed_document_that_is_gone_is_asked_for_by_its_digest(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    path = folder_of(tmp_path) / "protocol.sealed.yaml"
    identity = sha256(path.read_bytes())
    path.unlink()
    (folder_of(tmp_path) / "link").symlink_to("tasks.jsonl")
    with Tree(tmp_path) as tree:
        _, refusals = examine_protocol(read_exam(tree, "demo.v1"))
    assert [(refusal.slug, refusal.expected == identity) for refusal in refusals] == [
        ("path-unsafe", False),
        ("seal-missing", True),
    ]


def test_a_draft_whose_seal_the_ledger_knows_is_no_draft(tmp_path: Path) -> None:
    """All that sealing wrote beside it is gone; the ledger still says which document is missing."""
    make_protocol(tmp_path, ordinary=3, negative=1)
    identity = sha256((folder_of(tmp_path) / "protocol.sealed.yaml").read_bytes())
    for name in ("protocol.sealed.yaml", "protocol.sums"):
        (folder_of(tmp_path) / name).unlink()
    with Tree(tmp_path) as tree:
        _, refusals = examine_protocol(read_exam(tree, "demo.v1"))
    assert [(refusal.slug, refusal.expected) for refusal in refusals] == [("seal-missing", identity)]


def test_a_draft_whose_ledger_knows_a_run_was_never_sealed_before_it(site: Site) -> None:
    """Whatever is left of the run, and whatever else is wrong with the folder."""
    for name in ("protocol.sealed.yaml", "protocol.sums"):
        (site.protocol / name).unlink()
    site.event_file("seal").unlink()
    shutil.rmtree(site.run)
    assert examine(site.root) == (False, ["seal-missing"])
    (site.protocol / "link").symlink_to("tasks.jsonl")
    assert examine(site.root) == (False, ["path-unsafe", "seal-missing"])


def test_a_ledger_without_a_seal_has_no_exam(site: Site) -> None:
    """Also where the runs themselves are gone."""
    (site.protocol / "protocol.sealed.yaml").unlink()
    site.event_file("seal").unlink()
    shutil.rmtree(site.run)
    (site.protocol / "link").symlink_to("tasks.jsonl")
    assert examine(site.root) == (False, ["path-unsafe", "seal-missing"])


def withheld(root: Path) -> tuple[str, ...] | list[str]:
    """The withheld files of a sound exam, or why it is none."""
    with Tree(root) as tree:
        sound, refusals = examine_protocol(read_exam(tree, "demo.v1"))
    return [refusal.slug for refusal in refusals] if sound is None else sound.withheld


@pytest.mark.parametrize("committed", [False, True])
def test_an_exam_that_hides_nothing_may_withhold_nothing(committed: bool, tmp_path: Path) -> None:
    """Also where a list of commitments lies beside it."""
    make_protocol(tmp_path, ordinary=3, negative=1)
    tasks = folder_of(tmp_path) / "tasks.jsonl"
    if committed:
        (folder_of(tmp_path) / "commitments.sums").write_bytes(f"{'0' * 64}  tasks.jsonl\n".encode())
    tasks.unlink()
    assert withheld(tmp_path) == ["file-missing"]
    tasks.symlink_to("protocol.yaml")
    assert withheld(tmp_path) == ["path-unsafe"]
    (folder_of(tmp_path) / "protocol.sums").unlink()
    assert withheld(tmp_path) == ["path-unsafe", "seal-incomplete"]
    tasks.unlink()
    assert withheld(tmp_path) == ["seal-incomplete"]


def test_what_a_hidden_exam_withholds_is_told_by_its_lists(tmp_path: Path) -> None:
    hidden(tmp_path, "outcomes")
    folder = folder_of(tmp_path)
    assert withheld(tmp_path) == ()
    shown = {"protocol.sealed.yaml", "protocol.yaml", "metric.py", "commitments.sums", "protocol.sums"}
    gone = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).as_posix() not in shown
    )
    for path in gone:
        (folder / path).unlink()
    assert withheld(tmp_path) == tuple(gone)
    (folder / "protocol.sums").unlink()
    assert withheld(tmp_path) == tuple(gone)
    (folder / "commitments.sums").write_bytes(b"no list")
    assert withheld(tmp_path) == ["evidence-commitment"]
    (folder / "commitments.sums").unlink()
    assert withheld(tmp_path) == ["evidence-commitment"]


def test_commitments_that_the_files_do_not_open_are_a_fault_beside_a_whole_pack(tmp_path: Path) -> None:
    hidden(tmp_path, "outcomes")
    path = folder_of(tmp_path) / "commitments.sums"
    path.write_bytes(re.sub(rb"(?m)^[0-9a-f]{64}", b"0" * 64, path.read_bytes(), count=1))
    assert withheld(tmp_path) == ["evidence-commitment"]


def test_a_large_sealed_file_is_not_brought_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1, files={"oracles/large.txt": "x" * 100_000})
    monkeypatch.setattr(source, "LARGE", 99_999)
    monkeypatch.delattr(LargeFile, "data")
    with Tree(tmp_path) as tree:
        sound, refusals = examine_protocol(read_exam(tree, "demo.v1"))
    assert refusals == []
    assert sound is not None
    assert {file.path: file.size for file in sound.files}["oracles/large.txt"] == 100_000


@pytest.mark.parametrize(
    ("changes", "slugs"),
    [
        ({}, []),
        ({"protocol_id": "other.v1"}, ["protocol-drift"]),
        ({"protocol_sha256": "0" * 64}, ["protocol-drift"]),
        ({"time": "yesterday"}, ["time-form"]),
    ],
)
def test_the_record_of_a_reveal_is_of_this_very_exam(changes: dict[str, str], slugs: list[str], tmp_path: Path) -> None:
    hidden(tmp_path, "outcomes")
    folder = folder_of(tmp_path)
    record = {
        "schema": "agent-bench-reveal/v1",
        "protocol_id": "demo.v1",
        "protocol_sha256": sha256((folder / "protocol.sealed.yaml").read_bytes()),
        "time": "2026-11-30T09:32:00Z",
        **changes,
    }
    (folder / "revealed.yaml").write_text(yaml_text(record))
    assert examine(tmp_path) == (not slugs, slugs)


def test_a_document_that_cannot_be_read_is_first_of_all_another_one(site: Site) -> None:
    path = site.protocol / "protocol.sealed.yaml"
    path.write_bytes(b"- no protocol\n")
    assert examine(site.root) == (False, ["protocol-drift"])
    event = {**site.events["seal"], "protocol_sha256": sha256(path.read_bytes())}
    site.event_file("seal").unlink()
    site.append(event)
    assert examine(site.root) == (False, ["field-type"])
