"""Whether a protocol's folder holds exactly the sealed bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.read.files import Tree
from sitegen.read.library import read_protocol_folder
from sitegen.read.protocol import SealedProtocol, read_sealed
from sitegen.refusals import Refusal
from sitegen.verify.drift import find_drift, role_of
from tests.sites import make_protocol


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_protocol(tmp_path, ordinary=3, negative=1, files={"oracles/extra.txt": "x"})
    return tmp_path / "protocols" / "demo.v1"


def drift(folder: Path) -> list[Refusal]:
    with Tree(folder.parent.parent) as tree:
        read = read_protocol_folder(tree, "demo.v1")
    return find_drift(read_sealed(read.files["protocol.sealed.yaml"]).protocol, read, frozenset())


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


def test_a_file_that_is_gone_or_new_is_named(folder: Path) -> None:
    (folder / "oracles" / "extra.txt").rename(folder / "oracles" / "other.txt")
    assert [(fault.slug, fault.file.rsplit("/", 1)[-1]) for fault in drift(folder)] == [
        ("file-missing", "extra.txt"),
        ("file-unlisted", "other.txt"),
    ]


def test_every_file_has_a_role(folder: Path) -> None:
    with Tree(folder.parent.parent) as tree:
        read = read_protocol_folder(tree, "demo.v1")
    protocol: SealedProtocol = read_sealed(read.files["protocol.sealed.yaml"]).protocol
    names = ("protocol.yaml", "tasks.jsonl", "metric.py", "null_pack.jsonl", "oracles/extra.txt", "tables.py")
    assert [role_of(name, protocol) for name in names] == ["draft", "dataset", "metric", "null pack", "oracle", "other"]
