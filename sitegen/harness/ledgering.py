"""Append to a ledger: an event names all heads of its moment, so that two branches merge without a conflict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sitegen.digests import Digest, sha256
from sitegen.harness.clock import now
from sitegen.harness.disk import write_file
from sitegen.read.files import Tree
from sitegen.read.ledger import LEDGER_FOLDER, Event, Ledger, event_bytes
from sitegen.read.library import REPORTS, read_ledger
from sitegen.refusals import Misuse, Refused
from sitegen.verify.chain import NO_HISTORY, RunHistory, find_chain_faults


def ledger_of(root: Path, protocol_id: str) -> Ledger:
    """Return the ledger of one protocol.

    Raises:
        Refused: it is not whole; nothing is appended to a broken ledger.
    """
    with Tree(root) as tree:
        ledger, _, faults = read_ledger(tree, protocol_id)
    faults += find_chain_faults(protocol_id, ledger)
    if faults:
        raise Refused(faults)
    return ledger


def open_start_of(histories: Mapping[str, RunHistory], run_id: str) -> tuple[Digest, Event]:
    """Return the start of a run that has no end yet.

    Raises:
        Misuse: it was never started, or it ended.
    """
    history = histories.get(run_id, NO_HISTORY)
    if history.open_start is not None:
        return history.open_start
    raise Misuse(f"{run_id} was never started" if history.end is None else f"{run_id} ended {history.end[1].time}")


def append_event(root: Path, protocol_id: str, **fields: Any) -> Digest:
    """Write one event and make it durable; return its digest.

    ``fields`` are those of :class:`Event` but its parents and its time.

    Raises:
        Refused: the ledger is not whole.
        OSError: it cannot be written.
    """
    ledger = ledger_of(root, protocol_id)
    latest = max((event.time for event in ledger.events.values()), default="")
    # A clock that was set back may not make an event older than the ones that it follows.
    event = Event(parents=ledger.heads, time=max(now(), latest), **fields)
    data = event_bytes(event)
    digest = sha256(data)
    write_file(root / REPORTS / protocol_id / LEDGER_FOLDER / f"{digest}.json", data)
    return digest
