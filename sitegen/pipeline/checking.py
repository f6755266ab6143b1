"""What `sitegen verify` says of each protocol, and no more: little enough to be sent between processes and machines.

On a cluster a worker gets the bytes of one protocol and has no other: a report that was re-scored from a run of another
one is judged at home, and so is a protocol with a file that is too large to be held in memory.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn

from sitegen.pipeline.inputs import Inputs, history_of
from sitegen.pipeline.judging import judged_by, verified_unit
from sitegen.pipeline.workers import side_by_side
from sitegen.read.files import LargeFile, SourceFile
from sitegen.read.library import UnitFiles, gather_unit
from sitegen.read.settings import Settings
from sitegen.refusals import Refusal, Refused
from sitegen.verify.history import Standing, find_history_faults, standing_of
from sitegen.verify.verified import VerifiedUnit
from sitegen.verify.withheld import withheld_note


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One protocol after its turn.

    Attributes:
        refusals: of the protocol and its ledger.
        refused: the refusals of each run that does not hold, by run id.
        held: the runs whose report holds.
        note: what is not here of a hidden test set; ``None`` where all sealed files are here.
        standing: what a published site's history is held against.
    """

    protocol_id: str
    refusals: tuple[Refusal, ...]
    refused: Mapping[str, tuple[Refusal, ...]]
    held: tuple[str, ...]
    note: str | None
    standing: Standing = field(repr=False)

    @property
    def all_refusals(self) -> list[Refusal]:
        """Every refusal of the protocol and of its runs."""
        return [*self.refusals, *(refusal for refusals in self.refused.values() for refusal in refusals)]


def checked(unit: VerifiedUnit) -> Checked:
    """Return what is to be said of a judged protocol."""
    return Checked(
        protocol_id=unit.protocol_id,
        refusals=unit.refusals,
        refused={run.run_id: run.refusals for run in unit.refused},
        held=tuple(report.run_id for report in unit.reports),
        note=None if unit.protocol is None else withheld_note(unit.protocol),
        standing=standing_of(unit),
    )


def find_forgotten(inputs: Inputs, standings: Iterable[Standing]) -> list[Refusal]:
    """Return what the published site that the settings name as history had, and all protocols together have no more.

    Raises:
        Refused: ``history-unreadable``.
    """
    history = history_of(inputs)
    return [] if history is None else find_history_faults(history, standings)


def check_all(
    inputs: Inputs, protocol_ids: Sequence[str], executor: str | None = None
) -> Generator[Checked, None, None]:
    """Yield every protocol, judged, in order: on the cluster at ``executor``, or here, in two processes where it pays.

    Raises:
        Misuse, OSError: the cluster cannot be reached or used.
    """
    if executor is None:
        yield from side_by_side(partial(_check, inputs), protocol_ids)
        return
    from sitegen.harness.spreading import spread

    shipments = (_shipment(inputs, protocol_id) for protocol_id in protocol_ids)
    with closing(spread(executor, check_shipment, shipments)) as results:
        for protocol_id, result in zip(protocol_ids, results, strict=True):
            yield result or _check(inputs, protocol_id)


def _check(inputs: Inputs, protocol_id: str) -> Checked:
    return checked(verified_unit(inputs, protocol_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipment:
    """One protocol with all its bytes, and what of the site's settings it is judged by; without what stays here."""

    files: UnitFiles | None = field(repr=False)
    settings: Settings
    authorities: tuple[SourceFile, ...] = field(repr=False)


class _AnotherProtocol(Exception):
    """Raised on a worker that would need the files of another protocol."""


def _shipment(inputs: Inputs, protocol_id: str) -> Shipment:
    """Return what is sent of a protocol. What cannot be read, or is too large to be sent, stays here."""
    try:
        files: UnitFiles | None = gather_unit(inputs.tree, protocol_id)
    except Refused:
        files = None
    if files is not None and any(isinstance(source, LargeFile) for source in files.sources):
        files = None
    return Shipment(files=files, settings=inputs.settings, authorities=inputs.authorities)


def check_shipment(shipment: Shipment) -> Checked | None:
    """Return what is to be said of a protocol; ``None`` where it must be judged at home. This runs on a worker."""
    if shipment.files is None:
        return None
    try:
        return checked(judged_by(shipment.settings, shipment.authorities, shipment.files, _no_origins))
    except _AnotherProtocol:
        return None


def _no_origins(protocol_id: str, run_id: str) -> NoReturn:
    raise _AnotherProtocol(f"{protocol_id}/{run_id}")
