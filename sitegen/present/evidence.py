"""Which verified bytes are published, by the evidence level that the protocol sealed.

====================  ===========  ===========  ===========
of the protocol       full         outcomes     digests
====================  ===========  ===========  ===========
sealed document       yes          yes          yes
protocol.sums         yes          yes          yes
draft, metric         yes          yes          digest only
tasks, oracles        yes          digest only  digest only
====================  ===========  ===========  ===========

====================  ===========  ===========  ===========
of a run              full         outcomes     digests
====================  ===========  ===========  ===========
manifest              yes          yes          yes
report                yes          yes          yes
receipt               yes          yes          yes
transcripts           yes          digest only  digest only
verdicts              yes          digest only  digest only
solver                as the manifest says (``publish_solver``)
====================  ===========  ===========  ===========

A report's rows are published at every level, so that every number follows from published bytes. The ledger is always
published whole; logs and the evidence of refused runs never are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.digests import folder_digest, sha256, sums_listing
from sitegen.present.page import Page
from sitegen.read.files import SourceFile
from sitegen.read.library import RECEIPT_NAME, SOLVER_FOLDER
from sitegen.read.manifest import MANIFEST_NAME
from sitegen.read.protocol import SEALED_NAME, SUMS_NAME
from sitegen.read.report import REPORT_NAME
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport, VerifiedUnit

LISTING = "SHA256SUMS"
SOLVER_SUMS = "solver.sums"
"""Listing whose sha256 is the solver's digest."""
DATASET_SUMS, NULL_PACK_SUMS = "dataset.sums", "null_pack.sums"
"""Listings whose sha256 is the digest of a pack that is a folder."""

_ROLES: Mapping[str, frozenset[str]] = {
    "full": frozenset(("draft", "dataset", "metric", "null pack", "oracle", "other")),
    "outcomes": frozenset(("draft", "metric")),
    "digests": frozenset(),
}
_RUN_FILES: Mapping[str, frozenset[str] | None] = {
    "full": None,
    "outcomes": frozenset((REPORT_NAME, MANIFEST_NAME, RECEIPT_NAME)),
    "digests": frozenset((REPORT_NAME, MANIFEST_NAME, RECEIPT_NAME)),
}


def protocol_files(protocol: VerifiedProtocol) -> dict[str, SourceFile]:
    """Return the published files of a protocol by path below its evidence folder."""
    shown = _ROLES[protocol.protocol.publish.evidence]
    names = [SEALED_NAME, SUMS_NAME, *(file.path for file in protocol.files if file.role in shown)]
    files = {name: protocol.sources[name] for name in names}
    document = protocol.protocol
    for name, path in ((DATASET_SUMS, document.dataset.path), (NULL_PACK_SUMS, document.null_pack.path)):
        listing = _folder_listing(protocol.sources, path)
        if listing is not None:
            files.setdefault(name, _made(listing))
    return files


def run_files(protocol: VerifiedProtocol, report: VerifiedReport) -> dict[str, SourceFile]:
    """Return the published files of a run by path below its evidence folder."""
    shown = _RUN_FILES[protocol.protocol.publish.evidence]
    solver = report.folder.solver_files
    files: dict[str, SourceFile] = {}
    for name, source in report.folder.files.items():
        if name.startswith(f"{SOLVER_FOLDER}/"):
            if report.manifest.publish_solver:
                files[name] = source
        elif shown is None or name in shown:
            files[name] = source
    if solver and folder_digest(solver) == report.report.digests.solver:
        files.setdefault(SOLVER_SUMS, _made(sums_listing(solver)))
    return files


def evidence_pages(unit: VerifiedUnit) -> Iterator[Page]:
    """Yield the evidence of one protocol: its sealed files, its ledger, its published runs, and their listings."""
    root = f"evidence/{unit.protocol_id}"
    files: dict[str, SourceFile] = {} if unit.protocol is None else protocol_files(unit.protocol)
    files.update((f"ledger/{digest}.json", source) for digest, source in unit.ledger_files.items())
    yield from _folder(root, files)
    if unit.protocol is not None:
        for report in unit.reports:
            yield from _folder(f"{root}/{report.run_id}", run_files(unit.protocol, report))


def _folder(root: str, files: Mapping[str, SourceFile]) -> Iterator[Page]:
    if not files:
        return
    for name, source in files.items():
        yield Page(path=f"{root}/{name}", data=source.data)
    listing = sums_listing({name: source.sha256 for name, source in files.items()})
    yield Page(path=f"{root}/{LISTING}", data=listing)


def _made(listing: bytes) -> SourceFile:
    return SourceFile(path="", data=listing, sha256=sha256(listing))


def _folder_listing(sources: Mapping[str, SourceFile], path: str) -> bytes | None:
    plain = path.removeprefix("./").rstrip("/")
    if plain in sources:
        return None
    below = f"{plain}/"
    return sums_listing({name.removeprefix(below): f.sha256 for name, f in sources.items() if name.startswith(below)})
