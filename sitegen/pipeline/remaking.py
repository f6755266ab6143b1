"""The pages of a published site made again, from its evidence and its claims: none of its own pages is an input.

That needs the code, the libraries and the templates that made the site. Where they are others, or the site states no
claims, its pages are compared in fewer places; :func:`open_remaking` says why.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from sitegen.digests import Digest, Listed, sha256
from sitegen.pipeline.cache import engine_digest, pack, unpack
from sitegen.pipeline.standing import is_of
from sitegen.present.brief import UnitBrief, brief_of
from sitegen.present.exports import REPORTS as REPORTS_JSON
from sitegen.present.exports import reports_json
from sitegen.present.look import Look, Relations
from sitegen.present.overview import MOST_LISTED, Contents
from sitegen.present.page import Page
from sitegen.present.site import summary_of, unit_pages, whole_pages
from sitegen.present.summary import UnitSummary
from sitegen.read.claims import CLAIMS_PATH, ClaimedRefusal, Claims, UnitClaims, read_claims
from sitegen.read.files import SourceFile
from sitegen.read.library import Unit
from sitegen.read.published import Site
from sitegen.refusals import Refusal, Refused
from sitegen.refusals.kinds import KINDS
from sitegen.verify.chain import NO_HISTORY, histories_of
from sitegen.verify.signatures import STAMP_SUFFIX, by_event
from sitegen.verify.verified import RefusedRun, Stamp, VerifiedUnit

_NO_CLAIMS = UnitClaims()


@dataclass(slots=True, kw_only=True)
class Remaking:
    """The making of all pages, protocol by protocol.

    ``partly`` names the protocols whose pages show more than is published. Of some nothing can be made: a hidden test
    set whose tasks share clusters is compared by what only the dataset says. ``left_out`` are the files of these.
    """

    look: Look
    claims: Claims
    site: Site
    partly: set[str] = field(default_factory=set)
    left_out: set[str] = field(default_factory=set)
    _briefs: list[UnitBrief] = field(default_factory=list)
    _summaries: dict[str, bytes] = field(default_factory=dict)
    _made: list[Listed] = field(default_factory=list)

    def announced(self, protocol_id: str) -> frozenset[Digest]:
        """Return the starts that the site says were announced by an earlier one."""
        return frozenset(self._of(protocol_id).announced)

    def pages_of(self, unit: Unit, verified: VerifiedUnit) -> Iterator[Page]:
        """Yield every page and every piece of evidence of one protocol as the site must show it.

        Args:
            unit: as it was published.
            verified: the same, judged with :meth:`announced` events.
        """
        shown = with_claims(unit, verified, self._of(unit.protocol_id))
        if _is_partial(shown):
            self.partly.add(unit.protocol_id)
        summary = summary_of(self.look, shown)
        if _has_hidden_clusters(shown):
            own = [file for file in self.site.files if is_of(file.path, unit.protocol_id)]
            self.left_out.update(file.path for file in own)
            self._made += [Listed(file.path, file.size, file.sha256) for file in own]
        else:
            for page in unit_pages(self.look, shown, summary):
                self._made.append(Listed(page.path, len(page.data), sha256(page.data)))
                yield page
        if unit.protocol_id in self.claims.protocols:  # else it had faults for which nothing of it was published
            self._briefs.append(brief_of(summary))
            if self.look.relations.family_size(unit.protocol_id) > 1:
                self._summaries[unit.protocol_id] = zlib.compress(pack(summary), 1)

    def whole_pages(self) -> Iterator[Page]:
        """Yield every page that is of no single protocol; to be called when all protocols were made."""

        def recalled(protocol_id: str) -> UnitSummary:
            summary: UnitSummary = unpack(zlib.decompress(self._summaries[protocol_id]))
            return summary

        of_site = _refusals(self.claims.refusals)
        yield from whole_pages(self.look, self._briefs, of_site, self._contents(), recalled)
        yield Page(path=REPORTS_JSON, data=b"".join(reports_json(brief.records for brief in self._briefs)))

    def find_claim_faults(self, verified: VerifiedUnit) -> Iterator[Refusal]:
        """Yield where the claims leave out a protocol, or a run without figures, or refuse a run that has figures."""
        stated = {run.run_id: run for run in self._of(verified.protocol_id).refused}
        place = f"/protocols/{verified.protocol_id}"
        if verified.ledger_files and verified.protocol_id not in self.claims.protocols:
            yield Refusal(slug="page-drift", file=CLAIMS_PATH, path=place, expected="this protocol", found="nothing")
            return
        for run in verified.refused:
            claimed = stated.get(run.run_id)
            slugs = set() if claimed is None else {refusal.slug for refusal in claimed.refusals}
            if claimed is None or (run.withdrawn and "report-withdrawn" not in slugs):
                path = f"{place}/refused/{run.run_id}"
                expected = "that it was withdrawn" if run.withdrawn else "why this run has no figures"
                yield Refusal(slug="page-drift", file=CLAIMS_PATH, path=path, expected=expected, found="nothing")
        for run_id in stated.keys() & {report.run_id for report in verified.reports}:
            path, expected = f"{place}/refused/{run_id}", "no reason against a run that has figures"
            yield Refusal(slug="page-drift", file=CLAIMS_PATH, path=path, expected=expected)

    def _of(self, protocol_id: str) -> UnitClaims:
        return self.claims.protocols.get(protocol_id, _NO_CLAIMS)

    def _contents(self) -> Contents:
        """Return the files of all protocols, which the pages over them list."""
        addressed = self.look.settings.base_url is not None
        return Contents(
            count=len(self._made),
            files=sorted(self._made) if len(self._made) <= MOST_LISTED else None,
            pages=[file.path for file in self._made if addressed and file.path.endswith(".html")],
        )


def open_remaking(
    site: Site,
    take: Callable[[str], SourceFile | None],
    documents: Mapping[str, tuple[str, str | None]],
    figures: Path | None,
) -> Remaking | str:
    """Return what makes a site's pages again; or in a clause, why they cannot be made here.

    Args:
        site: what the site says of itself.
        take: reads one of its files; ``None`` where there is none, or it cannot be read.
        documents: family, and version before, that each published sealed document names.
        figures: folder that keeps drawn charts by content, or ``None`` to keep none.
    """
    source = take(CLAIMS_PATH)
    if source is None:
        return f"it has no {CLAIMS_PATH} that can be read"
    try:
        claims = read_claims(source)
        known = all(refusal.slug in KINDS for refusal in _all_refusals(claims))
    except Refused as refused:
        return f"{CLAIMS_PATH} cannot be understood: {refused}"
    if claims.engine != engine_digest() or not known:
        return "another sitegen made it, or one with other libraries"
    look = Look.open(claims.settings, None, figures, _relations(claims, documents))
    if look.digest != site.look:
        return "it was made of other templates"
    if claims.settings.logo is not None:
        suffix = PurePosixPath(claims.settings.logo).suffix
        logo = take(f"{look.asset_folder}/logo{suffix}")
        look = Look.open(claims.settings, None, figures, look.relations, None if logo is None else logo.data)
    return Remaking(look=look, claims=claims, site=site)


def with_claims(unit: Unit, verified: VerifiedUnit, claims: UnitClaims) -> VerifiedUnit:
    """Return what was verified of a published protocol together with what its site claims of it."""
    histories = defaultdict(lambda: NO_HISTORY, histories_of(verified.ledger))
    signatures, stamp_files = by_event(unit.signatures), by_event(unit.signatures, STAMP_SUFFIX)
    return replace(
        verified,
        refusals=_refusals(claims.refusals),
        refused=tuple(
            RefusedRun(
                protocol_id=verified.protocol_id,
                run_id=run.run_id,
                route=start[1].route if (start := histories[run.run_id].start) else None,
                refusals=_refusals(run.refusals),
                events=histories[run.run_id].events,
            )
            for run in claims.refused
        ),
        signatures=signatures,
        signers={event: signer for event, signer in claims.signers.items() if event in signatures},
        stamp_files=stamp_files,
        stamps={
            event: Stamp(time=stamp.time, authority=stamp.authority)
            for event, stamp in claims.stamps.items()
            if event in stamp_files
        },
    )


def _has_hidden_clusters(unit: VerifiedUnit) -> bool:
    protocol = unit.protocol
    return protocol is not None and bool(protocol.withheld) and protocol.protocol.dataset.cluster is not None


def _is_partial(unit: VerifiedUnit) -> bool:
    """Tell whether the publisher may have had files that are not published, and showed what they say."""
    hidden = unit.protocol is not None and unit.protocol.level != "full"
    return hidden or not all(report.manifest.publish_solver for report in unit.reports)


def _relations(claims: Claims, documents: Mapping[str, tuple[str, str | None]]) -> Relations:
    """Return the relations between protocols: as their sealed documents say, and as claimed where none is published."""
    places = {protocol_id: (place.family, place.follows) for protocol_id, place in claims.places.items()}
    places |= {protocol_id: place for protocol_id, place in documents.items() if protocol_id in places}
    return Relations(
        family_of={protocol_id: family for protocol_id, (family, _) in places.items()},
        follows={
            protocol_id: before
            for protocol_id, (_, before) in places.items()
            if before is not None and before in places
        },
    )


def _all_refusals(claims: Claims) -> Iterator[ClaimedRefusal]:
    yield from claims.refusals
    for unit in claims.protocols.values():
        yield from unit.refusals
        for run in unit.refused:
            yield from run.refusals


def _refusals(claimed: tuple[ClaimedRefusal, ...]) -> tuple[Refusal, ...]:
    return tuple(
        Refusal(slug=one.slug, file=one.file, path=one.path, expected=one.expected, found=one.found, hint=one.hint)
        for one in claimed
    )
