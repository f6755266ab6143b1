"""What a build works on: ids from both folders, faults of the site as a whole."""

from __future__ import annotations

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


def test_settings_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    (tmp_path / "sitegen.toml").write_text("titel = 'x'\n")
    with Tree(tmp_path) as tree, pytest.raises(Refused, match="field-unknown"):
        open_inputs(tmp_path, tree)
