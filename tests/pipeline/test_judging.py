"""Protocols are judged one at a time: each is whole in itself, and one that cannot be read is said to be so."""

from __future__ import annotations

import os
from pathlib import Path

from sitegen.pipeline.inputs import open_inputs
from sitegen.pipeline.judging import verified_unit, verified_units
from sitegen.read.files import Tree
from tests.sites import make_protocol, make_run


def test_every_protocol_is_judged_in_the_order_of_the_ids(tmp_path: Path) -> None:
    make_protocol(tmp_path, "b.v1", seal=False)
    make_protocol(tmp_path, "a.v1")
    (tmp_path / "reports/c.v1/2026-11-30-x-abcdef").mkdir(parents=True)
    (tmp_path / "reports/c.v1/2026-11-30-x-abcdef/report.json").write_text("{}\n")
    with Tree(tmp_path) as tree:
        inputs = open_inputs(tmp_path, tree)
        units = list(verified_units(inputs))
    assert [unit.protocol_id for unit in units] == list(inputs.ids)
    assert {refusal.slug for refusal in units[2].all_refusals} == {"seal-missing"}


def test_one_unit_is_judged_alone(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    closed = make_run(tmp_path, "demo.v1")
    with Tree(tmp_path) as tree:
        unit = verified_unit(open_inputs(tmp_path, tree), "demo.v1")
    assert [report.run_id for report in unit.reports] == [closed.run_id]


def test_a_folder_that_cannot_be_read_is_a_unit_of_its_own_refusals(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    os.symlink(tmp_path / "protocols/demo.v1", tmp_path / "protocols/other.v1")
    (tmp_path / "reports/other.v1").mkdir(parents=True)
    with Tree(tmp_path) as tree:
        unit = verified_unit(open_inputs(tmp_path, tree), "other.v1")
    assert unit.protocol is None
    assert [refusal.slug for refusal in unit.all_refusals] == ["path-unsafe"]


def test_notes_are_judged_with_their_protocol(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    (tmp_path / "protocols/demo.v1/notes.md").write_text("See [here](javascript:alert(1)).\n")
    with Tree(tmp_path) as tree:
        unit = verified_unit(open_inputs(tmp_path, tree), "demo.v1")
    assert [refusal.slug for refusal in unit.all_refusals] == ["link-unsafe"]
