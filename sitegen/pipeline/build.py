"""Build a site.

The order:

1. open the inputs and the last published site;
2. for each protocol: read, verify, and — as long as nothing is at fault — turn it into pages beside the output;
3. judge the whole: stray files, history, secrets;
4. the pages over all protocols, and whether the templates are still what all pages were made of;
5. publish in one step, or write nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sitegen
from sitegen.digests import Digest, Listed, sha256
from sitegen.pipeline.cache import Memory, note_output, old_site, tool_digest
from sitegen.pipeline.inputs import Inputs, open_inputs
from sitegen.pipeline.units import UnitBuilt, UnitFacts, Workshop
from sitegen.present.look import Look, Relations
from sitegen.present.site import whole_pages
from sitegen.read.files import DOCUMENT_LIMIT, Tree
from sitegen.read.library import PROTOCOLS, REPORTS
from sitegen.read.protocol import SEALED_NAME, read_sealed
from sitegen.read.published import PublishedHistory, read_history
from sitegen.refusals import Refusal, Refused, faults, hardest_first
from sitegen.verify.history import find_history_faults
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """What is remembered of a whole site: how many files it has, and those that are of no single protocol."""

    count: int
    files: tuple[Listed, ...]


def build_site(
    root: Path,
    output: Path,
    *,
    previous: str | None = None,
    publish_accepted: bool = False,
    cache: Path | None = None,
    watch: Callable[[UnitBuilt], None] = lambda unit: None,
) -> Built:
    """Verify everything below ``root`` and publish the site in ``output``.

    Args:
        root: the site's folder.
        output: the folder to publish into; replaced in one step.
        previous: folder or address of the last published site; by default the settings' ``history``.
        publish_accepted: publish what holds though there are faults.
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
        history = _history(previous, inputs)
        old = old_site(publication.output, memory)
        workshop = Workshop(
            inputs=inputs,
            sealed=sealed,
            look=look,
            witnessed=frozenset() if history is None else history.all_events,
            accept=publish_accepted,
            staging=publication.staging,
            memory=memory,
            old=old,
        )
        units = _build_units(workshop, publication, watch)
        found = hardest_first([*inputs.faults, *(refusal for unit in units for refusal in unit.refusals)])
        if history is not None:
            found = hardest_first([*find_history_faults(history, [unit.standing for unit in units]), *found])
        if faults(found) and not publish_accepted:
            raise Refused(found)
        files, written = _finish(workshop, publication, units)
        published = [unit.facts for unit in units if unit.packed is not None]
        return Built(
            output=output,
            protocols=sum(facts.protocol is not None for facts in published),
            reports=sum(len(facts.reports) for facts in published),
            files=files,
            written=written,
            refusals=tuple(found),
            warnings=tuple(warning for unit in units for warning in unit.warnings),
        )


def _history(previous: str | None, inputs: Inputs) -> PublishedHistory | None:
    """Return what the last published site knew; the settings' folder is relative to the site's.

    Raises:
        Refused: ``history-unreadable``.
    """
    if previous is not None:
        return read_history(previous)
    stated = inputs.settings.history
    if stated is None:
        return None
    return read_history(stated if "://" in stated else str(inputs.root / stated))


def _build_units(
    workshop: Workshop, publication: Publication, watch: Callable[[UnitBuilt], None]
) -> Sequence[UnitBuilt]:
    units: list[UnitBuilt] = []
    try:
        with closing(workshop.build_all(workshop.inputs.ids)) as built:  # no worker may outlive an interrupt
            for unit in built:
                watch(unit)
                units.append(unit)
    except ChildProcessError:
        raise
    except OSError as error:
        raise publication.refused(error) from None
    return units


def _finish(workshop: Workshop, publication: Publication, units: Sequence[UnitBuilt]) -> tuple[int, int]:
    """Make the pages over all protocols and publish; return how many files the site has and how many are new."""
    memory, old, look = workshop.memory, workshop.old, workshop.look
    key = _whole_key(look, workshop.inputs, units)
    entry = memory.get("sites", key)
    same = isinstance(entry, _Whole) and entry.count == len(old.paths) and all(unit.kept for unit in units)
    if same and old.has_all(entry.files):
        return entry.count, 0  # the published site is this very site
    for unit in units:
        (publication.keep if unit.kept else publication.take)(unit.files)
    before = publication.staging.written
    summaries = [summary for unit in units if (summary := unit.summary) is not None]
    of_units = {file.path for unit in units for file in unit.files}
    found: list[Refusal] = []
    for page in whole_pages(look, summaries, publication.listing):
        found += workshop.page_faults(page)
        publication.add(page.path, page.data)
    found += look.drifted()
    if found:
        raise Refused(found)
    files = publication.publish(_site_facts(look, [unit.facts for unit in units]))
    written = publication.staging.written - before + sum(unit.written for unit in units)
    publication.clear()
    note_output(publication.output, files, memory)
    whole = tuple(file for file in files if file.path not in of_units)
    memory.put("sites", key, _Whole(count=len(files), files=whole))
    return len(files), written


def _whole_key(look: Look, inputs: Inputs, units: Sequence[UnitBuilt]) -> Digest:
    assets = {path: sha256(data) for path, data in look.assets.items()}
    parts = (tool_digest(), look.digest, assets, inputs.settings_sha256, [(unit.facts, unit.key) for unit in units])
    return sha256(repr(parts).encode("utf-8", "backslashreplace"))


def _open_look(inputs: Inputs, memory: Memory, relations: Relations) -> Look:
    overrides = inputs.root / TEMPLATES / "site"
    shipped_here = (inputs.root / "sitegen" / "__init__.py").is_file()
    return Look.open(
        inputs.settings,
        overrides if overrides.is_dir() and not shipped_here else None,
        None if memory.folder is None else memory.folder / "figures",
        relations,
        None if inputs.settings.logo is None else inputs.tree.read(inputs.settings.logo).data,
    )


def _relations(inputs: Inputs, memory: Memory) -> tuple[Mapping[str, Digest], Relations]:
    """Return the digest of each sealed protocol, and which family it belongs to and which it follows.

    What cannot be understood is left out of the relations, and what cannot be read of both.
    """
    place = sha256(str(inputs.root.absolute()).encode("utf-8", "surrogateescape"))
    known: dict[Digest, tuple[str, str | None]] = memory.get("relations", place) or {}
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
    memory.put("relations", place, seen)
    known_before = {later: earlier for later, earlier in follows.items() if earlier in family}
    return sealed, Relations(family_of=family, follows=known_before)


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
