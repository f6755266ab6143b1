"""Build a site.

The order:

1. open the inputs and the last published site;
2. for each protocol: read, verify, and — as long as nothing is at fault — turn it into pages beside the output;
3. judge the whole: stray files, history, secrets;
4. the pages over all protocols;
5. publish in one step, or write nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sitegen
from sitegen.pipeline.inputs import Inputs, open_inputs
from sitegen.pipeline.units import UnitBuilt, UnitFacts, Workshop
from sitegen.present.look import Look, Relations
from sitegen.present.site import whole_pages
from sitegen.read.files import Tree
from sitegen.read.library import PROTOCOLS, REPORTS
from sitegen.read.protocol import SEALED_NAME, read_sealed
from sitegen.refusals import Refusal, Refused, faults, hardest_first
from sitegen.write.publish import Publication

TEMPLATES = "templates"
CACHE = ".sitegen-cache"


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A published site: what it shows and what it does not. ``refusals`` hold faults only if these were accepted."""

    output: Path
    protocols: int
    reports: int
    files: int
    written: int
    refusals: tuple[Refusal, ...] = field(repr=False)


def build_site(
    root: Path,
    output: Path,
    *,
    previous: str | None = None,
    publish_accepted: bool = False,
    watch: Callable[[UnitBuilt], None] = lambda unit: None,
) -> Built:
    """Verify everything below ``root`` and publish the site in ``output``.

    Args:
        root: the site's folder.
        output: the folder to publish into; replaced in one step.
        previous: folder or address of the last published site; by default the settings' ``history``.
        publish_accepted: publish what holds though there are faults.
        watch: told of each protocol when it was built.

    Raises:
        Refused: every refusal, when a fault stands in the way; nothing was written.
    """
    with Tree(root) as tree, Publication(output, (root / PROTOCOLS, root / REPORTS, root / TEMPLATES)) as publication:
        inputs = open_inputs(root, tree)
        look = _open_look(inputs)
        workshop = Workshop(
            inputs=inputs, look=look, witnessed=frozenset(), accept=publish_accepted, staging=publication.staging
        )
        units = _build_units(workshop, publication, watch)
        found = hardest_first([*inputs.faults, *(refusal for unit in units for refusal in unit.refusals)])
        if faults(found) and not publish_accepted:
            raise Refused(found)
        summaries = [unit.summary for unit in units if unit.summary is not None]
        before = publication.staging.written
        for page in whole_pages(look, summaries, publication.listing):
            publication.add(page.path, page.data)
        publication.publish(_site_facts(look, [unit.facts for unit in units]))
        return Built(
            output=output,
            protocols=sum(summary.protocol is not None for summary in summaries),
            reports=sum(len(summary.reports) for summary in summaries),
            files=len(publication.listing),
            written=publication.staging.written - before + sum(unit.written for unit in units),
            refusals=tuple(found),
        )


def _build_units(
    workshop: Workshop, publication: Publication, watch: Callable[[UnitBuilt], None]
) -> Sequence[UnitBuilt]:
    units: list[UnitBuilt] = []
    try:
        for unit in workshop.build_all(workshop.inputs.ids):
            watch(unit)
            publication.take(unit.files)
            units.append(unit)
    except OSError as error:
        raise publication.refused(error) from None
    return units


def _open_look(inputs: Inputs) -> Look:
    overrides = inputs.root / TEMPLATES / "site"
    shipped_here = (inputs.root / "sitegen" / "__init__.py").is_file()
    return Look.open(
        inputs.settings,
        overrides if overrides.is_dir() and not shipped_here else None,
        inputs.root / CACHE,
        _relations(inputs),
        None if inputs.settings.logo is None else inputs.tree.read(inputs.settings.logo).data,
    )


def _relations(inputs: Inputs) -> Relations:
    """Return which family each sealed protocol belongs to and which it follows; what cannot be read is left out."""
    family: dict[str, str] = {}
    follows: dict[str, str] = {}
    for protocol_id in inputs.ids:
        path = f"{PROTOCOLS}/{protocol_id}/{SEALED_NAME}"
        if not inputs.tree.exists(path):
            continue
        try:
            protocol = read_sealed(inputs.tree.read(path)).protocol
        except Refused:
            continue  # the verifier says why
        family[protocol_id] = protocol.family_name
        if protocol.follows is not None:
            follows[protocol_id] = protocol.follows
    known = {later: earlier for later, earlier in follows.items() if earlier in family}
    return Relations(family_of=family, follows=known)


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
