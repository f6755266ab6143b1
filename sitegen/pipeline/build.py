"""Build a site.

The order:

1. open the inputs and the last published site;
2. for each protocol: read, verify, and — as long as nothing is at fault — turn it into pages beside the output;
3. judge the whole: stray files, history, secrets;
4. the pages over all protocols;
5. publish in one step, or write nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sitegen
from sitegen.pipeline.inputs import Inputs, open_inputs, verified_units
from sitegen.present.look import Look, Relations
from sitegen.present.page import Page
from sitegen.present.site import UnitSummary, summarise, unit_pages, whole_pages
from sitegen.read.files import Tree
from sitegen.read.library import PROTOCOLS, REPORTS
from sitegen.read.protocol import SEALED_NAME, read_sealed
from sitegen.refusals import Refusal, Refused, faults, hardest_first
from sitegen.verify.verified import VerifiedUnit
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
    watch: Callable[[VerifiedUnit], None] = lambda unit: None,
) -> Built:
    """Verify everything below ``root`` and publish the site in ``output``.

    Args:
        root: the site's folder.
        output: the folder to publish into; replaced in one step.
        previous: folder or address of the last published site; by default the settings' ``history``.
        publish_accepted: publish what holds though there are faults.
        watch: told of each protocol when it was judged.

    Raises:
        Refused: every refusal, when a fault stands in the way; nothing was written.
    """
    with Tree(root) as tree, Publication(output, (root / PROTOCOLS, root / REPORTS, root / TEMPLATES)) as publication:
        inputs = open_inputs(root, tree)
        look = _open_look(inputs)
        summaries: list[UnitSummary] = []
        found: list[Refusal] = list(inputs.faults)
        for unit in verified_units(inputs):
            watch(unit)
            found += unit.all_refusals
            if publish_accepted or not faults(found):
                _add(publication, unit_pages(look, unit))
                summaries.append(summarise(unit))
        found = hardest_first(found)
        if faults(found) and not publish_accepted:
            raise Refused(found)
        _add(publication, whole_pages(look, summaries, publication.listing))
        publication.publish(_facts(look, summaries))
        return Built(
            output=output,
            protocols=sum(summary.protocol is not None for summary in summaries),
            reports=sum(len(summary.reports) for summary in summaries),
            files=len(publication.listing),
            written=publication.written,
            refusals=tuple(found),
        )


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


def _add(publication: Publication, pages: Iterable[Page]) -> None:
    for page in pages:
        publication.add(page.path, page.data)


def _facts(look: Look, summaries: Iterable[UnitSummary]) -> Mapping[str, Any]:
    """Return what ``site.json`` says beside its list of files."""
    listed = list(summaries)
    return {
        "tool": f"sitegen {sitegen.__version__}",
        "look": look.digest,
        "heads": {unit.protocol_id: list(unit.heads) for unit in listed},
        "protocols": {unit.protocol_id: unit.protocol.sha256 for unit in listed if unit.protocol is not None},
        "reports": {
            unit.protocol_id: {report.run_id: report.sha256 for report in unit.reports}
            for unit in listed
            if unit.reports
        },
        "withdrawn": {unit.protocol_id: dict(unit.withdrawn) for unit in listed if unit.withdrawn},
    }
