"""What a build works on: the site's settings, its protocols, and what the last published site knew."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sitegen.digests import Digest
from sitegen.pipeline.signatures import with_signatures
from sitegen.present.prose import find_note_faults
from sitegen.read.address import is_address
from sitegen.read.files import DOCUMENT_LIMIT, SourceFile, Tree
from sitegen.read.ledger import Ledger
from sitegen.read.library import UnitFiles, gather_unit, parse_unit, protocol_ids, read_run, stray_files
from sitegen.read.published import PublishedHistory, read_history
from sitegen.read.settings import Settings, read_settings
from sitegen.refusals import Refusal, Refused
from sitegen.verify.rescored import Origins
from sitegen.verify.sealing import confusable_ids
from sitegen.verify.verified import VerifiedUnit
from sitegen.verify.verifier import verify_unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The inputs of one build, opened. ``faults`` concern the site as a whole.

    ``authorities`` are the certificates that the settings name to verify timestamps by.
    """

    root: Path
    tree: Tree = field(repr=False)
    settings: Settings
    settings_sha256: Digest | None
    authorities: tuple[SourceFile, ...]
    ids: tuple[str, ...]
    faults: tuple[Refusal, ...]


def open_inputs(root: Path, tree: Tree) -> Inputs:
    """Return the inputs below ``root``.

    Raises:
        Refused: the settings cannot be used, or name a certificate that is not there.
    """
    settings, digest = read_settings(tree)
    ids = protocol_ids(tree)
    return Inputs(
        root=root,
        tree=tree,
        settings=settings,
        settings_sha256=digest,
        authorities=tuple(tree.read(path, DOCUMENT_LIMIT) for path in settings.timestamp_authorities),
        ids=tuple(ids),
        faults=(*stray_files(tree), *confusable_ids(ids)),
    )


def history_of(inputs: Inputs, previous: str | None = None) -> PublishedHistory | None:
    """Return what the last published site knew: the one at ``previous``, by default the one that the settings name.

    The settings' folder is relative to the site's. Without either there is none.

    Raises:
        Refused: ``history-unreadable``.
    """
    if previous is not None:
        return read_history(previous)
    stated = inputs.settings.history
    if stated is None:
        return None
    return read_history(stated if is_address(stated) else str(inputs.root / stated))


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
