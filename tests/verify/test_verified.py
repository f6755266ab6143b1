"""Verified records: what they hold, and what a refused run never holds."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from sitegen.refusals import Refusal, Refused
from sitegen.verify.verified import RefusedRun, needed
from tests.sites import judge, make_protocol, make_run


def refused(*slugs: str) -> RefusedRun:
    reasons = tuple(Refusal(slug=slug, file="x") for slug in slugs)
    return RefusedRun(protocol_id="demo.v1", run_id="run-1", route="a", refusals=reasons)


def test_a_run_with_one_fault_is_a_fault() -> None:
    assert refused("run-open", "dataset-drift").is_fault
    assert not refused("run-open").is_fault
    assert refused("report-withdrawn").withdrawn
    assert not refused("run-open").withdrawn


def test_a_refused_run_has_no_field_for_a_number() -> None:
    numbers = [field.name for field in dataclasses.fields(RefusedRun) if field.type in ("int", "float", "Scorecard")]
    assert numbers == []


def test_records_cannot_be_changed(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1")
    unit = judge(tmp_path, "demo.v1")
    for record, name in ((unit, "protocol_id"), (unit.protocol, "sha256"), (unit.reports[0], "card")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, name, None)


def test_nobody_but_the_verifier_makes_a_verified_record(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1")
    unit = judge(tmp_path, "demo.v1")
    assert unit.protocol is not None
    with pytest.raises(TypeError, match="only the verifier"):
        dataclasses.replace(unit.protocol, issuer=None)
    with pytest.raises(TypeError, match="only the verifier"):
        dataclasses.replace(unit.reports[0], issuer=None)


def test_what_is_refused_of_a_protocol_without_runs_is_among_all_refusals(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    (tmp_path / "protocols" / "demo.v1" / "protocol.sealed.yaml").unlink()
    unit = judge(tmp_path, "demo.v1")
    assert unit.refused == ()
    assert [refusal.slug for refusal in unit.all_refusals] == ["seal-missing"]


def test_what_needs_the_tasks_says_which_are_withheld() -> None:
    with pytest.raises(Refused) as caught:
        needed(None, "protocols/demo.v1", ("tasks.jsonl", "salt"))
    (refusal,) = caught.value.refusals
    assert (refusal.slug, refusal.file) == ("file-missing", "protocols/demo.v1/tasks.jsonl")
    assert refusal.found == "2 withheld sealed files"
