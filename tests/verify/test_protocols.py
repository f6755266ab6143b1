"""A protocol's folder → the parts of a verified protocol, or every reason against it."""

from __future__ import annotations

from pathlib import Path

from sitegen.read.files import Tree
from sitegen.read.library import read_exam
from sitegen.verify.protocols import examine_protocol
from tests.sites import make_protocol


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
    import shutil

    from sitegen.harness.sealing import prepare_seal, write_seal

    make_protocol(tmp_path, ordinary=3, negative=1)
    shutil.rmtree(tmp_path / "reports")
    assert examine(tmp_path) == (False, ["seal-missing"])
    write_seal(tmp_path, prepare_seal(tmp_path, "demo.v1"))
    assert examine(tmp_path) == (True, [])
