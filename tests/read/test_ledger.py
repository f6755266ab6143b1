"""The ledger: canonical events named by their digest, a graph whose edges are ``parents``."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.digests import canonical_json, sha256
from sitegen.read.ledger import Event, Ledger, event_bytes, read_event
from tests.read.sources import faults, source

SEAL: dict[str, Any] = {
    "event": "seal",
    "parents": [],
    "time": "2026-11-30T09:00:00Z",
    "protocol_sha256": "0" * 64,
}
START = {
    **SEAL,
    "event": "start",
    "run_id": "run-000001",
    "manifest_sha256": "1" * 64,
    "solver_sha256": "2" * 64,
    "channel": "scored",
}


def file(value: Any, name: str | None = None, data: bytes | None = None) -> Any:
    raw = canonical_json(value) if data is None else data
    return source(raw, f"reports/demo.v1/ledger/{name or sha256(raw) + '.json'}")


def test_an_event_is_written_and_read_alike() -> None:
    event = read_event(file(START))
    assert event_bytes(event) == canonical_json(START)
    assert event.run_id == "run-000001"


def test_an_event_is_named_by_its_digest() -> None:
    for name in ("0" * 64 + ".json", "seal.json", f"old/{sha256(canonical_json(SEAL))}.json"):
        assert faults(read_event, file(SEAL, name)) == [("ledger-broken", "")]


def test_an_event_is_canonical() -> None:
    for data in (json.dumps(SEAL).encode() + b"\n", canonical_json(SEAL)[:-1], canonical_json(SEAL) + b"\n"):
        assert faults(read_event, file(SEAL, data=data))[0][0] in ("json-not-canonical", "json-malformed")


@pytest.mark.parametrize(
    ("event", "missing"),
    [
        *((START, name) for name in ("run_id", "manifest_sha256", "solver_sha256", "channel")),
        ({**SEAL, "event": "end", "reason": "x", "run_id": "run-1"}, "run_id"),
        ({**SEAL, "event": "end", "reason": "x", "run_id": "run-1"}, "reason"),
        ({**SEAL, "event": "withdraw", "reason": "x"}, "reason"),
        (SEAL, "protocol_sha256"),
        (SEAL, "parents"),
    ],
)
def test_an_event_says_what_its_kind_needs(event: dict[str, Any], missing: str) -> None:
    read_event(file(event))
    value = {name: part for name, part in event.items() if name != missing}
    assert faults(read_event, file(value)) == [("field-missing", f"/{missing}")]


def ledger(edges: dict[str, list[str]]) -> tuple[Ledger, dict[str, str]]:
    """A ledger of events called by their run id, each with the parents that are named."""
    events: dict[str, Event] = {}
    digests: dict[str, str] = {}
    for number, (name, parents) in enumerate(edges.items()):
        event = Event(
            event="start",
            parents=tuple(sorted(digests[parent] for parent in parents)),
            time=f"2026-11-30T09:00:{number % 60:02}Z",
            protocol_sha256="0" * 64,
            run_id=name,
        )
        digests[name] = sha256(event_bytes(event))
        events[digests[name]] = event
    return Ledger(events=events), digests


def test_heads_are_what_nobody_names() -> None:
    made, digests = ledger({"a": [], "b": ["a"], "c": ["a"], "d": ["b"]})
    assert set(made.heads) == {digests["c"], digests["d"]}
    assert Ledger(events={}).heads == ()


def test_descent_follows_every_parent() -> None:
    made, digests = ledger({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "e": []})
    assert made.descends(digests["d"], digests["a"])
    assert made.descends(digests["d"], digests["c"])
    assert made.descends(digests["a"], digests["a"])
    assert not made.descends(digests["d"], digests["e"])
    assert not made.descends(digests["a"], digests["d"])


@given(st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=10))
def test_every_event_comes_once_and_after_its_parents(edges: list[list[int]]) -> None:
    named = {f"r{i}": sorted({f"r{parent}" for parent in parents if parent < i}) for i, parents in enumerate(edges)}
    made, _ = ledger(named)
    order = [digest for digest, _ in made.ordered()]
    assert sorted(order) == sorted(made.events)
    for digest, event in made.events.items():
        assert all(order.index(parent) < order.index(digest) for parent in event.parents)


def test_the_order_does_not_depend_on_the_order_of_files() -> None:
    made, _ = ledger({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})
    turned = Ledger(events=dict(reversed(made.events.items())))
    assert list(made.ordered()) == list(turned.ordered())
    assert [event.run_id for _, event in made.of("start", "c")] == ["c"]
    assert made.of("end") == []


def test_descent_is_told_through_gaps_and_many_ways() -> None:
    """A parent that is gone leads nowhere; that two ways lead to one event does not double the work."""
    events: dict[str, Event] = {}
    heads: tuple[str, ...] = ("gone",)
    for level in range(60):
        pair = (f"{level} a", f"{level} b")
        for name in pair:
            events[name] = Event(event="withdraw", parents=heads, time=SEAL["time"], protocol_sha256="0" * 64)
        heads = pair
    ledger = Ledger(events=events)
    assert ledger.descends("59 a", "0 b")
    assert ledger.descends("0 a", "gone")
    assert not ledger.descends("59 a", "59 b")
