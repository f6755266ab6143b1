"""Reveal a hidden test set: from now on its evidence is published in full, and opens what was committed to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sitegen.digests import Digest
from sitegen.harness.clock import now
from sitegen.harness.disk import write_file
from sitegen.harness.yaml_text import yaml_text
from sitegen.read.files import SourceFile, Tree
from sitegen.read.library import PROTOCOLS, read_unit
from sitegen.read.protocol import COMMITMENTS_NAME, REVEALED_NAME
from sitegen.read.published import EVIDENCE, open_source, read_site
from sitegen.read.revealed import SCHEMA
from sitegen.refusals import Misuse, Refusal, Refused, faults
from sitegen.verify.commitments import find_unopened
from sitegen.verify.verified import VerifiedProtocol, needed
from sitegen.verify.verifier import verify_unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveal:
    """A revealed protocol: its identity, and how many published commitments its files opened."""

    protocol_id: str
    sha256: Digest
    opened: int
    reports: int


def reveal_protocol(root: Path, protocol_id: str, published: str | None = None) -> Reveal:
    """Record that a hidden protocol is revealed.

    Args:
        root: the site's folder.
        protocol_id: a sealed protocol whose evidence level is not ``full``.
        published: the last published site, whose commitments must open.

    Raises:
        Refused: the protocol or a report of it does not verify, or ``evidence-commitment``.
        Misuse: there is nothing to reveal.
        OSError: the record cannot be written.
    """
    with Tree(root) as tree:
        if not tree.exists(f"{PROTOCOLS}/{protocol_id}"):
            raise Misuse(f"there is no {PROTOCOLS}/{protocol_id}")
        unit = verify_unit(read_unit(tree, protocol_id))
    found = faults(unit.all_refusals)
    if found or unit.protocol is None:
        raise Refused(found or unit.refusals)
    protocol = unit.protocol
    if protocol.level == "full":
        raise Misuse(f"{protocol_id} is published in full already")
    needed(protocol.whole_pack, f"{PROTOCOLS}/{protocol_id}", protocol.withheld)
    opened = 0 if published is None else _open(protocol, published)
    record = {"schema": SCHEMA, "protocol_id": protocol_id, "protocol_sha256": protocol.sha256, "time": now()}
    write_file(root / PROTOCOLS / protocol_id / REVEALED_NAME, yaml_text(record).encode())
    return Reveal(protocol_id=protocol_id, sha256=protocol.sha256, opened=opened, reports=len(unit.reports))


def _open(protocol: VerifiedProtocol, published: str) -> int:
    """Check the published commitments against the files, and return how many there are."""
    path = f"{EVIDENCE}/{protocol.protocol_id}/{COMMITMENTS_NAME}"
    with open_source(published) as source:
        site, _ = read_site(source)
        listed = site.by_path.get(path)
        if listed is None:
            raise Misuse(f"{published} holds no commitments of {protocol.protocol_id}")
        file = source.read(path, listed.size + 1)
    sources: Mapping[str, SourceFile] = protocol.sources
    found = list(find_unopened(file.data, sources, path))
    identity = site.protocols.get(protocol.protocol_id)
    if identity != protocol.sha256:
        found.append(Refusal(slug="protocol-drift", file=path, expected=identity or "none", found=protocol.sha256))
    if file.sha256 != listed.sha256:
        found.append(Refusal(slug="site-drift", file=path, expected=listed.sha256, found=file.sha256))
    if found:
        raise Refused(found)
    return file.data.count(b"\n")
