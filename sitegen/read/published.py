"""A published site: what its ``site.json`` says, and its evidence as the units that a verifier judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sitegen.digests import Digest, canonical_json, sums_listing
from sitegen.read.address import is_address, reader_of
from sitegen.read.files import EVIDENCE_LIMIT, SourceFile, Tree
from sitegen.read.ledger import LEDGER_FOLDER
from sitegen.read.library import SIGNATURES_FOLDER, ProtocolFolder, RunFolder, UnitFiles
from sitegen.read.schema import Count, DigestText, Identifier, typed
from sitegen.read.strict import parse_json
from sitegen.refusals import Refusal, Refused

SITE_NAME = "site.json"
SITE_SUMS = "SHA256SUMS"
SITE_SCHEMA: Literal["agent-bench-site/v1"] = "agent-bench-site/v1"
EVIDENCE = "evidence"
BESIDE = frozenset((SITE_SUMS, "dataset.sums", "null_pack.sums", "solver.sums"))
"""Lists that a site adds to the evidence; they are not evidence themselves."""


class PublishedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the site: path, size in bytes, digest."""

    path: str
    size: Count
    sha256: DigestText


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """What ``site.json`` says. Fields that this version does not know are left alone.

    ``look`` is the digest of templates and assets, ``heads`` are ledger heads by protocol, ``protocols`` identities by
    protocol id, ``reports`` digests of report.json by protocol and run, ``withdrawn`` digests of withdraw events by
    protocol and run.
    """

    schema: Annotated[Literal["agent-bench-site/v1"], Meta(extra={"slug": "schema-unknown"})]
    tool: str
    look: DigestText | None = None
    files: tuple[PublishedFile, ...]
    heads: dict[Identifier, tuple[DigestText, ...]]
    protocols: dict[Identifier, DigestText]
    reports: dict[Identifier, dict[Identifier, DigestText]]
    withdrawn: dict[Identifier, dict[str, DigestText]]

    @property
    def by_path(self) -> dict[str, PublishedFile]:
        """The listed files by path."""
        return {file.path: file for file in self.files}


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSource:
    """Where a published site is read from.

    ``names`` are the paths of all that stands there; ``None`` at an address, which lists nothing.
    """

    where: str
    read: Callable[[str, int], SourceFile] = field(repr=False)
    names: tuple[str, ...] | None = field(repr=False)


@contextmanager
def open_source(where: str) -> Iterator[SiteSource]:
    """Give a published site to read from, a folder or an address.

    Raises:
        Refused: ``file-missing`` where there is no such folder.
    """
    if is_address(where):
        yield SiteSource(where=where, read=reader_of(where), names=None)
        return
    with Tree(Path(where)) as tree:
        yield SiteSource(where=where, read=tree.read, names=tuple(tree.everything()))


def read_site(source: SiteSource) -> tuple[Site, SourceFile]:
    """Return what the site says of itself, and the file it stands in.

    Raises:
        Refused: it is not there, not canonical, or not of this format.
    """
    file = source.read(SITE_NAME, EVIDENCE_LIMIT)
    value = parse_json(file.data, SITE_NAME)
    site = typed(value, Site, SITE_NAME)
    if canonical_json(value) != file.data:
        expected = "RFC 8785 and one line feed"
        raise Refused([Refusal(slug="json-not-canonical", file=SITE_NAME, expected=expected)])
    return site, file


def evidence_of(site: Site, protocol_id: str, files: Mapping[str, SourceFile]) -> UnitFiles:
    """Return one protocol's published evidence as the unit that was verified when the site was built.

    ``files`` are the published files by path, those of other protocols may be among them.
    """
    root = f"{EVIDENCE}/{protocol_id}"
    own = {path.removeprefix(f"{root}/"): file for path, file in files.items() if path.startswith(f"{root}/")}
    runs = site.reports.get(protocol_id, {})
    ledger = tuple(file for name, file in own.items() if name.startswith(f"{LEDGER_FOLDER}/"))
    sealed = {
        name: file
        for name, file in own.items()
        if name.split("/", 1)[0] not in {LEDGER_FOLDER, SIGNATURES_FOLDER, *runs} and name not in BESIDE
    }
    return UnitFiles(
        protocol_id=protocol_id,
        protocol=ProtocolFolder(protocol_id=protocol_id, path=root, files=sealed) if sealed else None,
        ledger=ledger,
        signatures=tuple(file for name, file in own.items() if name.startswith(f"{SIGNATURES_FOLDER}/")),
        runs=tuple(_run(protocol_id, run_id, own) for run_id in sorted(runs)),
    )


def _run(protocol_id: str, run_id: str, own: Mapping[str, SourceFile]) -> RunFolder:
    below = f"{run_id}/"
    files = {name.removeprefix(below): file for name, file in own.items() if name.startswith(below)}
    return RunFolder(
        protocol_id=protocol_id,
        run_id=run_id,
        path=f"{EVIDENCE}/{protocol_id}/{run_id}",
        files={name: file for name, file in files.items() if name not in BESIDE},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedHistory:
    """What the last published site knew, which a new one may not forget. Events by protocol id."""

    where: str
    site: Site
    events: Mapping[str, frozenset[Digest]] = field(repr=False)

    @property
    def all_events(self) -> frozenset[Digest]:
        """The digests of all events: a run whose start is among them was announced."""
        return frozenset().union(*self.events.values())


def read_history(where: str) -> PublishedHistory:
    """Return what the site at ``where``, a folder or an address, has published.

    Only its lists are read: an event is named by its digest, and ``SHA256SUMS`` must list what ``site.json`` lists.

    Raises:
        Refused: ``history-unreadable``.
        ConnectionError: the address cannot be reached now.
    """
    try:
        with open_source(where) as source:
            site, file = read_site(source)
            sums = source.read(SITE_SUMS, EVIDENCE_LIMIT)
    except Refused as refused:
        raise _unreadable(where, str(refused)) from None
    if sums.data != listing_of(site, file):
        raise _unreadable(where, f"{SITE_SUMS} is not the list of its files")
    events: dict[str, set[Digest]] = {protocol_id: set() for protocol_id in site.heads}
    for listed in site.files:
        top, _, rest = listed.path.partition("/")
        protocol_id, _, name = rest.partition("/")
        if top != EVIDENCE or name != f"{LEDGER_FOLDER}/{listed.sha256}.json":
            if top == EVIDENCE and name.startswith(f"{LEDGER_FOLDER}/"):
                raise _unreadable(where, f"{listed.path} is not named by its digest")
            continue
        events.setdefault(protocol_id, set()).add(listed.sha256)
    return PublishedHistory(
        where=where, site=site, events={protocol_id: frozenset(found) for protocol_id, found in events.items()}
    )


def listing_of(site: Site, file: SourceFile) -> bytes:
    """Return what ``SHA256SUMS`` must be: every listed file and ``site.json`` itself."""
    return sums_listing({**{listed.path: listed.sha256 for listed in site.files}, SITE_NAME: file.sha256})


def _unreadable(where: str, found: str) -> Refused:
    return Refused([Refusal(slug="history-unreadable", file=where, expected="a whole published site", found=found)])
