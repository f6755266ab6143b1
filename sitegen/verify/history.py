"""What the last published site knew must still be there: every seal, every event, every report, equal or withdrawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sitegen.digests import Digest, sha256, sums_listing
from sitegen.read.ledger import Ledger
from sitegen.read.library import PROTOCOLS, REPORTS
from sitegen.read.protocol import COMMITMENTS_NAME
from sitegen.read.published import EVIDENCE, PublishedHistory
from sitegen.read.report import REPORT_NAME
from sitegen.refusals import Refusal
from sitegen.verify.chain import event_path
from sitegen.verify.commitments import commitments_of
from sitegen.verify.verified import VerifiedUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What now stands of one protocol, as far as history asks.

    Attributes:
        protocol_id: the label.
        identities: digests of the sealed documents that the ledger's seals name.
        events: digests of all events.
        reports: digests of the verified reports by run id.
        withdrawn: runs whose report the owner withdrew; all of them where the protocol was withdrawn.
        faulty: runs that are refused for a fault, which stands in the way of publishing by itself.
        commitments: digest of the list of commitments to a hidden test set; ``None`` where nothing is hidden now.
    """

    protocol_id: str
    identities: frozenset[Digest]
    events: frozenset[Digest] = field(repr=False)
    reports: Mapping[str, Digest]
    withdrawn: frozenset[str]
    faulty: frozenset[str]
    commitments: Digest | None = None


def standing_of(unit: VerifiedUnit) -> Standing:
    """Return what stands of a judged unit."""
    standing = published_standing(
        unit.protocol_id, unit.ledger, {report.run_id: report.sha256 for report in unit.reports}
    )
    commitments = {} if unit.protocol is None else commitments_of(unit.protocol)
    return dataclasses.replace(
        standing,
        faulty=frozenset(run.run_id for run in unit.refused if run.is_fault),
        commitments=sha256(sums_listing(commitments)) if commitments else None,
    )


def published_standing(protocol_id: str, ledger: Ledger, reports: Mapping[str, Digest]) -> Standing:
    """Return what stands of a protocol by its ledger and the reports that are shown."""
    named = {event.run_id for _, event in ledger.of("withdraw")}
    if None in named:  # the protocol itself, and with it every run
        named = {event.run_id for event in ledger.events.values()}
    return Standing(
        protocol_id=protocol_id,
        identities=frozenset(event.protocol_sha256 for _, event in ledger.of("seal")),
        events=frozenset(ledger.events),
        reports=reports,
        withdrawn=frozenset(run_id for run_id in named if run_id is not None),
        faulty=frozenset(),
    )


def find_history_faults(history: PublishedHistory, standings: Iterable[Standing]) -> list[Refusal]:
    """Return everything that the published site had and that is not there now, or is something else now."""
    now = {standing.protocol_id: standing for standing in standings}
    found: list[Refusal] = []
    for protocol_id in sorted({*history.site.heads, *history.site.protocols, *history.site.reports}):
        standing = now.get(protocol_id)
        if standing is None:
            expected = history.site.protocols.get(protocol_id, "the protocol with its ledger")
            file = f"{PROTOCOLS}/{protocol_id}"
            found.append(Refusal(slug="history-removed", file=file, expected=expected, found="nothing"))
            continue
        found += [
            *_resealed(history, standing),
            *_other_commitments(history, standing),
            *_forgotten_events(history, standing),
            *_forgotten_reports(history, standing),
        ]
    return found


def _resealed(history: PublishedHistory, standing: Standing) -> Iterator[Refusal]:
    published = history.site.protocols.get(standing.protocol_id)
    if published is not None and standing.identities and published not in standing.identities:
        file = f"{PROTOCOLS}/{standing.protocol_id}"
        found = min(standing.identities)
        yield Refusal(slug="protocol-id-resealed", file=file, expected=published, found=found)


def _other_commitments(history: PublishedHistory, standing: Standing) -> Iterator[Refusal]:
    """Yield where hidden files are committed to otherwise than before; that they were revealed since is no fault."""
    file = f"{EVIDENCE}/{standing.protocol_id}/{COMMITMENTS_NAME}"
    published, now = history.site.by_path.get(file), standing.commitments
    if published is not None and now not in (None, published.sha256):
        yield Refusal(slug="history-changed", file=file, expected=published.sha256, found=now)


def _forgotten_events(history: PublishedHistory, standing: Standing) -> Iterator[Refusal]:
    """Yield one refusal for each published head that is gone, or one for the rest of what is gone."""
    published = history.events.get(standing.protocol_id, frozenset())
    missing = published - standing.events
    if not missing:
        return
    # New events that do not descend from what was published are another history, not a shorter one.
    slug = "ledger-forked" if standing.events - published else "ledger-shortened"
    heads = [head for head in history.site.heads.get(standing.protocol_id, ()) if head in missing]
    for digest in heads or [min(missing)]:
        file = event_path(standing.protocol_id, digest)
        hint = f"{len(missing)} published events are not in the ledger"
        yield Refusal(slug=slug, file=file, expected=digest, found="no such event", hint=hint)


def _forgotten_reports(history: PublishedHistory, standing: Standing) -> Iterator[Refusal]:
    for run_id, digest in history.site.reports.get(standing.protocol_id, {}).items():
        file = f"{REPORTS}/{standing.protocol_id}/{run_id}/{REPORT_NAME}"
        now = standing.reports.get(run_id)
        if now is not None and now != digest:
            yield Refusal(slug="history-changed", file=file, expected=digest, found=now)
        elif now is None and run_id not in standing.withdrawn | standing.faulty:
            yield Refusal(slug="history-removed", file=file, expected=digest, found="no published report")
