"""What a build works on: ids from both folders, faults of the site as a whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sitegen.pipeline.inputs import open_inputs
from sitegen.read.files import Tree
from sitegen.refusals import Refused
from tests.sites import make_protocol


def test_protocols_come_from_both_folders_in_order(tmp_path: Path) -> None:
    make_protocol(tmp_path, "b.v1", seal=False)
    make_protocol(tmp_path, "a.v1")
    (tmp_path / "reports/c.v1/2026-11-30-x-abcdef").mkdir(parents=True)
    with Tree(tmp_path) as tree:
        inputs = open_inputs(tmp_path, tree)
    assert inputs.ids == ("a.v1", "b.v1", "c.v1")


def test_a_file_among_the_folders_is_a_fault_of_the_site(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    (tmp_path / "protocols/stray.txt").write_text("?")
    with Tree(tmp_path) as tree:
        faults = open_inputs(tmp_path, tree).faults
    assert [fault.slug for fault in faults] == ["file-unlisted"]


@pytest.mark.parametrize("name", [b"My-Draft", b"-dash", b"with space", b"a" * 101, b".hidden", b"no\xfftext"])
def test_a_folder_that_no_protocol_may_have_the_name_of_is_a_fault_of_the_site(name: bytes, tmp_path: Path) -> None:
    """As a protocol its name would stand in the published lists, which nobody could read then."""
    make_protocol(tmp_path, "a" * 100)
    for top in ("protocols", "reports"):
        (tmp_path / top / os.fsdecode(name)).mkdir()
    with Tree(tmp_path) as tree:
        inputs = open_inputs(tmp_path, tree)
    assert inputs.ids == ("a" * 100,)
    assert [(fault.slug, fault.file) for fault in inputs.faults] == [
        ("protocol-id-form", f"{top}/{os.fsdecode(name)}") for top in ("protocols", "reports")
    ]


def test_settings_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    (tmp_path / "sitegen.toml").write_text("titel = 'x'\n")
    with Tree(tmp_path) as tree, pytest.raises(Refused, match="field-unknown"):
        open_inputs(tmp_path, tree)
