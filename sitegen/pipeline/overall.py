"""Make the pages and exports over all protocols, of what was kept of each."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from sitegen.pipeline.cache import engine_digest, unpack
from sitegen.pipeline.making import find_own_faults
from sitegen.pipeline.units import UnitMade, Workshop
from sitegen.present.claims import claims_json
from sitegen.present.exports import REPORTS, reports_json
from sitegen.present.overview import MOST_LISTED, Contents
from sitegen.present.site import whole_pages
from sitegen.present.summary import UnitSummary
from sitegen.read.claims import CLAIMS_PATH
from sitegen.refusals import Refusal, Refused
from sitegen.write.listing import Block, listed_in, paths_in
from sitegen.write.publish import Publication


def add_overall_pages(
    workshop: Workshop, publication: Publication, made: Sequence[UnitMade], of_site: Sequence[Refusal]
) -> None:
    """Add the pages over all protocols; ``of_site`` are refusals that none of those has of which something was made.

    Raises:
        Refused: one may not be published, or a template changed since the first page was made of it.
    """
    look = workshop.look
    packed = {unit.brief.protocol_id: unit.summary for unit in made}

    def recalled(protocol_id: str) -> UnitSummary:
        summary: UnitSummary = unpack(zlib.decompress(packed[protocol_id] or b""))
        return summary

    found: list[Refusal] = []
    contents = _contents(publication.blocks, addressed=workshop.inputs.settings.base_url is not None)
    for page in whole_pages(look, [unit.brief for unit in made], of_site, contents, recalled):
        found += find_own_faults(look, page)
        publication.add(page.path, page.data)
    publication.add_parts(REPORTS, reports_json(unit.brief.records for unit in made))
    claims = ((unit.brief.protocol_id, zlib.decompress(unit.claims)) for unit in made)
    publication.add_parts(CLAIMS_PATH, claims_json(look, engine_digest(), of_site, claims))
    found += look.drifted()
    if found:
        raise Refused(found)


def _contents(blocks: Sequence[Block], *, addressed: bool) -> Contents:
    count = sum(block.count for block in blocks)
    return Contents(
        count=count,
        files=sorted(file for block in blocks for file in listed_in(block)) if count <= MOST_LISTED else None,
        pages=[path for block in blocks if addressed for path in paths_in(block) if path.endswith(".html")],
    )
