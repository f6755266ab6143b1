"""Build a site.

The order:

1. open the inputs and the last published site;
2. for each protocol: read, verify, and — as long as nothing is at fault — turn it into pages beside the output;
3. judge the whole: stray files, history, secrets;
4. the pages over all protocols, and whether the templates are still what all pages were made of;
5. publish in one step, or write nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import sitegen
from sitegen.digests import Digest, sha256
from sitegen.pipeline.cache import FIGURES, Memory, tool_digest, unpack
from sitegen.pipeline.inputs import Inputs, history_of, open_inputs
from sitegen.pipeline.keeping import build_unit, link_unit, recalled
from sitegen.pipeline.standing import (
    WHOLE,
    Part,
    names_of,
    note_site,
    places_of,
    standing_site,
    unit_state,
    whole_state,
)
from sitegen.pipeline.units import UnitBuilt, UnitFacts, Workshop
from sitegen.pipeline.workers import side_by_side
from sitegen.present.look import Look, Relations
from sitegen.read.files import DOCUMENT_LIMIT, Tree
from sitegen.read.library import PROTOCOLS, REPORTS
from sitegen.read.protocol import SEALED_NAME, read_sealed
from sitegen.read.published import PublishedHistory
from sitegen.refusals import Refusal, Refused, faults, hardest_first
from sitegen.write.listing import paths_in
from sitegen.write.publish import Publication

TEMPLATES = "templates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A published site: what it shows and what it does not. ``refusals`` hold faults only if these were accepted.

    ``written`` counts the files that are new or changed; 0 where the published site was as it should be already.
    """

    output: Path
    protocols: int
    reports: int
    files: int
    written: int
    refusals: tuple[Refusal, ...] = field(repr=False)
    warnings: tuple[str, ...] = field(repr=False)


def build_site(
    root: Path,
    output: Path,
    *,
    previous: str | None = None,
    publish_accepted: bool = False,
    trust_stat: bool = False,
    cache: Path | None = None,
    watch: Callable[[UnitBuilt], None] = lambda unit: None,
) -> Built:
    """Verify everything below ``root`` and publish the site in ``output``.

    Args:
        root: the site's folder.
        output: the folder to publish into; replaced in one step.
        previous: folder or address of the last published site; by default the settings' ``history``.
        publish_accepted: publish what holds though there are faults.
        trust_stat: for a preview, do not read files of a protocol none of which changed in size, inode or time.
        cache: folder to remember units and figures in; without one every page is made anew.
        watch: told of each protocol when it was built.

    Raises:
        Refused: every refusal, when a fault stands in the way; nothing was written.
    """
    memory = Memory(cache)
    with Tree(root) as tree, Publication(output, (root / PROTOCOLS, root / REPORTS, root / TEMPLATES)) as publication:
        inputs = open_inputs(root, tree)
        sealed, relations = _relations(inputs, memory)
        look = _open_look(inputs, memory, relations)
        history = history_of(inputs, previous)
        workshop = Workshop(
            tool=tool_digest(),
            inputs=inputs,
            sealed=sealed,
            look=look,
            witnessed=frozenset() if history is None else history.all_events,
            compared=history is not None,
            accept=publish_accepted,
            staging=publication.staging,
            memory=memory,
            old=standing_site(publication.output, memory),
            trusted=(memory.get("inputs", _place(root)) or {}) if trust_stat else None,
        )
        units = _build_units(workshop, publication, watch)
        general = [*([] if history is None else _forgotten(history, units)), *inputs.faults]
        found = hardest_first([*general, *(refusal for unit in units for refusal in unit.refusals)])
        if faults(found) and not publish_accepted:
            raise Refused(found)
        withheld = (refusal for unit in units if not unit.published for refusal in unit.refusals)
        of_site = hardest_first([*general, *withheld])
        files, written = _finish(workshop, publication, units, of_site)
        if trust_stat:
            memory.put("inputs", _place(root), {unit.facts.protocol_id: unit.seen for unit in units if unit.seen})
        published = [unit.facts for unit in units if unit.published]
        return Built(
            output=output,
            protocols=sum(facts.protocol is not None for facts in published),
            reports=sum(len(facts.reports) for facts in published),
            files=files,
            written=written,
            refusals=tuple(found),
            warnings=tuple(warning for unit in units for warning in unit.warnings),
        )


def _build_units(
    workshop: Workshop, publication: Publication, watch: Callable[[UnitBuilt], None]
) -> Sequence[UnitBuilt]:
    units: list[UnitBuilt] = []
    building = side_by_side(partial(build_unit, workshop), workshop.inputs.ids)
    try:
        with closing(building) as built:  # no worker may outlive an interrupt
            for unit in built:
                watch(unit)
                units.append(unit)
    except ChildProcessError:
        raise
    except OSError as error:
        raise publication.refused(error) from None
    return units


def _forgotten(history: PublishedHistory, units: Iterable[UnitBuilt]) -> list[Refusal]:
    """Return what the published site had, and these units have no more."""
    from sitegen.verify.history import find_history_faults

    return find_history_faults(history, [unpack(unit.standing) for unit in units if unit.standing is not None])


