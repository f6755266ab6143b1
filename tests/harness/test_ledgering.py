"""Appending to a ledger: an event names all heads of its moment, and nothing is appended to a broken one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.digests import sha256
from sitegen.harness import ledgering
from sitegen.harness.ledgering import append_event, ledger_of
from sitegen.refusals import Refused

IDENTITY = {"protocol_sha256": "0" * 64}


def test_an_event_is_a_file_named_by_its_digest(tmp_path: Path) -> None:
    digest = append_event(tmp_path, "demo.v1", event="seal", **IDENTITY)
    (path,) = (tmp_path / "reports" / "demo.v1" / "ledger").iterdir()
    assert path.name == f"{digest}.json"
    assert sha256(path.read_bytes()) == digest


def test_each_event_names_the_heads_of_its_moment(tmp_path: Path) -> None:
    seal = append_event(tmp_path, "demo.v1", event="seal", **IDENTITY)
    other = append_event(tmp_path, "demo.v1", event="withdraw", reason="x", **IDENTITY)
    ledger = ledger_of(tmp_path, "demo.v1")
    assert ledger.events[seal].parents == ()
    assert ledger.events[other].parents == (seal,)
    assert ledger.heads == (other,)


def test_nothing_is_appended_to_a_broken_ledger(tmp_path: Path) -> None:
    append_event(tmp_path, "demo.v1", event="seal", **IDENTITY)
    (path,) = (tmp_path / "reports" / "demo.v1" / "ledger").iterdir()
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(Refused, match="ledger-broken"):
        append_event(tmp_path, "demo.v1", event="seal", **IDENTITY)
    assert len(list(path.parent.iterdir())) == 1


def test_a_clock_that_was_set_back_does_not_make_time_run_backwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for time in ("2026-11-30T12:00:00Z", "2026-11-30T11:00:00Z"):
        monkeypatch.setattr(ledgering, "now", lambda time=time: time)
        append_event(tmp_path, "demo.v1", event="withdraw", reason="x", **IDENTITY)
    assert {event.time for event in ledger_of(tmp_path, "demo.v1").events.values()} == {"2026-11-30T12:00:00Z"}
