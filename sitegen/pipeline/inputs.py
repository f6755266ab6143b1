"""What a build works on: the site's settings, its protocols, and what the last published site knew."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sitegen.digests import Digest
from sitegen.read.address import is_address
from sitegen.read.files import DOCUMENT_LIMIT, SourceFile, Tree
from sitegen.read.library import find_strays, protocol_ids
from sitegen.read.names import confusable_ids
from sitegen.read.published import PublishedHistory, read_history
from sitegen.read.settings import Settings, read_settings
from sitegen.refusals import Refusal


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
        faults=(*find_strays(tree), *confusable_ids(ids)),
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
