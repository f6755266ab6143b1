"""Ends and withdrawals: what a person records of a run. Nothing is ever deleted."""

from __future__ import annotations

from pathlib import Path

from sitegen.digests import Digest
from sitegen.harness.disk import write_file
from sitegen.harness.ledgering import append_event, ledger_of, open_start_of
from sitegen.harness.opening import find_run
from sitegen.harness.yaml_text import yaml_text
from sitegen.read.files import Tree
from sitegen.read.library import PROTOCOLS, REPORTS, WITHDRAWN_NAME
from sitegen.refusals import Misuse
from sitegen.verify.chain import histories_of


def end_open_run(root: Path, run_id: str, reason: str) -> Digest:
    """Record that a run ended without a report; return the event's digest.

    Raises:
        Misuse: there is no such run, it was never started, it ended already, or that is no reason.
        Refused: the ledger is not whole.
    """
    protocol_id = find_run(root, run_id)
    _, start = open_start_of(histories_of(ledger_of(root, protocol_id)), run_id)
    return append_event(
        root,
        protocol_id,
        event="end",
        run_id=run_id,
        protocol_sha256=start.protocol_sha256,
        reason=_checked(reason),
    )


def withdraw(root: Path, name: str, reason: str) -> Digest:
    """Record that a report or a protocol is withdrawn; return the event's digest.

    Args:
        root: the site's folder.
        name: the id of a protocol or of a run.
        reason: why, in a sentence; it is published.

    Raises:
        Misuse: there is no such run or protocol, it was withdrawn already, or that is no reason.
        Refused: the ledger is not whole.
    """
    with Tree(root) as tree:
        protocols = tree.folders(PROTOCOLS)
    if name in protocols:
        return _withdraw_protocol(root, name, _checked(reason))
    protocol_id = find_run(root, name)
    history = histories_of(ledger_of(root, protocol_id)).get(name)
    if history is None or history.begun is None:
        raise Misuse(f"{name} is not in the ledger, so it is not published and cannot be withdrawn")
    if history.withdrawal is not None:
        raise Misuse(f"{name} was withdrawn {history.withdrawal[1].time}")
    end = history.end[1] if history.end else None
    fields = {
        "run_id": name,
        "protocol_sha256": history.begun[1].protocol_sha256,
        "report_sha256": end.report_sha256 if end else None,
        "reason": _checked(reason),
    }
    digest = append_event(root, protocol_id, event="withdraw", **fields)
    time = ledger_of(root, protocol_id).events[digest].time
    tombstone = yaml_text({"run_id": name, "event": digest, "time": time, "reason": reason})
    write_file(root / REPORTS / protocol_id / name / WITHDRAWN_NAME, tombstone.encode())
    return digest


def _withdraw_protocol(root: Path, protocol_id: str, reason: str) -> Digest:
    ledger = ledger_of(root, protocol_id)
    seals = ledger.of("seal")
    if not seals:
        raise Misuse(f"{protocol_id} is not sealed; a draft can simply be changed")
    if any(event.run_id is None for _, event in ledger.of("withdraw")):
        raise Misuse(f"{protocol_id} was withdrawn already")
    identity = seals[0][1].protocol_sha256
    return append_event(root, protocol_id, event="withdraw", protocol_sha256=identity, reason=reason)


def _checked(reason: str) -> str:
    if not reason.strip() or len(reason) > 2000:
        raise Misuse("give a reason of 1 to 2000 characters")
    try:
        reason.encode()
    except UnicodeEncodeError:
        raise Misuse("give the reason in UTF-8, as every record is") from None
    return reason
