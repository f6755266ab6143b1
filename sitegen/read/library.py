"""The whole of a site's inputs: which protocols and runs there are, and the bytes of one protocol at a time.

A protocol with its runs is one unit: it is read, verified and turned into pages on its own, so that memory does not
grow with the site.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sitegen.digests import Digest
from sitegen.read.files import DOCUMENT_LIMIT, EVIDENCE_LIMIT, SourceFile, Tree
from sitegen.read.ledger import EVENT_LIMIT, LEDGER_FOLDER, Event, Ledger, read_event
from sitegen.read.manifest import MANIFEST_NAME
from sitegen.read.names import IDENTIFIER, is_identifier
from sitegen.read.protocol import NOTES_NAME, SEALED_NAME, SUMS_NAME
from sitegen.read.report import REPORT_NAME
from sitegen.read.transcript import TRANSCRIPTS_NAME
from sitegen.refusals import Refusal, Refused

PROTOCOLS = "protocols"
REPORTS = "reports"
SOLVER_FOLDER = "solver"
SIGNATURES_FOLDER = "signatures"
"""Beside the ledger: ``<event digest>.sig``, signatures by people of seals and of ledger heads."""
VERDICTS_NAME = "verdicts.jsonl"
EVIDENCE_NAME = "evidence.yaml"
WITHDRAWN_NAME = "withdrawn.yaml"
RECEIPT_NAME = "receipt.json"
UNREAD_FOLDERS = ("logs/",)
"""Folders of a run that are never read or published."""

RUN_FILES = frozenset(
    (REPORT_NAME, MANIFEST_NAME, TRANSCRIPTS_NAME, VERDICTS_NAME, EVIDENCE_NAME, WITHDRAWN_NAME, RECEIPT_NAME)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolFolder:
    """The files of one protocol's folder, by path below it; ``faults`` say which could not be read."""

    protocol_id: str
    path: str
    files: dict[str, SourceFile] = field(repr=False)
    faults: tuple[Refusal, ...] = ()

    @property
    def is_sealed(self) -> bool:
        """Whether the folder holds anything that sealing writes."""
        return SEALED_NAME in self.files or SUMS_NAME in self.files

    @property
    def digests(self) -> dict[str, Digest]:
        """Digest of each file, by path."""
        return {path: source.sha256 for path, source in self.files.items()}

    @property
    def notes(self) -> SourceFile | None:
        """The owner's prose, which is not sealed."""
        return self.files.get(NOTES_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFolder:
    """The files of one run's folder, by path below it; the solver's files are below ``solver/``."""

    protocol_id: str
    run_id: str
    path: str
    files: dict[str, SourceFile] = field(repr=False)
    faults: tuple[Refusal, ...] = ()

    @property
    def solver_files(self) -> dict[str, Digest]:
        """Digest of each solver file, by path below ``solver/``."""
        prefix = f"{SOLVER_FOLDER}/"
        return {p.removeprefix(prefix): f.sha256 for p, f in self.files.items() if p.startswith(prefix)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One protocol with its ledger and its runs. ``faults`` concern the unit as a whole."""

    protocol_id: str
    protocol: ProtocolFolder | None
    ledger: Ledger
    ledger_files: dict[Digest, SourceFile] = field(repr=False)
    runs: tuple[RunFolder, ...]
    signatures: tuple[SourceFile, ...] = field(repr=False, default=())
    faults: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFiles:
    """The bytes of one protocol with its ledger and its runs, before anything is parsed."""

    protocol_id: str
    protocol: ProtocolFolder | None
    ledger: tuple[SourceFile, ...] = field(repr=False)
    runs: tuple[RunFolder, ...]
    signatures: tuple[SourceFile, ...] = field(repr=False, default=())
    faults: tuple[Refusal, ...] = ()

    @property
    def digests(self) -> list[tuple[str, Digest]]:
        """Path and digest of every file, in the order of reading."""
        return [(file.path, file.sha256) for file in self.sources]

    @property
    def sources(self) -> list[SourceFile]:
        """Every file, in the order of reading."""
        folders = (*(() if self.protocol is None else (self.protocol,)), *self.runs)
        found = [file for folder in folders for file in folder.files.values()]
        return [*found, *self.ledger, *self.signatures]

    @property
    def all_faults(self) -> list[Refusal]:
        """Everything that could not be read."""
        folders = (*(() if self.protocol is None else (self.protocol,)), *self.runs)
        return [*self.faults, *(fault for folder in folders for fault in folder.faults)]


def protocol_ids(tree: Tree) -> list[str]:
    """Return the ids of all protocols that have a folder below ``protocols`` or ``reports``, sorted.

    A folder that no protocol may have the name of is none's, and a fault of the site: :func:`find_strays`.
    """
    return sorted(filter(is_identifier, {*tree.folders(PROTOCOLS), *tree.folders(REPORTS)}))


def find_strays(tree: Tree) -> Iterator[Refusal]:
    """Yield a refusal for all that lies directly in ``protocols`` or ``reports`` and belongs to no protocol.

    It is ``protocol-id-form`` for a folder, and ``file-unlisted`` for all else.
    """
    for top in (PROTOCOLS, REPORTS):
        folders, others = tree.contents(top)
        for name in folders:
            if not is_identifier(name):
                yield Refusal(slug="protocol-id-form", file=f"{top}/{name}", expected=IDENTIFIER, found=name)
        for name in others:
            expected = "folders only"
            yield Refusal(slug="file-unlisted", file=f"{top}/{name}", expected=expected, found="a file")


def read_unit(tree: Tree, protocol_id: str) -> Unit:
    """Return one protocol, its ledger and its runs. Nothing is judged beyond being readable."""
    return parse_unit(gather_unit(tree, protocol_id))


def gather_unit(tree: Tree, protocol_id: str) -> UnitFiles:
    """Return all bytes of one protocol, its ledger and its runs, each file hashed and none parsed."""
    reports = f"{REPORTS}/{protocol_id}"
    with tree.holding(reports):
        exam = _gather_exam(tree, protocol_id)
        names, others = tree.contents(reports)
        folders = [
            read_run_folder(tree, protocol_id, name) for name in names if name not in (LEDGER_FOLDER, SIGNATURES_FOLDER)
        ]
    strays = [
        Refusal(slug="file-unlisted", file=f"{reports}/{name}", expected="folders only", found="a file")
        for name in others
    ]
    # A folder that holds nothing but logs is what a change of branch leaves, and no run.
    runs = tuple(folder for folder in folders if folder.files or folder.faults)
    return dataclasses.replace(exam, runs=runs, faults=(*exam.faults, *strays))


def parse_unit(files: UnitFiles) -> Unit:
    """Return the unit whose files these are: the ledger's events are read, the rest waits for the verifier."""
    ledger, sources, faults = _parse_ledger(files.ledger)
    return Unit(
        protocol_id=files.protocol_id,
        protocol=files.protocol,
        ledger=ledger,
        ledger_files=sources,
        runs=files.runs,
        signatures=files.signatures,
        faults=(*files.faults, *faults),
    )


def read_exam(tree: Tree, protocol_id: str) -> Unit:
    """Return one protocol and its ledger without its runs: what it takes to start one."""
    return parse_unit(_gather_exam(tree, protocol_id))


def _gather_exam(tree: Tree, protocol_id: str) -> UnitFiles:
    folder = f"{PROTOCOLS}/{protocol_id}"
    ledger, faults = _read_folder(tree, f"{REPORTS}/{protocol_id}/{LEDGER_FOLDER}", limit=EVENT_LIMIT)
    signatures, unread = _read_folder(tree, f"{REPORTS}/{protocol_id}/{SIGNATURES_FOLDER}", limit=EVENT_LIMIT)
    return UnitFiles(
        protocol_id=protocol_id,
        protocol=read_protocol_folder(tree, protocol_id) if tree.exists(folder) else None,
        ledger=tuple(ledger.values()),
        runs=(),
        signatures=tuple(signatures.values()),
        faults=(*faults, *unread),
    )


def read_run(tree: Tree, protocol_id: str, run_id: str) -> Unit | None:
    """Return one protocol and its ledger with one of its runs; ``None`` where there is no such run."""
    if not tree.exists(f"{REPORTS}/{protocol_id}/{run_id}"):
        return None
    return dataclasses.replace(read_exam(tree, protocol_id), runs=(read_run_folder(tree, protocol_id, run_id),))


def read_protocol_folder(tree: Tree, protocol_id: str) -> ProtocolFolder:
    """Return the files of ``protocols/<protocol_id>``."""
    path = f"{PROTOCOLS}/{protocol_id}"
    files, faults = _read_folder(tree, path)
    return ProtocolFolder(protocol_id=protocol_id, path=path, files=files, faults=tuple(faults))


def read_run_folder(tree: Tree, protocol_id: str, run_id: str) -> RunFolder:
    """Return the files of ``reports/<protocol_id>/<run_id>`` without its logs; ``evidence-unlisted`` for others."""
    path = f"{REPORTS}/{protocol_id}/{run_id}"
    files, faults = _read_folder(tree, path, UNREAD_FOLDERS)
    for name in files:
        if name not in RUN_FILES and not name.startswith(f"{SOLVER_FOLDER}/"):
            faults.append(
                Refusal(slug="evidence-unlisted", file=f"{path}/{name}", expected="a file of a run", found=name)
            )
    return RunFolder(protocol_id=protocol_id, run_id=run_id, path=path, files=files, faults=tuple(faults))


def read_ledger(tree: Tree, protocol_id: str) -> tuple[Ledger, dict[Digest, SourceFile], list[Refusal]]:
    """Return the ledger of one protocol, its files by digest, and what could not be read of it."""
    files, faults = _read_folder(tree, f"{REPORTS}/{protocol_id}/{LEDGER_FOLDER}", limit=EVENT_LIMIT)
    ledger, sources, malformed = _parse_ledger(files.values())
    return ledger, sources, faults + malformed


def _parse_ledger(files: Iterable[SourceFile]) -> tuple[Ledger, dict[Digest, SourceFile], list[Refusal]]:
    events: dict[Digest, Event] = {}
    sources: dict[Digest, SourceFile] = {}
    faults: list[Refusal] = []
    for source in files:
        try:
            events[source.sha256] = read_event(source)
            sources[source.sha256] = source
        except Refused as refused:
            faults.extend(refused.refusals)
    return Ledger(events=events), sources, faults


def _read_folder(
    tree: Tree, path: str, without: tuple[str, ...] = (), limit: int | None = None
) -> tuple[dict[str, SourceFile], list[Refusal]]:
    """Read every file below ``path``, and collect what cannot be read."""
    try:
        return tree.read_folder(path, _limit_of if limit is None else lambda name: limit, without)
    except Refused as refused:
        return {}, list(refused.refusals)


def _limit_of(name: str) -> int:
    return DOCUMENT_LIMIT if name.endswith((".yaml", "report.json")) else EVIDENCE_LIMIT
