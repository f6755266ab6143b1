"""Whether the signatures that a site's settings ask for are there and hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sitegen.read.files import SourceFile
from sitegen.refusals import hardest_first
from sitegen.verify.signatures import by_event, find_signature_faults, find_stray_signatures
from sitegen.verify.verified import RefusedRun, VerifiedUnit


def with_signatures(unit: VerifiedUnit, sources: Sequence[SourceFile], signers: Sequence[str]) -> VerifiedUnit:
    """Return ``unit`` with its signatures and who made them; refused, with its runs, where one is missing or invalid.

    Without ``signers`` in the settings nothing is asked and nothing is verified; what is there is published as it is.
    """
    signatures = by_event(sources)
    found = list(find_stray_signatures(unit.ledger, sources))
    made_by: dict[str, str] = {}
    if signers:
        from sitegen.harness.signing import signer_of

        for digest, source in signatures.items():
            if digest in unit.ledger_files:
                time = unit.ledger.events[digest].time
                signer = signer_of(unit.ledger_files[digest].data, source.data, signers, time)
                made_by |= {} if signer is None else {digest: signer}
        found += find_signature_faults(unit.protocol_id, unit.ledger, signatures, made_by)
    if not found:
        return dataclasses.replace(unit, signatures=signatures, signers=made_by)
    kept_out = [
        RefusedRun(protocol_id=unit.protocol_id, run_id=report.run_id, route=report.report.route, refusals=tuple(found))
        for report in unit.reports
    ]
    refusals = tuple(hardest_first([*found, *unit.refusals]))
    return dataclasses.replace(unit, protocol=None, reports=(), refused=(*unit.refused, *kept_out), refusals=refusals)
