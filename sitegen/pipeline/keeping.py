"""Build a unit, or keep what was made of the very same bytes, which is known as soon as they are hashed."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sitegen.digests import Digest, sha256
from sitegen.pipeline.standing import input_state, places_of
from sitegen.pipeline.units import Seen, UnitBuilt, UnitMade, Workshop
from sitegen.read.library import PROTOCOLS, UnitFiles, gather_unit
from sitegen.read.protocol import SEALED_NAME
from sitegen.refusals import Refusal, Refused


def build_unit(workshop: Workshop, protocol_id: str, *, anew: bool = False) -> UnitBuilt:
    """Read, verify and render one protocol, or keep what was made of the very same bytes unless asked ``anew``.

    Raises:
        OSError: a page cannot be written.
    """
    inputs, trusted = workshop.inputs, workshop.trusted
    state = None if trusted is None else input_state(inputs.root, protocol_id)
    seen = None if trusted is None else trusted.get(protocol_id)
    if seen is not None and seen.state == state and not anew:
        kept = _kept(workshop, protocol_id, _key(workshop, protocol_id, seen.contents, seen.events))
        if kept is not None:
            return _sent(workshop, kept, seen)
    try:
        files = gather_unit(inputs.tree, protocol_id)
        _check_generation(workshop, files)
    except Refused as refused:
        from sitegen.pipeline.making import make_unreadable

        return _sent(workshop, make_unreadable(workshop, protocol_id, refused), None)
    contents, events = _digest((files.digests, files.all_faults)), tuple(event.sha256 for event in files.ledger)
    key = _key(workshop, protocol_id, contents, events)
    built = None if anew else _kept(workshop, protocol_id, key)
    if built is None:
        from sitegen.pipeline.making import make_unit

        built = make_unit(workshop, files, key)
    return _sent(workshop, built, None if state is None else Seen(state=state, contents=contents, events=events))


def recalled(workshop: Workshop, unit: UnitBuilt) -> UnitBuilt:
    """Return a kept unit with what was made of it; where the cache lost that meanwhile, it is built anew.

    Raises:
        Refused: ``file-changed``; it would be built of other bytes than those that were judged.
    """
    if not unit.kept or not unit.published:
        return unit
    made = workshop.memory.get("made", unit.key)
    if isinstance(made, UnitMade):
        return dataclasses.replace(unit, made=made)
    built = build_unit(workshop, unit.facts.protocol_id, anew=True)
    if built.key != unit.key:
        raise _changed(f"{PROTOCOLS}/{unit.facts.protocol_id}", "the same files throughout the build")
    return built


def link_unit(workshop: Workshop, unit: UnitBuilt) -> None:
    """Link the files of a kept unit into the new site.

    Raises:
        OSError: they can be neither linked nor copied.
    """
    for place in places_of(unit.facts.protocol_id):
        workshop.staging.link(place)


def _kept(workshop: Workshop, protocol_id: str, key: Digest) -> UnitBuilt | None:
    """Return what the cache knows of a unit with this key, where its files stand in the published site."""
    entry = workshop.memory.get("units", key) if workshop.old.knows(protocol_id, key) else None
    if not isinstance(entry, UnitBuilt) or not workshop.old.holds(protocol_id, key, entry.names):
        return None
    return dataclasses.replace(entry, kept=True, written=0)


def _sent(workshop: Workshop, built: UnitBuilt, seen: Seen | None) -> UnitBuilt:
    """Return what the build needs of a unit: all of them are at hand at once."""
    standing = built.standing if workshop.compared else None
    return dataclasses.replace(built, seen=seen, standing=standing, names=b"")


def _check_generation(workshop: Workshop, files: UnitFiles) -> None:
    """Refuse a sealed protocol that is not the one whose place among the others was read (``file-changed``)."""
    source = None if files.protocol is None else files.protocol.files.get(SEALED_NAME)
    if (None if source is None else source.sha256) != workshop.sealed.get(files.protocol_id):
        raise _changed(f"{PROTOCOLS}/{files.protocol_id}/{SEALED_NAME}", "the same file throughout the build")


def _key(workshop: Workshop, protocol_id: str, contents: Digest, events: Sequence[Digest]) -> Digest:
    """Return the digest of everything that the unit's pages are made of."""
    parts = (
        workshop.tool,
        workshop.look.digest,
        workshop.inputs.settings_sha256,
        [authority.sha256 for authority in workshop.inputs.authorities],
        workshop.accept,
        workshop.look.relations.around(protocol_id),
        sorted(event for event in events if event in workshop.witnessed),
        contents,
    )
    return _digest(parts)


def _changed(file: str, expected: str) -> Refused:
    return Refused([Refusal(slug="file-changed", file=file, expected=expected, found="a change")])


def _digest(value: object) -> Digest:
    return sha256(repr(value).encode("utf-8", "backslashreplace"))
