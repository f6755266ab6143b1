"""Whether the signatures that a site's settings ask for are there and hold, and its timestamps too."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from sitegen.digests import Digest
from sitegen.read.files import SourceFile
from sitegen.refusals import Refusal, hardest_first
from sitegen.verify.signatures import (
    STAMP_SUFFIX,
    by_event,
    find_signature_faults,
    find_stamp_faults,
    find_stray_signatures,
)
from sitegen.verify.verified import RefusedRun, Stamp, VerifiedUnit


def with_signatures(
    unit: VerifiedUnit, sources: Sequence[SourceFile], signers: Sequence[str], authorities: Sequence[SourceFile] = ()
) -> VerifiedUnit:
    """Return ``unit`` with its signatures and who made them; refused, with its runs, where one is missing or invalid.

    Without ``signers`` in the settings nothing is asked and nothing is verified; what is there is published as it is.
    So it is with timestamps and ``authorities``, but that no event needs one.
    """
    signatures, stamp_files = by_event(sources), by_event(sources, STAMP_SUFFIX)
    found = list(find_stray_signatures(unit.ledger, sources))
    made_by: dict[Digest, str] = {}
    stamps: dict[Digest, Stamp] = {}
    if signers:
        made_by = _made_by(unit, signatures, signers)
        found += find_signature_faults(unit.protocol_id, unit.ledger, signatures, made_by)
    if authorities:
        stamps = _stamps(unit, stamp_files, authorities)
        found += find_stamp_faults(unit.protocol_id, stamp_files, stamps)
    if found:
        return _kept_out(unit, found)
    return dataclasses.replace(unit, signatures=signatures, signers=made_by, stamp_files=stamp_files, stamps=stamps)


def _made_by(unit: VerifiedUnit, signatures: Mapping[Digest, SourceFile], signers: Sequence[str]) -> dict[Digest, str]:
    """Return who signed, by event, where the signature holds."""
    from sitegen.harness.signing import signer_of

    made_by: dict[Digest, str] = {}
    for digest, source in signatures.items():
        if digest in unit.ledger_files:
            time = unit.ledger.events[digest].time
            signer = signer_of(unit.ledger_files[digest].data, source.data, signers, time)
            made_by |= {} if signer is None else {digest: signer}
    return made_by


def _stamps(
    unit: VerifiedUnit, files: Mapping[Digest, SourceFile], authorities: Sequence[SourceFile]
) -> dict[Digest, Stamp]:
    """Return who witnessed what time, by event, where the timestamp holds; the first authority that holds is named."""
    from sitegen.harness.timestamps import stamped_at

    stamps: dict[Digest, Stamp] = {}
    for digest, source in files.items():
        for authority in authorities if digest in unit.ledger_files else ():
            time = stamped_at(unit.ledger_files[digest].data, source.data, authority.data)
            if time is not None:
                stamps.setdefault(digest, Stamp(time=time, authority=authority.path))
    return stamps


def _kept_out(unit: VerifiedUnit, found: Sequence[Refusal]) -> VerifiedUnit:
    """Return ``unit`` without its protocol and its reports, refused for what was ``found``."""
    kept_out = [
        RefusedRun(protocol_id=unit.protocol_id, run_id=report.run_id, route=report.report.route, refusals=tuple(found))
        for report in unit.reports
    ]
    refusals = tuple(hardest_first([*found, *unit.refusals]))
    return dataclasses.replace(unit, protocol=None, reports=(), refused=(*unit.refused, *kept_out), refusals=refusals)
