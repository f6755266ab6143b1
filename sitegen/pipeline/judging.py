"""Judge protocols among the inputs of a site: each with its ledger, runs, notes and signatures."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import partial

from sitegen.digests import Digest
from sitegen.pipeline.inputs import Inputs
from sitegen.pipeline.signatures import with_signatures
from sitegen.present.prose import find_note_faults
from sitegen.read.files import SourceFile
from sitegen.read.ledger import Ledger
from sitegen.read.library import UnitFiles, gather_unit, parse_unit, read_run
from sitegen.read.settings import Settings
from sitegen.refusals import Refused
from sitegen.verify.rescored import Origins
from sitegen.verify.verified import VerifiedUnit
from sitegen.verify.verifier import verify_unit


def verified_units(inputs: Inputs, witnessed: frozenset[Digest] = frozenset()) -> Iterator[VerifiedUnit]:
    """Yield every protocol, judged, one at a time and in the order of their ids."""
    return (verified_unit(inputs, protocol_id, witnessed) for protocol_id in inputs.ids)


def verified_unit(
    inputs: Inputs, protocol_id: str, witnessed: frozenset[Digest] = frozenset(), *, any_level: bool = False
) -> VerifiedUnit:
    """Return one protocol, judged; ``witnessed`` and ``any_level`` as :func:`verify_unit` takes them."""
    try:
        return judged(inputs, gather_unit(inputs.tree, protocol_id), witnessed, any_level=any_level)
    except Refused as refused:
        return unreadable_unit(protocol_id, refused)


def judged(
    inputs: Inputs, files: UnitFiles, witnessed: frozenset[Digest] = frozenset(), *, any_level: bool = False
) -> VerifiedUnit:
    """Return the protocol whose files these are, judged, with its notes.

    A run that was re-scored is looked up among the inputs.
    """
    origins = partial(read_run, inputs.tree)
    return judged_by(inputs.settings, inputs.authorities, files, origins, witnessed, any_level=any_level)


def judged_by(
    settings: Settings,
    authorities: tuple[SourceFile, ...],
    files: UnitFiles,
    origins: Origins,
    witnessed: frozenset[Digest] = frozenset(),
    *,
    any_level: bool = False,
) -> VerifiedUnit:
    """Return the protocol whose files these are, judged by a site's settings, without the site's other files.

    ``authorities`` are the certificates that the settings name; the rest as :func:`verify_unit` takes it.
    """
    unit = parse_unit(files)
    verified = verify_unit(unit, witnessed, any_level=any_level, origins=origins)
    notes = tuple(find_note_faults(None if files.protocol is None else files.protocol.notes))
    verified = dataclasses.replace(verified, refusals=(*verified.refusals, *notes))
    return with_signatures(verified, unit.signatures, settings.signers, authorities)


def unreadable_unit(protocol_id: str, refused: Refused) -> VerifiedUnit:
    """Return the unit of a folder that cannot be read at all."""
    return VerifiedUnit(
        protocol_id=protocol_id,
        protocol=None,
        reports=(),
        refused=(),
        refusals=refused.refusals,
        ledger=Ledger(events={}),
        ledger_files={},
    )
