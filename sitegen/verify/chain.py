"""The ledger's graph: whole, in order, and saying of each run what its folder says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sitegen.digests import Digest
from sitegen.read.ledger import LEDGER_FOLDER, Event, Ledger
from sitegen.read.library import REPORTS
from sitegen.refusals import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHistory:
    """What the ledger says of one run; digests beside their events."""

    start: tuple[Digest, Event] | None
    end: tuple[Digest, Event] | None
    withdrawal: tuple[Digest, Event] | None

    @property
    def events(self) -> tuple[tuple[Digest, Event], ...]:
        """The run's events, in order."""
        return tuple(entry for entry in (self.start, self.end, self.withdrawal) if entry is not None)

    @property
    def open_start(self) -> tuple[Digest, Event] | None:
        """The start of a run that has no end yet."""
        return self.start if self.end is None else None

    @property
    def begun(self) -> tuple[Digest, Event] | None:
        """The event by which the run entered this ledger: its start, or the end of a run that was scored again."""
        return self.end if self.rescored else self.start

    @property
    def rescored(self) -> bool:
        """Whether the run was started under another protocol and scored again under this one."""
        return self.start is None and self.end is not None and self.end[1].start_sha256 is not None


def event_path(protocol_id: str, digest: Digest) -> str:
    """Return the path of an event's file."""
    return f"{REPORTS}/{protocol_id}/{LEDGER_FOLDER}/{digest}.json"


def histories_of(ledger: Ledger) -> dict[str, RunHistory]:
    """Return the history of every run that the ledger knows, in order; the first event of a kind counts."""
    found: dict[str, dict[str, tuple[Digest, Event]]] = {}
    for digest, event in ledger.ordered():
        if event.run_id is not None:
            found.setdefault(event.run_id, {}).setdefault(event.event, (digest, event))
    return {
        run_id: RunHistory(start=of.get("start"), end=of.get("end"), withdrawal=of.get("withdraw"))
        for run_id, of in found.items()
    }


NO_HISTORY = RunHistory(start=None, end=None, withdrawal=None)
"""Of a run that the ledger does not know."""


def find_chain_faults(protocol_id: str, ledger: Ledger) -> list[Refusal]:
    """Return every way in which the ledger's graph is not whole or contradicts itself."""
    return [
        *_missing_parents(protocol_id, ledger),
        *_repeated(protocol_id, ledger),
        *_seals(protocol_id, ledger),
        *_before_the_seal(protocol_id, ledger),
        *_ends(protocol_id, ledger),
    ]


def _missing_parents(protocol_id: str, ledger: Ledger) -> Iterator[Refusal]:
    for digest, event in ledger.events.items():
        for index, parent in enumerate(event.parents):
            if parent not in ledger.events:
                yield Refusal(
                    slug="ledger-broken",
                    file=event_path(protocol_id, digest),
                    path=f"/parents/{index}",
                    expected=parent,
                    found="no such event",
                )


def _repeated(protocol_id: str, ledger: Ledger) -> Iterator[Refusal]:
    seen: Counter[tuple[str, str]] = Counter()
    for digest, event in ledger.ordered():
        if event.run_id is None or event.event == "withdraw":
            continue
        seen[event.event, event.run_id] += 1
        if seen[event.event, event.run_id] > 1:
            expected = f"one {event.event} of {event.run_id}"
            yield Refusal(slug="ledger-broken", file=event_path(protocol_id, digest), expected=expected, found="two")


def _seals(protocol_id: str, ledger: Ledger) -> Iterator[Refusal]:
    seals = ledger.of("seal")
    identities = sorted({event.protocol_sha256 for _, event in seals})
    if len(identities) > 1:
        yield Refusal(
            slug="protocol-id-reused",
            file=event_path(protocol_id, seals[-1][0]),
            path="/protocol_sha256",
            expected=identities[0],
            found=identities[1],
        )


def _before_the_seal(protocol_id: str, ledger: Ledger) -> Iterator[Refusal]:
    sealed: dict[Digest, frozenset[Digest]] = {}  # by event: identities of the seals that it descends from
    for digest, event in ledger.ordered():
        sealed[digest] = frozenset().union(*(sealed.get(parent, frozenset()) for parent in event.parents))
        if event.event == "seal":
            sealed[digest] |= {event.protocol_sha256}
        opens = event.event == "start" or event.start_sha256 is not None
        if opens and event.protocol_sha256 not in sealed[digest]:
            yield Refusal(
                slug="seal-after-run",
                file=event_path(protocol_id, digest),
                path="/parents",
                expected="a start that descends from the seal of its protocol",
                found=event.run_id,
            )


def _ends(protocol_id: str, ledger: Ledger) -> Iterator[Refusal]:
    starts = {event.run_id: (digest, event) for digest, event in ledger.of("start")}
    closing = [(digest, event) for digest, event in ledger.ordered() if event.event in ("end", "withdraw")]
    for digest, event in closing:
        if event.run_id is None:
            continue  # the withdrawal of the whole protocol
        file = event_path(protocol_id, digest)
        if event.event == "end" and event.start_sha256 is not None:
            starts.setdefault(event.run_id, (digest, event))  # its start stands in another protocol's ledger
        start = starts.get(event.run_id)
        if start is None or not ledger.descends(digest, start[0]):
            expected = f"an event that descends from the start of {event.run_id}"
            yield Refusal(slug="ledger-broken", file=file, path="/parents", expected=expected, found="no such start")
            continue
        if event.time < start[1].time:
            expected = f"not before {start[1].time}"
            yield Refusal(slug="time-order", file=file, path="/time", expected=expected, found=event.time)
        for name in ("protocol_sha256", "manifest_sha256", "solver_sha256", "channel", "start_sha256"):
            stated = getattr(event, name)
            if stated is not None and stated != getattr(start[1], name):
                expected = str(getattr(start[1], name))
                yield Refusal(slug="ledger-broken", file=file, path=f"/{name}", expected=expected, found=stated)
