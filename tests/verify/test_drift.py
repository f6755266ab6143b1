"""Whether a protocol's folder holds exactly the sealed bytes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from sitegen.digests import parse_sums, sha256, sums_listing
from sitegen.harness.yaml_text import yaml_text
from sitegen.read import source
from sitegen.read.files import LargeFile, Tree
from sitegen.read.library import read_protocol_folder
from sitegen.read.protocol import SealedProtocol, read_sealed
from sitegen.read.strict_yaml import parse_yaml
from sitegen.refusals import Refusal
from sitegen.verify.drift import find_drift, role_of
from sitegen.verify.verified import Role
from tests.sites import make_protocol


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_protocol(tmp_path, ordinary=3, negative=1, files={"oracles/extra.txt": "x"})
    return tmp_path / "protocols" / "demo.v1"


def drift(folder: Path, hidden: frozenset[Role] = frozenset()) -> list[Refusal]:
    with Tree(folder.parent.parent) as tree:
        read = read_protocol_folder(tree, "demo.v1")
    return find_drift(read_sealed(read.files["protocol.sealed.yaml"]).protocol, read, hidden)


def test_the_sealed_folder_has_no_drift(folder: Path) -> None:
    assert drift(folder) == []
    (folder / "notes.md").write_text("The owner may write here.\n")
    assert drift(folder) == []


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("tasks.jsonl", "dataset-drift"),
        ("metric.py", "metric-drift"),
        ("null_pack.jsonl", "null-pack-drift"),
        ("oracles/extra.txt", "file-drift"),
        ("protocol.yaml", "file-drift"),
        ("protocol.sums", "file-drift"),
    ],
)
def test_a_changed_file_is_named_once_with_both_digests(name: str, slug: str, folder: Path) -> None:
    path = folder / name
    path.write_bytes(path.read_bytes() + b"# \n" if name == "protocol.yaml" else path.read_bytes() + b"\n")
    (fault,) = drift(folder)
    assert (fault.slug, fault.file) == (slug, f"protocols/demo.v1/{name}")
    assert fault.expected != fault.found
    assert len(fault.found or "") == len(fault.expected or "") == 64


def test_a_change_of_line_ends_is_recognised(folder: Path) -> None:
    path = folder / "tasks.jsonl"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    (fault,) = drift(folder)
    assert "LF form" in (fault.hint or "")


def test_the_cause_of_a_large_file_is_not_looked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bytes would have to be brought into memory; its digests say enough."""
    (folder / "oracles" / "extra.txt").write_bytes(b"x\r\n" * 100_000)
    monkeypatch.setattr(source, "LARGE", 100_000)
    monkeypatch.delattr(LargeFile, "data")
    (fault,) = drift(folder)
    assert (fault.slug, fault.hint) == ("file-drift", None)


def test_a_list_that_names_a_file_twice_is_none(folder: Path) -> None:
    sums, path = folder / "protocol.sums", folder / "protocol.sealed.yaml"
    sums.write_bytes(b"0" * 64 + b"  tasks.jsonl\n" + sums.read_bytes())
    value = parse_yaml(path.read_bytes(), "x")
    value["seal"]["sums_sha256"] = sha256(sums.read_bytes())
    path.write_text(yaml_text(value))
    (fault,) = drift(folder)
    assert (fault.slug, fault.found) == ("seal-incomplete", "tasks.jsonl is listed twice")


def test_a_file_that_is_gone_or_new_is_named(folder: Path) -> None:
    (folder / "oracles" / "extra.txt").rename(folder / "oracles" / "other.txt")
    assert [(fault.slug, fault.file.rsplit("/", 1)[-1]) for fault in drift(folder)] == [
        ("file-missing", "extra.txt"),
        ("file-unlisted", "other.txt"),
    ]


def test_a_file_that_cannot_be_read_is_named_once(folder: Path) -> None:
    """By the listing of the folder; that its bytes are missing is no second fault."""
    (folder / "tasks.jsonl").unlink()
    assert named(drift(folder)) == [("file-missing", "tasks.jsonl")]
    assert drift(folder, HIDDEN) == []
    (folder / "tasks.jsonl").symlink_to("metric.py")
    assert drift(folder) == []


def test_a_part_may_be_a_folder(folder: Path) -> None:
    with Tree(folder.parent.parent) as tree:
        read = read_protocol_folder(tree, "demo.v1")
    protocol: SealedProtocol = read_sealed(read.files["protocol.sealed.yaml"]).protocol
    many = msgspec.structs.replace(protocol, dataset=msgspec.structs.replace(protocol.dataset, path="./tasks"))
    roles = [role_of(name, many) for name in ("tasks/one.json", "tasks.jsonl", "tasks-more/one.json")]
    assert roles == ["dataset", "other", "other"]


