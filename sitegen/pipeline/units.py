"""One protocol with its runs, from its bytes to its pages: the unit of work of a build.

A unit is read, verified and rendered on its own and then forgotten: what is kept of it is small, so that memory hardly
grows with the site. On a large site two processes work on units side by side; the pages are the same.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sitegen.digests import Digest, Listed, sha256
from sitegen.pipeline.cache import Memory, pack, tool_digest
from sitegen.pipeline.inputs import Inputs, judged, unreadable_unit
from sitegen.pipeline.standing import StandingSite, input_state, places_of
from sitegen.present.brief import UnitBrief, brief_of
from sitegen.present.claims import unit_claims
from sitegen.present.look import Look
from sitegen.present.page import LargePage, Page
from sitegen.present.page_check import find_page_faults
from sitegen.present.site import summary_of, unit_pages
from sitegen.present.summary import UnitSummary
from sitegen.read.library import PROTOCOLS, UnitFiles, gather_unit
from sitegen.read.protocol import SEALED_NAME
from sitegen.read.published import EVIDENCE
from sitegen.refusals import Refusal, Refused, faults
from sitegen.verify.history import standing_of
from sitegen.verify.secrets import find_secrets_in
from sitegen.verify.verified import VerifiedUnit
from sitegen.write.listing import Block, blocks_of
from sitegen.write.staging import Staging


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFacts:
    """What ``site.json`` says of one protocol: digests only."""

    protocol_id: str
    heads: tuple[Digest, ...]
    protocol: Digest | None
    reports: dict[str, Digest]
    withdrawn: dict[str, Digest]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was found when a protocol's files were last hashed: their state, the digest of all of them, their events."""

    state: Digest
    contents: Digest
    events: tuple[Digest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitMade:
    """What was made of one protocol, as far as the rest of the site needs it, and its files' entries.

    ``summary`` is a packed and deflated summary; only a protocol of a family of several has one. ``claims`` are
    deflated too.
    """

    brief: UnitBrief
    summary: bytes | None
    claims: bytes = field(repr=False)
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitBuilt:
    """One protocol after its turn. ``published`` is false where a fault stands in the way.

    ``standing`` is a packed :class:`Standing`, left out where the site is not compared with a published one. ``key``
    is the digest of everything that the pages came from, and ``count`` the number of their files. The files of a
    ``kept`` unit stand in the published site and not in the staging folder, and what was made of it is in the cache.
    """

    facts: UnitFacts
    refusals: tuple[Refusal, ...]
    key: Digest
    standing: bytes | None = field(repr=False)
    published: bool = False
    made: UnitMade | None = field(default=None, repr=False)
    warnings: tuple[str, ...] = ()
    count: int = 0
    written: int = 0
    kept: bool = False
    seen: Seen | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What it takes to build a unit. ``accept`` publishes what holds though there are faults.

    ``sealed`` are the digests of the sealed documents that the look's relations were read from, ``witnessed`` the
    events of the published site that this one is ``compared`` with. ``trusted`` is ``None``
    where every file is hashed; else what is known of files whose state is still the same.
    """

    inputs: Inputs
    sealed: Mapping[str, Digest]
    look: Look
    witnessed: frozenset[Digest]
    compared: bool
    accept: bool
    staging: Staging = field(repr=False)
    memory: Memory
    old: StandingSite
    trusted: Mapping[str, Seen] | None = None

    def build(self, protocol_id: str, *, anew: bool = False) -> UnitBuilt:
        """Read, verify and render one protocol, or keep what was made of the very same bytes unless asked ``anew``.

        Raises:
            OSError: a page cannot be written.
        """
        state = None if self.trusted is None else input_state(self.inputs.root, protocol_id)
        seen = None if self.trusted is None else self.trusted.get(protocol_id)
        if seen is not None and seen.state == state and not anew:
            kept = self._kept(protocol_id, self._key(protocol_id, seen.contents, seen.events))
            if kept is not None:
                return self._sent(kept, seen)
        try:
            files = gather_unit(self.inputs.tree, protocol_id)
            self._check_generation(files)
        except Refused as refused:
            return self._sent(self._built(unreadable_unit(protocol_id, refused), ""), None)
        contents, events = _digest((files.digests, files.all_faults)), tuple(event.sha256 for event in files.ledger)
        key = self._key(protocol_id, contents, events)
        built = (None if anew else self._kept(protocol_id, key)) or self._made_anew(files, key)
        seen = None if state is None else Seen(state=state, contents=contents, events=events)
        return self._sent(built, seen)

    def _kept(self, protocol_id: str, key: Digest) -> UnitBuilt | None:
        """Return what the cache knows of a unit with this key, where its files stand in the published site."""
        entry = self.memory.get("units", key) if self.old.holds(protocol_id, key) else None
        return dataclasses.replace(entry, kept=True, written=0) if isinstance(entry, UnitBuilt) else None

    def _sent(self, built: UnitBuilt, seen: Seen | None) -> UnitBuilt:
        """Return what the build needs of a unit: all of them are at hand at once."""
        return dataclasses.replace(built, seen=seen, standing=built.standing if self.compared else None)

    def _made_anew(self, files: UnitFiles, key: Digest) -> UnitBuilt:
        unit = judged(self.inputs, files, self.witnessed)
        built = self._built(unit, key)
        # A re-scored report rests on another protocol's files too, which this key does not name.
        if not any(event.start_sha256 for event in unit.ledger.events.values()):
            self.memory.put("made", key, built.made)
            self.memory.put("units", key, dataclasses.replace(built, made=None))
        return built

    def recalled(self, unit: UnitBuilt) -> UnitBuilt:
        """Return a kept unit with what was made of it; where the cache lost that meanwhile, it is built anew.

        Raises:
            Refused: ``file-changed``; it would be built of other bytes than those that were judged.
        """
        if not unit.kept or not unit.published:
            return unit
        made = self.memory.get("made", unit.key)
        if isinstance(made, UnitMade):
            return dataclasses.replace(unit, made=made)
        built = self.build(unit.facts.protocol_id, anew=True)
        if built.key != unit.key:
            raise _changed(f"{PROTOCOLS}/{unit.facts.protocol_id}", "the same files throughout the build")
        return built

    def link(self, unit: UnitBuilt) -> None:
        """Link the files of a kept unit into the new site.

        Raises:
            OSError: they can be neither linked nor copied.
        """
        for place in places_of(unit.facts.protocol_id):
            self.staging.link(place)

    def _check_generation(self, files: UnitFiles) -> None:
        """Refuse a sealed protocol that is not the one whose place among the others was read (``file-changed``)."""
        source = None if files.protocol is None else files.protocol.files.get(SEALED_NAME)
        if (None if source is None else source.sha256) != self.sealed.get(files.protocol_id):
            raise _changed(f"{PROTOCOLS}/{files.protocol_id}/{SEALED_NAME}", "the same file throughout the build")

    def _built(self, unit: VerifiedUnit, key: Digest) -> UnitBuilt:
        refusals = list(unit.all_refusals)
        base = UnitBuilt(facts=_facts(unit), standing=pack(standing_of(unit)), refusals=tuple(refusals), key=key)
        if faults(refusals) and not self.accept:
            return base
        before = self.staging.written
        summary = summary_of(self.look, unit)
        pages = list(unit_pages(self.look, unit, summary))
        secrets, warnings = self._secrets(pages)
        never = [*secrets, *(fault for page in pages for fault in self.page_faults(page))]
        if never:  # accepted or not: what is out cannot be called back
            return dataclasses.replace(base, refusals=(*refusals, *never))
        files = list(map(self._add, pages))
        blocks = blocks_of(files, [f"{place}/" for place in places_of(unit.protocol_id)])
        return dataclasses.replace(
            base,
            published=True,
            made=self._made(unit, summary, blocks),
            warnings=tuple(warnings),
            count=len(files),
            written=self.staging.written - before,
        )

    def _made(self, unit: VerifiedUnit, summary: UnitSummary, blocks: Sequence[Block]) -> UnitMade:
        in_family = self.look.relations.family_size(summary.protocol_id) > 1
        packed = zlib.compress(pack(summary), 1) if in_family else None
        claims = zlib.compress(unit_claims(unit), 1)
        return UnitMade(brief=brief_of(summary), summary=packed, claims=claims, blocks=tuple(blocks))

    def _add(self, page: Page) -> Listed:
        if isinstance(page, LargePage):
            return self.staging.add_parts(page.path, page.pieces())
        return self.staging.add(page.path, page.data)

    def page_faults(self, page: Page) -> list[Refusal]:
        """Return what a page may not hold, where the owner's own templates could have put it there."""
        return find_page_faults(page) if self.look.overridden else []

    def _secrets(self, pages: Sequence[Page]) -> tuple[list[Refusal], list[str]]:
        """Return what looks like a secret in the evidence that would be published, and what is merely private."""
        settings = self.inputs.settings
        allowed = frozenset(settings.allow_secrets)
        found: list[Refusal] = []
        warnings: list[str] = []
        for page in pages:
            if page.path.startswith(f"{EVIDENCE}/"):
                secrets, private = find_secrets_in(page.path, page.pieces(), allowed, settings.strict_privacy)
                found += secrets
                warnings += private
        return found, warnings

    def _key(self, protocol_id: str, contents: Digest, events: Sequence[Digest]) -> Digest:
        """Return the digest of everything that the unit's pages are made of."""
        parts = (
            tool_digest(),
            self.look.digest,
            self.inputs.settings_sha256,
            [authority.sha256 for authority in self.inputs.authorities],
            self.accept,
            self.look.relations.around(protocol_id),
            sorted(event for event in events if event in self.witnessed),
            contents,
        )
        return _digest(parts)


def _changed(file: str, expected: str) -> Refused:
    return Refused([Refusal(slug="file-changed", file=file, expected=expected, found="a change")])


def _digest(value: object) -> Digest:
    return sha256(repr(value).encode("utf-8", "backslashreplace"))


def _facts(unit: VerifiedUnit) -> UnitFacts:
    withdrawn = {event.run_id: digest for digest, event in unit.ledger.of("withdraw") if event.run_id is not None}
    return UnitFacts(
        protocol_id=unit.protocol_id,
        heads=unit.ledger.heads,
        protocol=None if unit.protocol is None else unit.protocol.sha256,
        reports={report.run_id: report.sha256 for report in unit.reports},
        withdrawn=withdrawn,
    )
