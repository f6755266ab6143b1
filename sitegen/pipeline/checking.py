"""What `sitegen verify` says of each protocol, and no more: little enough to be sent between processes."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sitegen.pipeline.inputs import Inputs, verified_unit
from sitegen.pipeline.workers import side_by_side
from sitegen.refusals import Refusal
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
    """

    protocol_id: str
    refusals: tuple[Refusal, ...]
    refused: Mapping[str, tuple[Refusal, ...]]
    held: tuple[str, ...]
    note: str | None

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
    )


def check_all(inputs: Inputs, protocol_ids: Sequence[str]) -> Generator[Checked, None, None]:
    """Yield every protocol, judged, in order; in two processes where it pays."""
    return side_by_side(partial(_check, inputs), protocol_ids)


def _check(inputs: Inputs, protocol_id: str) -> Checked:
    return checked(verified_unit(inputs, protocol_id))