def test_every_file_has_a_role(folder: Path) -> None:
    with Tree(folder.parent.parent) as tree:
        read = read_protocol_folder(tree, "demo.v1")
    protocol: SealedProtocol = read_sealed(read.files["protocol.sealed.yaml"]).protocol
    names = ("protocol.yaml", "tasks.jsonl", "metric.py", "null_pack.jsonl", "oracles/extra.txt", "tables.py")
    assert [role_of(name, protocol) for name in names] == ["draft", "dataset", "metric", "null pack", "oracle", "other"]


HIDDEN: frozenset[Role] = frozenset(("dataset", "null pack", "oracle", "other"))


@pytest.fixture
def published(folder: Path) -> Path:
    """The folder as a site publishes it that hides the test set: without its list of files."""
    for name in ("tasks.jsonl", "null_pack.jsonl", "oracles/extra.txt", "protocol.sums"):
        (folder / name).unlink()
    return folder


def named(faults: list[Refusal]) -> list[tuple[str, str]]:
    return [(fault.slug, fault.file.removeprefix("protocols/demo.v1/")) for fault in faults]


def test_without_its_list_a_hidden_test_set_is_held_to_the_sealed_document(published: Path) -> None:
    assert drift(published, HIDDEN) == []
    assert named(drift(published)) == [("seal-incomplete", "protocol.sums")]
    (published / "tasks.jsonl").write_bytes(b"{}\n")
    (published / "metric.py").write_bytes(b"")
    (published / "oracles/extra.txt").write_bytes(b"x")
    assert named(drift(published, HIDDEN)) == [
        ("dataset-drift", "tasks.jsonl"),
        ("metric-drift", "metric.py"),
        ("file-unlisted", "oracles/extra.txt"),
    ]


def test_without_its_list_the_draft_is_held_to_the_sealed_document(published: Path) -> None:
    draft = published / "protocol.yaml"
    draft.write_text(draft.read_text() + "title: Another\n")
    assert named(drift(published, HIDDEN)) == [("protocol-drift", "protocol.sealed.yaml")]


def test_what_is_shown_of_a_hidden_test_set_is_there(published: Path) -> None:
    for name in ("metric.py", "protocol.yaml"):
        (published / name).unlink()
    assert named(drift(published, HIDDEN)) == [("file-missing", "./metric.py"), ("file-missing", "protocol.yaml")]


def test_the_owners_own_folder_is_held_to_its_list(folder: Path) -> None:
    assert drift(folder, HIDDEN) == []
    (folder / "stray.txt").write_bytes(b"x")
    assert named(drift(folder, HIDDEN)) == [("file-unlisted", "stray.txt")]
    assert named(drift(folder)) == [("file-unlisted", "stray.txt")]


@pytest.mark.parametrize("part", ["dataset", "metric", "null_pack"])
def test_the_document_states_the_digests_of_its_list(part: str, folder: Path) -> None:
    """Its maker can make a list of the sealed files, and a document that names others."""
    path = folder / "protocol.sealed.yaml"
    value = parse_yaml(path.read_bytes(), "x")
    value[part]["sha256"] = "0" * 64
    path.write_text(yaml_text(value))
    assert named(drift(folder)) == [(f"{part.replace('_', '-')}-drift", "protocol.sealed.yaml")]


def test_a_draft_that_cannot_be_read_is_no_draft_of_the_document(folder: Path) -> None:
    """The list was made of it all the same."""
    (folder / "protocol.yaml").write_bytes(b"- no draft\n")
    sums = folder / "protocol.sums"
    digests = dict(parse_sums(sums.read_bytes()))
    sums.write_bytes(sums_listing({**digests, "protocol.yaml": sha256(b"- no draft\n")}))
    path = folder / "protocol.sealed.yaml"
    value = parse_yaml(path.read_bytes(), "x")
    value["seal"]["sums_sha256"] = sha256(sums.read_bytes())
    path.write_text(yaml_text(value))
    assert named(drift(folder)) == [("field-type", "protocol.yaml")]


def test_a_draft_may_state_its_digests_itself(folder: Path) -> None:
    """They must turn out right, and then the document says the same."""
    draft, sealed = folder / "protocol.yaml", folder / "protocol.sealed.yaml"
    value, stated = parse_yaml(draft.read_bytes(), "x"), parse_yaml(sealed.read_bytes(), "x")
    value["metric"]["sha256"] = "1" * 64
    draft.write_text(yaml_text(value))
    sums = folder / "protocol.sums"
    digests = {**dict(parse_sums(sums.read_bytes())), "protocol.yaml": sha256(draft.read_bytes())}
    sums.write_bytes(sums_listing(digests))
    stated["seal"]["sums_sha256"] = sha256(sums.read_bytes())
    sealed.write_text(yaml_text(stated))
    assert named(drift(folder)) == [("protocol-drift", "protocol.sealed.yaml")]
