"""Which events must be signed, and what is said of each that is not."""

from __future__ import annotations

from sitegen.digests import sha256
from sitegen.read.files import SourceFile
from sitegen.read.ledger import Event, Ledger, event_bytes
from sitegen.verify.signatures import (
    STAMP_SUFFIX,
    by_event,
    find_signature_faults,
    find_stamp_faults,
    find_stray_signatures,
)
from sitegen.verify.verified import Stamp

SEAL = Event(event="seal", parents=(), time="2026-11-30T00:00:00Z", protocol_sha256="1" * 64)
SEALED = sha256(event_bytes(SEAL))
GONE = Event(
    event="withdraw", parents=(SEALED,), time="2026-11-30T00:00:01Z", protocol_sha256="1" * 64, reason="an error"
)
HEAD = sha256(event_bytes(GONE))
LEDGER = Ledger(events={SEALED: SEAL, HEAD: GONE})


def slugs(signed: tuple[str, ...], signers: dict[str, str]) -> list[tuple[str, str]]:
    found = find_signature_faults("demo.v1", LEDGER, signed, signers)
    return [(fault.slug, fault.file.rsplit("/", 1)[-1].split(".")[0]) for fault in found]


def test_seals_and_heads_must_be_signed() -> None:
    assert slugs((), {}) == [("signature-missing", SEALED), ("signature-missing", HEAD)]
    assert slugs((SEALED, HEAD), {SEALED: "us", HEAD: "us"}) == []


def test_a_signature_by_nobody_who_is_allowed_is_invalid() -> None:
    assert slugs((SEALED, HEAD), {HEAD: "us"}) == [("signature-invalid", SEALED)]


def test_signatures_are_named_by_the_event_that_they_are_of() -> None:
    folder = "reports/demo.v1/signatures"
    names = (f"{SEALED}.sig", f"{'2' * 64}.sig", "notes.txt", f"{HEAD}.json", f"{HEAD}.tsr")
    sources = [SourceFile(path=f"{folder}/{name}", data=b"x", sha256=sha256(b"x")) for name in names]
    assert set(by_event(sources)) == {SEALED, "2" * 64}
    assert set(by_event(sources, STAMP_SUFFIX)) == {HEAD}
    strays = [fault.found for fault in find_stray_signatures(LEDGER, sources)]
    assert strays == [f"{'2' * 64}.sig", "notes.txt", f"{HEAD}.json"]


def test_a_name_that_is_no_digest_with_the_right_ending_names_no_event() -> None:
    """Not an event's digest alone, and not the right ending alone."""
    names = (SEALED, "notes.sig", "notes.tsr")
    sources = [SourceFile(path=f"signatures/{name}", data=b"x", sha256=sha256(b"x")) for name in names]
    assert by_event(sources) == by_event(sources, STAMP_SUFFIX) == {}
    assert [fault.found for fault in find_stray_signatures(LEDGER, sources)] == list(names)


def test_a_timestamp_that_does_not_hold_is_invalid_and_none_is_needed() -> None:
    stamp = Stamp(time="2026-11-30T00:00:00Z", authority="authority.pem")
    assert list(find_stamp_faults("demo.v1", (), {})) == []
    assert list(find_stamp_faults("demo.v1", (SEALED,), {SEALED: stamp})) == []
    (fault,) = find_stamp_faults("demo.v1", (SEALED, HEAD), {SEALED: stamp})
    assert (fault.slug, fault.file) == ("signature-invalid", f"reports/demo.v1/signatures/{HEAD}.tsr")
