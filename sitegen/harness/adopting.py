"""Take the sealed protocol of another site, verify it, and make it ready to run here.

Its identity is the digest of the sealed document, so it is the same exam: a reader can set the numbers of both sites
side by side. The seal event comes with it; the other site's runs do not.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.digests import Digest
from sitegen.harness.disk import write_file
from sitegen.read.files import SourceFile
from sitegen.read.ledger import LEDGER_FOLDER, Ledger
from sitegen.read.library import PROTOCOLS, REPORTS, Unit, UnitFiles, parse_unit
from sitegen.read.protocol import NOTES_NAME
from sitegen.read.published import EVIDENCE, Site, SiteSource, evidence_of, open_source, read_site
from sitegen.refusals import Misuse, Refusal, Refused, faults
from sitegen.verify.chain import find_chain_faults
from sitegen.verify.protocols import examine_protocol
from sitegen.verify.published import find_file_faults
from sitegen.verify.verified import needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """A protocol that was taken over, with its identity and the files that were written, by path below the root."""

    protocol_id: str
    sha256: Digest
    where: str
    written: tuple[str, ...] = field(repr=False)


def adopt_protocol(root: Path, where: str, protocol_id: str | None = None) -> Adopted:
    """Fetch a sealed protocol from the published site at ``where``, verify it, and write it below ``root``.

    ``where`` may also be the address of the protocol's own page.

    Raises:
        Refused: the site's files are not the listed ones, or the protocol may not be run here.
        Misuse: it is not clear which protocol is meant, or there is one of this id here already.
        OSError: it cannot be written, or the site cannot be reached now.
    """
    base, named = _split(where)
    with open_source(base) as source:
        site, _ = read_site(source)
        wanted = _choose(site, protocol_id or named)
        if (root / PROTOCOLS / wanted).exists() or (root / REPORTS / wanted).exists():
            raise Misuse(f"{PROTOCOLS}/{wanted} or its ledger is here already; what is sealed is never replaced")
        files = _fetch(source, site, wanted)
    sealed = parse_unit(_without_runs(evidence_of(site, wanted, files)))
    unit = dataclasses.replace(sealed, ledger=_seals_only(sealed.ledger))
    identity = _verified(unit, site.protocols[wanted])
    return Adopted(protocol_id=wanted, sha256=identity, where=base, written=_write(root, unit, base, identity))


def _split(where: str) -> tuple[str, str | None]:
    """Return the site and the protocol that a page's address names."""
    base, separator, rest = where.partition(f"/{PROTOCOLS}/")
    return (base, rest.partition("/")[0] or None) if separator else (where, None)


def _choose(site: Site, protocol_id: str | None) -> str:
    if protocol_id is None and len(site.protocols) == 1:
        return next(iter(site.protocols))
    if protocol_id not in site.protocols:
        known = ", ".join(sorted(site.protocols)) or "none"
        raise Misuse(f"name one of the protocols that the site publishes: {known}")
    return protocol_id


def _fetch(source: SiteSource, site: Site, protocol_id: str) -> dict[str, SourceFile]:
    """Return the protocol's files and its ledger, each with the listed digest."""
    runs = site.reports.get(protocol_id, {})
    files: dict[str, SourceFile] = {}
    found: list[Refusal] = []
    for listed in site.files:
        parts = listed.path.split("/")
        if parts[:2] != [EVIDENCE, protocol_id] or not runs.keys().isdisjoint(parts[2:3]):
            continue
        files[listed.path] = source.read(listed.path, listed.size + 1)
        found += find_file_faults(listed, files[listed.path])
    if found:
        raise Refused(found)
    return files


def _without_runs(files: UnitFiles) -> UnitFiles:
    return dataclasses.replace(files, runs=())


def _seals_only(ledger: Ledger) -> Ledger:
    """Return the seal events with all that they descend from."""
    kept: set[Digest] = set()
    waiting = [digest for digest, _ in ledger.of("seal")]
    while waiting:
        digest = waiting.pop()
        if digest in ledger.events and digest not in kept:
            kept.add(digest)
            waiting += ledger.events[digest].parents
    return Ledger(events={digest: ledger.events[digest] for digest in sorted(kept)})


def _verified(unit: Unit, published: Digest) -> Digest:
    sound, refusals = examine_protocol(unit)
    found = faults([*unit.faults, *find_chain_faults(unit.protocol_id, unit.ledger), *refusals])
    if found or sound is None:
        raise Refused(found or refusals)
    needed(sound.whole_pack, f"{EVIDENCE}/{unit.protocol_id}", sound.withheld)
    if sound.document.sha256 != published:
        file = f"{EVIDENCE}/{unit.protocol_id}"
        raise Refused([Refusal(slug="protocol-drift", file=file, expected=published, found=sound.document.sha256)])
    return sound.document.sha256


def _write(root: Path, unit: Unit, base: str, identity: Digest) -> tuple[str, ...]:
    assert unit.protocol is not None  # or it would not have been verified
    files = {name: file.data for name, file in unit.protocol.files.items()}
    adopted = f"Adopted from {base}\n\nThe sealed document has the digest `{identity}` there and here.\n"
    theirs = files.get(NOTES_NAME, b"")
    files[NOTES_NAME] = adopted.encode() + (b"\nThe notes there:\n\n" + theirs if theirs else b"")
    written = {f"{PROTOCOLS}/{unit.protocol_id}/{name}": data for name, data in files.items()}
    for digest in unit.ledger.events:
        path = f"{REPORTS}/{unit.protocol_id}/{LEDGER_FOLDER}/{digest}.json"
        written[path] = unit.ledger_files[digest].data
    for path, data in written.items():
        write_file(root / path, data)
    return tuple(written)
