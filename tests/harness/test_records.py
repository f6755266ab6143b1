"""Ends and withdrawals: recorded with a reason, and nothing is ever deleted."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.harness.opening import open_run
from sitegen.harness.records import end_open_run, withdraw
from sitegen.read.strict_yaml import parse_yaml
from sitegen.refusals import Misuse
from tests.sites import judge, make_contestant, make_protocol, make_run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_protocol(tmp_path, ordinary=3, negative=1)
    return tmp_path


def test_an_open_run_is_ended_once(root: Path) -> None:
    run = open_run(root, "demo.v1", make_contestant(root, "alpha"))
    digest = end_open_run(root, run.run_id, "the endpoint went away")
    unit = judge(root, "demo.v1")
    assert unit.ledger.events[digest].reason == "the endpoint went away"
    assert [(refusal.slug, refusal.found) for refusal in unit.all_refusals] == [("run-ended", "the endpoint went away")]
    with pytest.raises(Misuse, match="ended"):
        end_open_run(root, run.run_id, "again")


def test_a_withdrawn_report_stays_with_its_reason(root: Path) -> None:
    closed = make_run(root, "demo.v1")
    folder = root / "reports" / "demo.v1" / closed.run_id
    before = {path.name for path in folder.iterdir()}
    reason = 'the "wrong" model: \u2028 was served\n'
    digest = withdraw(root, closed.run_id, reason)
    assert {path.name for path in folder.iterdir()} == before | {"withdrawn.yaml"}
    stone = parse_yaml((folder / "withdrawn.yaml").read_bytes(), "x.yaml")
    assert (stone["run_id"], stone["event"], stone["reason"]) == (closed.run_id, digest, reason)
    assert [refusal.slug for refusal in judge(root, "demo.v1").all_refusals] == ["report-withdrawn"]
    with pytest.raises(Misuse, match="withdrawn"):
        withdraw(root, closed.run_id, "again")


def test_a_protocol_is_withdrawn_once_it_is_sealed(root: Path) -> None:
    make_protocol(root, "draft.v1", ordinary=3, negative=1, seal=False)
    with pytest.raises(Misuse, match="not sealed"):
        withdraw(root, "draft.v1", "x")
    withdraw(root, "demo.v1", "a wrong oracle")
    with pytest.raises(Misuse, match="already"):
        withdraw(root, "demo.v1", "again")


@pytest.mark.parametrize("reason", ["", "  \n", "x" * 2001, "given up \udcff"])
def test_a_reason_is_said_in_so_many_words_and_in_utf_8(reason: str, root: Path) -> None:
    closed = make_run(root, "demo.v1")
    opened = open_run(root, "demo.v1", make_contestant(root, "alpha"))
    events = sorted((root / "reports/demo.v1/ledger").iterdir())
    for close, name in ((withdraw, closed.run_id), (withdraw, "demo.v1"), (end_open_run, opened.run_id)):
        with pytest.raises(Misuse, match="reason"):
            close(root, name, reason)
    assert sorted((root / "reports/demo.v1/ledger").iterdir()) == events


@pytest.mark.parametrize("name", ["nowhere", "..", "/", "", ".", "protocols/demo.v1", "\udcff"])
def test_what_is_not_there_cannot_be_closed(name: str, root: Path) -> None:
    with pytest.raises(Misuse):
        withdraw(root, name, "x")
    with pytest.raises(Misuse):
        end_open_run(root, name, "x")
