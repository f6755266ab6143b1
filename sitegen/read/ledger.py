"""The ledger: one canonical JSON event a file, named by its digest; together a graph whose edges are ``parents``."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import msgspec

from sitegen.digests import Digest, canonical_json
from sitegen.read.files import SourceFile
from sitegen.read.manifest import Channel
from sitegen.read.schema import DigestText, Format, Identifier, TaskId, Time, typed
from sitegen.read.strict import parse_json
from sitegen.refusals import Refusal, Refused

LEDGER_FOLDER = "ledger"
EVENT_LIMIT = 1 << 20

_sorted_encoder = msgspec.json.Encoder(order="sorted")

Reason = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]


class Event(Format, frozen=True, kw_only=True, omit_defaults=True):
    """One event. ``parents`` are all heads at that moment; what does not apply is left out.

    ``seal``: protocol_sha256. ``start``: run_id, protocol_sha256, manifest_sha256, solver_sha256, channel, route.
    ``end``: run_id with report_sha256, or with a reason (and ``rows`` of a failed null pack); for a run that was
    started under another protocol and scored again under this one also ``start_sha256``, its start in that protocol's
    ledger. ``withdraw``: a reason, with the run_id, or without one for the whole protocol.
    """

    event: Literal["seal", "start", "end", "withdraw"]
    parents: tuple[DigestText, ...]
    time: Time
    protocol_sha256: DigestText
    run_id: Identifier | None = None
    manifest_sha256: DigestText | None = None
    solver_sha256: DigestText | None = None
    channel: Channel | None = None
    route: str | None = None
    report_sha256: DigestText | None = None
    transcripts_sha256: DigestText | None = None
    reason: Reason | None = None
    rows: tuple[TaskId, ...] | None = None
    start_sha256: DigestText | None = None


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """All events of one protocol's folder, by digest."""

    events: dict[Digest, Event]

    @property
    def heads(self) -> tuple[Digest, ...]:
        """Events that no other names as parent, sorted."""
        named = {parent for event in self.events.values() for parent in event.parents}
        return tuple(sorted(digest for digest in self.events if digest not in named))

    def of(self, kind: str, run_id: str | None = None) -> list[tuple[Digest, Event]]:
        """Return the events of one kind (of one run where ``run_id`` is given), in the ledger's order."""
        return [
            (digest, event)
            for digest, event in self.ordered()
            if event.event == kind and (run_id is None or event.run_id == run_id)
        ]

    def ordered(self) -> Iterator[tuple[Digest, Event]]:
        """Yield every event after all its parents; among those that may come next, by claimed time, then digest."""
        return iter(self._order)

    @cached_property
    def _order(self) -> tuple[tuple[Digest, Event], ...]:
        children: dict[Digest, list[Digest]] = {}
        waiting: dict[Digest, int] = {}
        for digest, event in self.events.items():
            known = [parent for parent in set(event.parents) if parent in self.events]
            waiting[digest] = len(known)
            for parent in known:
                children.setdefault(parent, []).append(digest)
        ready = [(self.events[digest].time, digest) for digest, count in waiting.items() if count == 0]
        heapq.heapify(ready)
        order: list[tuple[Digest, Event]] = []
        while ready:
            _, digest = heapq.heappop(ready)
            order.append((digest, self.events[digest]))
            for child in children.get(digest, ()):
                waiting[child] -= 1
                if waiting[child] == 0:
                    heapq.heappush(ready, (self.events[child].time, child))
        return tuple(order)

    def descends(self, digest: Digest, ancestor: Digest) -> bool:
        """Tell whether ``ancestor`` can be reached from ``digest`` along parents."""
        seen: set[Digest] = set()
        stack = [digest]
        while stack:
            current = stack.pop()
            if current == ancestor:
                return True
            if current not in seen and current in self.events:
                seen.add(current)
                stack.extend(self.events[current].parents)
        return False


_decoder = msgspec.json.Decoder(Event)


def read_event(source: SourceFile) -> Event:
    """Return the event in ``source``.

    Raises:
        Refused: ``ledger-broken`` where name, digest and canonical bytes do not agree; faults of form.
    """
    name = source.path.rpartition(f"{LEDGER_FOLDER}/")[2]
    if name != f"{source.sha256}.json":
        expected = name.removesuffix(".json")
        raise Refused([Refusal(slug="ledger-broken", file=source.path, expected=expected, found=source.sha256)])
    event = _event(source)
    faults = [
        Refusal(slug="field-missing", file=source.path, path=f"/{name}", expected="this field", found="nothing")
        for name in _required(event)
        if getattr(event, name) is None
    ]
    if event.event == "end" and event.report_sha256 is None and event.reason is None:
        faults.append(
            Refusal(
                slug="field-missing", file=source.path, path="/reason", expected="a report or a reason", found="neither"
            )
        )
    if faults:
        raise Refused(faults)
    return event


def _event(source: SourceFile) -> Event:
    """Return the event whose canonical form the bytes are; those that equal its own encoding are known to be that."""
    try:
        event = _decoder.decode(source.data)
        if _sorted_encoder.encode(event) + b"\n" == source.data:
            return event
    except (msgspec.MsgspecError, ValueError):
        pass  # the thorough way says what is wrong
    value = parse_json(source.data, source.path)
    event = typed(value, Event, source.path)
    if canonical_json(value) != source.data:
        raise Refused([Refusal(slug="json-not-canonical", file=source.path, expected="RFC 8785 and one line feed")])
    return event


def _required(event: Event) -> Iterable[str]:
    return {
        "seal": (),
        "start": ("run_id", "manifest_sha256", "solver_sha256", "channel"),
        "end": ("run_id",),
        "withdraw": ("reason",),
    }[event.event]


def event_bytes(event: Event) -> bytes:
    """Return the canonical bytes of ``event``; their sha256 is its name."""
    return canonical_json(msgspec.to_builtins(event))
