"""What verification gives: verified protocols and reports, and what was refused.

Only :mod:`sitegen.verify.verifier` makes a :class:`VerifiedProtocol` or a :class:`VerifiedReport`; only these types can
reach a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sitegen.digests import Digest
from sitegen.measure.scorecard import Scorecard
from sitegen.read.files import SourceFile
from sitegen.read.ledger import Event, Ledger
from sitegen.read.library import RunFolder
from sitegen.read.manifest import Manifest
from sitegen.read.pack import Pack
from sitegen.read.protocol import REVEALED_NAME, SealedProtocol
from sitegen.read.report import Report, TaskStated
from sitegen.read.transcript import Transcript
from sitegen.refusals import Refusal, Refused, faults

Level = Literal["numbers", "re-scored", "re-scored by the publisher", "judge-recorded"]
Role = Literal["draft", "dataset", "metric", "null pack", "oracle", "other"]
Witness = Literal["announced", "unwitnessed"]

_ISSUED_BY_THE_VERIFIER = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedFile:
    """One file that the seal covers. ``size`` in bytes."""

    path: str
    role: Role
    size: int
    sha256: Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of verification that held: what was checked, and its result in a sentence."""

    name: str
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedProtocol:
    """A sealed protocol whose every file that is here has the sealed digest, and whose exam may be sealed.

    ``sha256`` is its identity; ``sealed_at`` the time that the seal event claims; ``files`` all that the seal covers
    and that is here; ``withheld`` the paths of sealed files of a hidden test set that are not here, and without which
    there is no pack; ``sources`` the bytes of what is here, with the sealed document and the sums, by path; ``notes``
    the owner's prose, not sealed.
    """

    protocol: SealedProtocol
    sha256: Digest
    sealed_at: str
    seal_event: Digest
    whole_pack: Pack | None = field(repr=False)
    files: tuple[SealedFile, ...]
    withheld: tuple[str, ...] = field(repr=False)
    sources: Mapping[str, SourceFile] = field(repr=False)
    notes: SourceFile | None = field(repr=False)
    issuer: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_issuer(self.issuer)

    @property
    def protocol_id(self) -> str:
        """The label of this identity."""
        return self.protocol.protocol_id

    @property
    def pack(self) -> Pack:
        """The tasks, rows and oracles; refused where sealed files are withheld."""
        return needed(self.whole_pack, f"protocols/{self.protocol_id}", self.withheld)

    @property
    def clusters(self) -> Mapping[str, str] | None:
        """Each task's cluster by id; ``None`` where the protocol seals no cluster field."""
        field_ = self.protocol.dataset.cluster
        return None if field_ is None else self.pack.clusters(field_)

    @property
    def level(self) -> Literal["full", "outcomes", "digests"]:
        """How much of the evidence is published: as sealed, and all of it once the owner has revealed it."""
        return "full" if REVEALED_NAME in self.sources else self.protocol.publish.evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedReport:
    """A report whose every number follows from evidence that has the stated digests.

    Attributes:
        report: as stated; its numbers equal those of ``card``.
        sha256: of report.json.
        manifest: as locked at the start.
        transcripts: by task id (dataset) in the pack's order; null-pack rows apart in ``null_transcripts``.
        rows: outcomes, recomputed, in the pack's order.
        card: the scorecard, recomputed.
        level: how far the outcomes were recomputed.
        start: the start event's digest; ``started_at`` and ``ended_at`` are claims.
        witness: whether the start stands in the previously published ledger.
        run_number, runs_started, runs_of_route: "run k of m started under this protocol, j of them by this route".
        steps: what was checked.
    """

    report: Report
    sha256: Digest
    manifest: Manifest
    transcripts: Mapping[str, Transcript] = field(repr=False)
    null_transcripts: Mapping[str, Transcript] = field(repr=False)
    rows: tuple[TaskStated, ...] = field(repr=False)
    card: Scorecard
    level: Level
    start: Digest
    end: Digest
    started_at: str
    ended_at: str
    witness: Witness
    run_number: int
    runs_started: int
    runs_of_route: int
    steps: tuple[Step, ...]
    folder: RunFolder = field(repr=False)
    issuer: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_issuer(self.issuer)

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.report.run_id


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedRun:
    """A run of which no figure is shown: why, and the ledger's events of it. It holds no number of the run."""

    protocol_id: str
    run_id: str
    route: str | None
    refusals: tuple[Refusal, ...]
    events: tuple[tuple[Digest, Event], ...] = ()

    @property
    def is_fault(self) -> bool:
        """Whether at least one reason is a fault and not an honest outcome."""
        return bool(faults(self.refusals))

    @property
    def withdrawn(self) -> bool:
        """Whether the owner withdrew the run's report."""
        return any(refusal.slug == "report-withdrawn" for refusal in self.refusals)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A third party's word that an event existed at ``time``; ``authority`` is the path of its certificate."""

    time: str
    authority: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedUnit:
    """One protocol with all its runs, judged.

    ``protocol`` is ``None`` where it was refused or is a draft; ``refusals`` then say why (of the protocol and ledger).
    ``signatures`` are by the event that they are of, and ``signers`` says who signed it, where that was verified;
    so are ``stamp_files`` and ``stamps`` of timestamps.
    """

    protocol_id: str
    protocol: VerifiedProtocol | None
    reports: tuple[VerifiedReport, ...]
    refused: tuple[RefusedRun, ...]
    refusals: tuple[Refusal, ...]
    ledger: Ledger = field(repr=False)
    ledger_files: Mapping[Digest, SourceFile] = field(repr=False)
    signatures: Mapping[Digest, SourceFile] = field(repr=False, default_factory=dict)
    signers: Mapping[Digest, str] = field(repr=False, default_factory=dict)
    stamp_files: Mapping[Digest, SourceFile] = field(repr=False, default_factory=dict)
    stamps: Mapping[Digest, Stamp] = field(repr=False, default_factory=dict)

    @property
    def all_refusals(self) -> list[Refusal]:
        """Every refusal of the protocol and of its runs."""
        return [*self.refusals, *(refusal for run in self.refused for refusal in run.refusals)]


def needed(pack: Pack | None, folder: str, withheld: Sequence[str]) -> Pack:
    """Return the pack for what cannot be done without the tasks; ``folder`` is the protocol's, for messages.

    Raises:
        Refused: ``file-missing`` where sealed files are withheld.
    """
    if pack is None:
        expected, found = "the sealed file: this cannot be done without it", f"{len(withheld)} withheld sealed files"
        reasons = [Refusal(slug="file-missing", file=f"{folder}/{withheld[0]}", expected=expected, found=found)]
        raise Refused(reasons)
    return pack


def _check_issuer(issuer: object) -> None:
    if issuer is not _ISSUED_BY_THE_VERIFIER:
        raise TypeError("only the verifier issues verified records")
