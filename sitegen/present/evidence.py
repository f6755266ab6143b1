"""The verified bytes as they are published: by evidence level, each folder with its own listing.

What is published at which level is decided in :mod:`sitegen.verify.commitments`. The ledger is always published whole;
logs and the evidence of refused runs never are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.digests import sha256, sums_listing
from sitegen.present.page import LargePage, Page
from sitegen.read.files import LargeFile, SourceFile
from sitegen.read.library import SIGNATURES_FOLDER, SOLVER_FOLDER
from sitegen.read.protocol import COMMITMENTS_NAME
from sitegen.read.published import SITE_SUMS
from sitegen.verify.commitments import commitments_of, published_files, published_run_files
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport, VerifiedUnit

SOLVER_SUMS = "solver.sums"
"""Listing whose sha256 is the solver's digest."""
DATASET_SUMS, NULL_PACK_SUMS = "dataset.sums", "null_pack.sums"
"""Listings whose sha256 is the digest of a pack that is a folder."""


def protocol_files(protocol: VerifiedProtocol) -> dict[str, SourceFile]:
    """Return the published files of a protocol by path below its evidence folder."""
    files = published_files(protocol)
    commitments = commitments_of(protocol)
    if commitments:
        files.setdefault(COMMITMENTS_NAME, _made(sums_listing(commitments)))
    if protocol.level != "full":
        return files  # a listing of a hidden pack would hold bare digests of its oracles
    document = protocol.protocol
    for name, path in ((DATASET_SUMS, document.dataset.path), (NULL_PACK_SUMS, document.null_pack.path)):
        listing = _folder_listing(protocol.sources, path)
        if listing is not None:
            files.setdefault(name, _made(listing))
    return files


def run_files(protocol: VerifiedProtocol, report: VerifiedReport) -> dict[str, SourceFile]:
    """Return the published files of a run by path below its evidence folder."""
    files = published_run_files(protocol, report)
    solver = report.folder.solver_files
    if any(name.startswith(f"{SOLVER_FOLDER}/") for name in files):
        listing = _made(sums_listing(solver))
        if listing.sha256 == report.report.digests.solver:  # the digest of a folder is that of its listing
            files.setdefault(SOLVER_SUMS, listing)
    return files


def evidence_pages(unit: VerifiedUnit, runs: Mapping[str, Mapping[str, SourceFile]]) -> Iterator[Page]:
    """Yield the evidence of one protocol: its sealed files, its ledger, its published runs, and their listings.

    ``runs`` holds the :func:`run_files` of each report by run.
    """
    root = f"evidence/{unit.protocol_id}"
    files: dict[str, SourceFile] = {} if unit.protocol is None else protocol_files(unit.protocol)
    files.update((f"ledger/{digest}.json", source) for digest, source in unit.ledger_files.items())
    files.update((f"{SIGNATURES_FOLDER}/{digest}.sig", source) for digest, source in unit.signatures.items())
    files.update((f"{SIGNATURES_FOLDER}/{digest}.tsr", source) for digest, source in unit.stamp_files.items())
    yield from _folder(root, files)
    for run_id, of_run in runs.items():
        yield from _folder(f"{root}/{run_id}", of_run)


def _folder(root: str, files: Mapping[str, SourceFile]) -> Iterator[Page]:
    if not files:
        return
    for name, source in files.items():
        path = f"{root}/{name}"
        if isinstance(source, LargeFile):
            yield LargePage(path=path, source=source)
        else:
            yield Page(path=path, data=source.data)
    listing = sums_listing({name: source.sha256 for name, source in files.items()})
    yield Page(path=f"{root}/{SITE_SUMS}", data=listing)


def _made(listing: bytes) -> SourceFile:
    return SourceFile(path="", data=listing, sha256=sha256(listing))


def _folder_listing(sources: Mapping[str, SourceFile], path: str) -> bytes | None:
    plain = path.removeprefix("./").rstrip("/")
    if plain in sources:
        return None
    below = f"{plain}/"
    return sums_listing({name.removeprefix(below): f.sha256 for name, f in sources.items() if name.startswith(below)})