def _finish(
    workshop: Workshop, publication: Publication, units: Sequence[UnitBuilt], of_site: Sequence[Refusal]
) -> tuple[int, int]:
    """Make the pages over all protocols and publish; return how many files the site has and how many are new."""
    ids, memory, old = workshop.inputs.ids, workshop.memory, workshop.old
    key = _whole_key(workshop, units, of_site)
    if all(unit.kept for unit in units) and old.holds_whole(ids, key):
        return sum(part.count for part in old.parts.values()), 0  # the published site is this very site
    from sitegen.pipeline.overall import add_overall_pages

    units = _recalled(workshop, publication, units)
    before = publication.staging.written
    made = [unit.made for unit in units if unit.made is not None]
    for part in made:
        publication.take(part.blocks)
    add_overall_pages(workshop, publication, made, of_site)
    count = publication.publish(_site_facts(workshop.look, [unit.facts for unit in units]))
    written = publication.staging.written - before + sum(unit.written for unit in units)

    def settle(unit: UnitBuilt) -> Part:
        protocol_id = unit.facts.protocol_id
        publication.clear_below(places_of(protocol_id))  # first: that a file has one link less changes its state
        blocks = () if unit.made is None else unit.made.blocks
        names = names_of(protocol_id, (path for block in blocks for path in paths_in(block)))
        return Part(key=unit.key, state=unit_state(publication.output, names), count=unit.count)

    parts = dict(zip(ids, side_by_side(settle, units), strict=True))
    publication.clear()
    whole = count - sum(part.count for part in parts.values())
    parts[WHOLE] = Part(key=key, state=whole_state(publication.output, ids), count=whole)
    note_site(publication.output, parts, memory)
    return count, written


def _recalled(workshop: Workshop, publication: Publication, units: Sequence[UnitBuilt]) -> list[UnitBuilt]:
    """Return the units, each with what was made of it, and link the files of those that are kept."""
    units = [recalled(workshop, unit) for unit in units]
    try:
        with closing(side_by_side(partial(link_unit, workshop), [unit for unit in units if unit.kept])) as linked:
            for _ in linked:
                pass
    except ChildProcessError:
        raise
    except OSError as error:
        raise publication.refused(error) from None
    return units


def _whole_key(workshop: Workshop, units: Sequence[UnitBuilt], of_site: Sequence[Refusal]) -> Digest:
    look = workshop.look
    assets = {path: sha256(data) for path, data in look.assets.items()}
    digest = hashlib.sha256(repr((workshop.tool, look.digest, assets, workshop.inputs.settings_sha256)).encode())
    for part in (of_site, *((unit.facts, unit.key) for unit in units)):
        digest.update(repr(part).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _open_look(inputs: Inputs, memory: Memory, relations: Relations) -> Look:
    overrides = inputs.root / TEMPLATES / "site"
    shipped_here = (inputs.root / "sitegen" / "__init__.py").is_file()
    return Look.open(
        inputs.settings,
        overrides if overrides.is_dir() and not shipped_here else None,
        None if memory.folder is None else memory.folder / FIGURES,
        relations,
        None if inputs.settings.logo is None else inputs.tree.read(inputs.settings.logo).data,
    )


def _relations(inputs: Inputs, memory: Memory) -> tuple[Mapping[str, Digest], Relations]:
    """Return the digest of each sealed protocol, and which family it belongs to and which it follows.

    What cannot be understood is left out of the relations, and what cannot be read of both.
    """
    known: dict[Digest, tuple[str, str | None]] = memory.get("relations", _place(inputs.root)) or {}
    seen: dict[Digest, tuple[str, str | None]] = {}
    sealed: dict[str, Digest] = {}
    family: dict[str, str] = {}
    follows: dict[str, str] = {}
    for protocol_id in inputs.ids:
        path = f"{PROTOCOLS}/{protocol_id}/{SEALED_NAME}"
        try:
            source = inputs.tree.read(path, DOCUMENT_LIMIT)
            sealed[protocol_id] = source.sha256
            if source.sha256 not in known:
                protocol = read_sealed(source).protocol
                known[source.sha256] = protocol.family_name, protocol.follows
        except Refused:
            continue  # a draft, or the verifier says why
        seen[source.sha256] = known[source.sha256]
        family[protocol_id], before = known[source.sha256]
        if before is not None:
            follows[protocol_id] = before
    memory.put("relations", _place(inputs.root), seen)
    known_before = {later: earlier for later, earlier in follows.items() if earlier in family}
    return sealed, Relations(family_of=family, follows=known_before)


def _place(root: Path) -> Digest:
    return sha256(str(root.absolute()).encode("utf-8", "surrogateescape"))


def _site_facts(look: Look, units: Iterable[UnitFacts]) -> Mapping[str, Any]:
    """Return what ``site.json`` says beside its list of files."""
    listed = list(units)
    return {
        "tool": f"sitegen {sitegen.__version__}",
        "look": look.digest,
        "heads": {unit.protocol_id: list(unit.heads) for unit in listed},
        "protocols": {unit.protocol_id: unit.protocol for unit in listed if unit.protocol is not None},
        "reports": {unit.protocol_id: unit.reports for unit in listed if unit.reports},
        "withdrawn": {unit.protocol_id: unit.withdrawn for unit in listed if unit.withdrawn},
    }
