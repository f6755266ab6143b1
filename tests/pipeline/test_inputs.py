"""What a build works on: ids from both folders, faults of the site as a whole, units judged one at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.pipeline.inputs import open_inputs, verified_unit, verified_units
from sitegen.read.files import Tree
from sitegen.refusals import Refused
from tests.sites import make_protocol, make_run


def test_protocols_come_from_both_folders_in_order(tmp_path: Path) -> None:
    make_protocol(tmp_path, "b.v1", seal=False)
    make_protocol(tmp_path, "a.v1")
    (tmp_path / "reports/c.v1/2026-11-30-x-abcdef").mkdir(parents=True)
    (tmp_path / "reports/c.v1/2026-11-30-x-abcdef/report.json").write_text("{}\n")
    with Tree(tmp_path) as tree:
        inputs = open_inputs(tmp_path, tree)
        units = list(verified_units(inputs))
    assert inputs.ids == ("a.v1", "b.v1", "c.v1")
    assert [unit.protocol_id for unit in units] == list(inputs.ids)
    assert {refusal.slug for refusal in units[2].all_refusals} == {"seal-missing"}


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


def test_one_unit_is_judged_alone(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    closed = make_run(tmp_path, "demo.v1")
    with Tree(tmp_path) as tree:
        unit = verified_unit(open_inputs(tmp_path, tree), "demo.v1")
    assert [report.run_id for report in unit.reports] == [closed.run_id]
