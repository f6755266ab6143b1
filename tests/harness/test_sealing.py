"""Sealing: digests are filled by key, every file is listed, and a seal is never edited in place."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import sha256
from sitegen.harness.sealing import prepare_seal, write_seal
from sitegen.read.strict_yaml import parse_yaml
from sitegen.refusals import Misuse, Refused
from tests.corpus_builder.base import KEY
from tests.sites import judge, make_protocol


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    make_protocol(tmp_path, ordinary=3, negative=1, files={"oracles/more.txt": "x"}, seal=False)
    return tmp_path / "protocols" / "demo.v1"


def sealed(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = parse_yaml((folder / "protocol.sealed.yaml").read_bytes(), "x.yaml")
    return value


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_looking_writes_nothing(draft: Path) -> None:
    before = files(draft.parent.parent)
    assert prepare_seal(draft.parent.parent, "demo.v1").already is False
    assert files(draft.parent.parent) == before


def test_every_digest_is_filled_by_key(draft: Path) -> None:
    """The word PENDING_SEAL may stand elsewhere, in any order, and stays."""
    text = (draft / "protocol.yaml").read_text()
    (draft / "protocol.yaml").write_text('title: "PENDING_SEAL is a word"\n' + text)
    root = draft.parent.parent
    write_seal(root, prepare_seal(root, "demo.v1"))
    value = sealed(draft)
    assert value["title"] == "PENDING_SEAL is a word"
    for name, path in (("dataset", "tasks.jsonl"), ("metric", "metric.py"), ("null_pack", "null_pack.jsonl")):
        assert value[name]["sha256"] == sha256((draft / path).read_bytes())
    assert value["seal"]["sums_sha256"] == sha256((draft / "protocol.sums").read_bytes())
    assert (value["seal"]["n"], value["seal"]["n_negative"], value["seal"]["n_null_pack"]) == (3, 1, 3)


def test_coreutils_checks_every_sealed_file(draft: Path) -> None:
    (draft / "notes.md").write_text("not sealed\n")
    root = draft.parent.parent
    write_seal(root, prepare_seal(root, "demo.v1"))
    ran = subprocess.run(["sha256sum", "-c", "protocol.sums"], cwd=draft, capture_output=True, text=True, check=True)
    names = {line.partition(":")[0] for line in ran.stdout.splitlines()}
    assert names == {"protocol.yaml", "tasks.jsonl", "metric.py", "null_pack.jsonl", "oracles/more.txt"}


def test_the_seal_is_recorded_in_the_ledger(draft: Path) -> None:
    root = draft.parent.parent
    digest = write_seal(root, prepare_seal(root, "demo.v1"))
    unit = judge(root, "demo.v1")
    assert unit.ledger.events[digest].protocol_sha256 == sha256((draft / "protocol.sealed.yaml").read_bytes())
    assert unit.all_refusals == []


def test_sealing_twice_changes_nothing(draft: Path) -> None:
    root = draft.parent.parent
    first = write_seal(root, prepare_seal(root, "demo.v1"))
    before = files(root)
    again = prepare_seal(root, "demo.v1")
    assert again.already
    assert write_seal(root, again) == first
    assert files(root) == before


@pytest.mark.parametrize("forget", [False, True])
def test_an_id_is_sealed_once(forget: bool, draft: Path) -> None:
    """By the ledger where the sealed file was deleted, and by the sealed file where the ledger was."""
    import shutil

    root = draft.parent.parent
    write_seal(root, prepare_seal(root, "demo.v1"))
    if forget:
        shutil.rmtree(root / "reports")
    else:
        (draft / "protocol.sealed.yaml").unlink()
    (draft / "tasks.jsonl").write_bytes((draft / "tasks.jsonl").read_bytes().replace(b"Say 1.", b"Say one."))
    with pytest.raises(Refused, match="protocol-id-resealed"):
        prepare_seal(root, "demo.v1")


def test_a_digest_that_the_draft_states_must_be_right(draft: Path) -> None:
    path = draft / "protocol.yaml"
    right = sha256((draft / "tasks.jsonl").read_bytes())
    path.write_text(path.read_text().replace("PENDING_SEAL", "f" * 64, 1))
    with pytest.raises(Refused, match="dataset-drift"):
        prepare_seal(draft.parent.parent, "demo.v1")
    path.write_text(path.read_text().replace("f" * 64, f'"{right}"'))
    prepare_seal(draft.parent.parent, "demo.v1")


@pytest.mark.parametrize(
    ("path", "level", "told"),
    [
        ("oracles/more.txt", "full", True),
        ("oracles/more.txt", "outcomes", False),
        ("metric.py", "outcomes", True),
        ("metric.py", "digests", False),
        ("protocol.yaml", "digests", True),
        ("notes.md", "full", False),  # it is not sealed, and can be mended
    ],
)
def test_a_key_that_would_be_published_is_not_sealed(path: str, level: str, told: bool, tmp_path: Path) -> None:
    changes = {"publish": {"evidence": level}}
    make_protocol(tmp_path, ordinary=3, negative=1, files={"oracles/more.txt": "x"}, changes=changes, seal=False)
    with (tmp_path / "protocols" / "demo.v1" / path).open("a") as file:
        file.write(f"# {KEY}\n")
    if told:
        with pytest.raises(Refused) as refused:
            prepare_seal(tmp_path, "demo.v1")
        (refusal,) = refused.value.refusals
        assert (refusal.slug, refusal.file) == ("evidence-secret", f"protocols/demo.v1/{path}")
        (tmp_path / "sitegen.toml").write_text(f'allow_secrets = ["{sha256(KEY.encode())}"]\n')
    assert prepare_seal(tmp_path, "demo.v1").already is False


def test_a_link_among_the_files_is_refused(draft: Path) -> None:
    (draft / "more").symlink_to("tasks.jsonl")
    with pytest.raises(Refused, match="path-unsafe"):
        prepare_seal(draft.parent.parent, "demo.v1")


def test_without_a_draft_there_is_nothing_to_seal(draft: Path) -> None:
    root = draft.parent.parent
    with pytest.raises(Misuse, match=r"protocol\.yaml"):
        prepare_seal(root, "nowhere.v1")
    (draft / "protocol.yaml").unlink()
    (draft / "protocol.yaml").mkdir()
    (draft / "protocol.yaml" / "x").write_bytes(b"")
    with pytest.raises(Misuse):
        prepare_seal(root, "demo.v1")
