"""Make the pages of one unit: its files are judged, and what holds is rendered into the staging folder."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Sequence

from sitegen.digests import Digest, Listed
from sitegen.pipeline.cache import pack
from sitegen.pipeline.judging import judged, unreadable_unit
from sitegen.pipeline.standing import names_of, places_of
from sitegen.pipeline.units import UnitBuilt, UnitFacts, UnitMade, Workshop
from sitegen.present.brief import brief_of
from sitegen.present.claims import unit_claims
from sitegen.present.look import Look
from sitegen.present.page import LargePage, Page
from sitegen.present.page_check import find_page_faults
from sitegen.present.site import summary_of, unit_pages
from sitegen.present.summary import UnitSummary
from sitegen.read.library import UnitFiles
from sitegen.read.published import EVIDENCE
from sitegen.read.settings import Settings
from sitegen.refusals import Refusal, Refused, faults
from sitegen.verify.history import standing_of
from sitegen.verify.secrets import find_secrets_in
from sitegen.verify.verified import VerifiedUnit
from sitegen.write.listing import Block, blocks_of
from sitegen.write.staging import Staging


def make_unit(workshop: Workshop, files: UnitFiles, key: Digest) -> UnitBuilt:
    """Verify and render the protocol whose files these are, and remember what was made of it under ``key``.

    Raises:
        OSError: a page cannot be written.
    """
    unit = judged(workshop.inputs, files, workshop.witnessed)
    built = _made_of(workshop, unit, key)
    # A re-scored report rests on another protocol's files too, which this key does not name.
    if not any(event.start_sha256 for event in unit.ledger.events.values()):
        workshop.memory.put("made", key, built.made)
        workshop.memory.put("units", key, dataclasses.replace(built, made=None))
    return built


def make_unreadable(workshop: Workshop, protocol_id: str, refused: Refused) -> UnitBuilt:
    """Render what is to be said of a protocol whose files cannot be read. It is not remembered.

    Raises:
        OSError: a page cannot be written.
    """
    return _made_of(workshop, unreadable_unit(protocol_id, refused), "")


def find_own_faults(look: Look, page: Page) -> list[Refusal]:
    """Return what a page may not hold, where the owner's own templates could have put it there."""
    return find_page_faults(page) if look.overridden else []


def _made_of(workshop: Workshop, unit: VerifiedUnit, key: Digest) -> UnitBuilt:
    refusals = list(unit.all_refusals)
    base = UnitBuilt(
        facts=_facts(unit),
        standing=pack(standing_of(unit)),
        refusals=tuple(refusals),
        key=key,
        names=names_of(unit.protocol_id, ()),
    )
    if faults(refusals) and not workshop.accept:
        return base
    look, staging = workshop.look, workshop.staging
    before = staging.written
    summary = summary_of(look, unit)
    pages = list(unit_pages(look, unit, summary))
    secrets, warnings = _secrets(workshop.inputs.settings, pages)
    never = [*secrets, *(fault for page in pages for fault in find_own_faults(look, page))]
    if never:  # accepted or not: what is out cannot be called back
        return dataclasses.replace(base, refusals=(*refusals, *never))
    files = [_add(staging, page) for page in pages]
    blocks = blocks_of(files, [f"{place}/" for place in places_of(unit.protocol_id)])
    return dataclasses.replace(
        base,
        published=True,
        made=_made(look, unit, summary, blocks),
        warnings=tuple(warnings),
        count=len(files),
        names=names_of(unit.protocol_id, (file.path for file in files)),
        written=staging.written - before,
    )


def _made(look: Look, unit: VerifiedUnit, summary: UnitSummary, blocks: Sequence[Block]) -> UnitMade:
    in_family = look.relations.family_size(summary.protocol_id) > 1
    packed = zlib.compress(pack(summary), 1) if in_family else None
    claims = zlib.compress(unit_claims(unit), 1)
    return UnitMade(brief=brief_of(summary), summary=packed, claims=claims, blocks=tuple(blocks))


def _add(staging: Staging, page: Page) -> Listed:
    if isinstance(page, LargePage):
        return staging.add_parts(page.path, page.pieces())
    return staging.add(page.path, page.data)


def _secrets(settings: Settings, pages: Sequence[Page]) -> tuple[list[Refusal], list[str]]:
    """Return what looks like a secret in the evidence that would be published, and what is merely private."""
    allowed = frozenset(settings.allow_secrets)
    found: list[Refusal] = []
    warnings: list[str] = []
    for page in pages:
        if page.path.startswith(f"{EVIDENCE}/"):
            secrets, private = find_secrets_in(page.path, page.pieces(), allowed, settings.strict_privacy)
            found += secrets
            warnings += private
    return found, warnings


def _facts(unit: VerifiedUnit) -> UnitFacts:
    withdrawn = {event.run_id: digest for digest, event in unit.ledger.of("withdraw") if event.run_id is not None}
    return UnitFacts(
        protocol_id=unit.protocol_id,
        heads=unit.ledger.heads,
        protocol=None if unit.protocol is None else unit.protocol.sha256,
        reports={report.run_id: report.sha256 for report in unit.reports},
        withdrawn=withdrawn,
    )
