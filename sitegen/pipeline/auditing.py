"""A reader's check of a published site, with sitegen's own code.

The order:

1. the two lists of the site, and that nothing was added or is missing;
2. every file beside the evidence: its size and digest (of a site whose pages cannot be made again, with step 4);
3. protocol by protocol: the published evidence is read and verified as a build would, and its pages are made again;
4. the pages over all protocols are made again, and whatever is not the page that was made is a fault;
5. against an older copy of the site: nothing that it had is gone or changed.

Pages can be made again by the sitegen that made them. Those of another one are compared in their scorecards alone.
Where anything else is at fault already, pages are not made: they would be of other evidence than the publisher's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from sitegen.digests import sha256
from sitegen.measure.scorecard import Scorecard
from sitegen.pipeline.remaking import Remaking, open_remaking
from sitegen.present import page_check
from sitegen.present.page import Page
from sitegen.read.address import is_address
from sitegen.read.claims import CLAIMS_PATH
from sitegen.read.files import SourceFile
from sitegen.read.library import Unit, parse_unit
from sitegen.read.protocol import COMMITMENTS_NAME, SALT_NAME, SEALED_NAME, read_sealed
from sitegen.read.published import (
    EVIDENCE,
    SITE_SUMS,
    PublishedFile,
    Site,
    SiteSource,
    evidence_of,
    open_source,
    read_history,
    read_site,
)
from sitegen.refusals import Misuse, Refusal, Refused, faults, hardest_first
from sitegen.verify.commitments import find_unopened
from sitegen.verify.figures import figures_in, find_export_faults, find_page_faults
from sitegen.verify.history import Standing, find_history_faults, published_standing
from sitegen.verify.published import (
    find_fact_faults,
    find_file_faults,
    find_list_faults,
    find_name_faults,
    find_sums_faults,
)
from sitegen.verify.verified import VerifiedUnit
from sitegen.verify.verifier import verify_unit

EXPORT = "data/reports.json"
_OF_EVIDENCE = (".html", ".csv", ".json", "/badge.svg", "feed.xml")
"""What files are called that may say something of evidence, and so of evidence that is not published."""
SUMS_LINE = 68
"""Bytes of a line of SHA256SUMS beside its path, rounded up."""

Watch = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What an audit found. ``faults`` is empty where all holds; ``unshown`` are runs of the ledger without figures.

    ``remade`` counts the pages and exports that were made again and are the same, byte for byte; ``partly`` those of
    which only the figures can be the same, since the publisher had more files than are published. ``unmade`` says in a
    clause why none was made again: the pages were then compared in their scorecards alone.
    """

    where: str
    files: int
    protocols: int
    reports: int
    remade: int
    partly: int
    unmade: str | None
    unshown: tuple[str, ...]
    faults: tuple[Refusal, ...] = field(repr=False)


@dataclass(slots=True, kw_only=True)
class _Audit:
    """One audit under way: what it reads, and what was recomputed and found so far."""

    source: SiteSource
    site: Site
    listed: Mapping[str, PublishedFile]
    evidence: Mapping[str, list[PublishedFile]]
    rescore: bool
    found: list[Refusal]
    remaking: Remaking | str = ""
    remade: set[str] = field(default_factory=set)
    partly: set[str] = field(default_factory=set)
    different: list[Refusal] = field(default_factory=list)
    cards: dict[str, dict[str, Scorecard]] = field(default_factory=dict)
    standings: list[Standing] = field(default_factory=list)
    unshown: list[str] = field(default_factory=list)

    def take(self, listed: PublishedFile) -> SourceFile | None:
        """Read one listed file and compare it with its entry; ``None`` where it cannot be read."""
        try:
            file = self.source.read(listed.path, 2 * listed.size + 1)
        except Refused as refused:
            self.found += [_unreadable(listed.path, refusal) for refusal in refused.refusals]
            return None
        self.found += find_file_faults(listed, file)
        return file

    def take_all(self, listed: Iterable[PublishedFile]) -> dict[str, SourceFile]:
        """Read several listed files, by path; those that cannot be read are left out."""
        return {file.path: file for file in map(self.take, listed) if file is not None}


def audit_site(
    where: str,
    previous: str | None = None,
    *,
    rescore: bool = False,
    figures: Path | None = None,
    watch: Watch = lambda step: None,
) -> Audited:
    """Check the published site at ``where``, a folder or an address.

    Args:
        where: the site.
        previous: an older copy of it, whose history must still be there.
        rescore: run the published metrics again over the published answers.
        figures: folder that keeps drawn charts by content, or ``None`` to keep none.
        watch: told of each step as it begins.

    Raises:
        Refused: there is no site to read.
        ConnectionError: the whole of it cannot be read now.
        Misuse: ``rescore`` of a site that is not a folder.
    """
    if rescore and is_address(where):
        raise Misuse("--rescore needs the site as a folder; fetch it first")
    with open_source(where) as source:
        watch("the lists of the site")
        audit = _begin(source, rescore)
        audit.remaking = _open_remaking(audit, figures)
        beside = [listed for listed in audit.site.files if not listed.path.startswith(f"{EVIDENCE}/")]
        if isinstance(audit.remaking, Remaking):  # else they are read once, when their scorecards can be looked at
            watch("files beside the evidence")
            audit.take_all(beside)
        for protocol_id in sorted({*audit.site.heads, *audit.site.protocols, *audit.site.reports, *audit.evidence}):
            watch(f"protocol {protocol_id}")
            _check_protocol(audit, protocol_id)
        watch("pages")
        _check_pages(audit, beside)
        if previous is not None:
            watch(f"history since {previous}")
            audit.found += find_history_faults(read_history(previous), audit.standings)
            _check_reveals(audit, previous)
    return Audited(
        where=where,
        files=len(audit.site.files),
        protocols=len(audit.site.protocols),
        reports=sum(map(len, audit.site.reports.values())),
        remade=len(audit.remade),
        partly=len(audit.partly),
        unmade=audit.remaking if isinstance(audit.remaking, str) else None,
        unshown=tuple(audit.unshown),
        faults=tuple(hardest_first(faults(audit.found))),
    )


def _begin(source: SiteSource, rescore: bool) -> _Audit:
    site, file = read_site(source)
    most = sum(len(listed.path.encode()) + SUMS_LINE for listed in site.files) + 2 * SUMS_LINE
    evidence: dict[str, list[PublishedFile]] = {}
    for listed in site.files:
        top, _, rest = listed.path.partition("/")
        if top == EVIDENCE:
            evidence.setdefault(rest.partition("/")[0], []).append(listed)
    found: list[Refusal] = []
    try:
        found += find_list_faults(site, file, source.read(SITE_SUMS, most))
    except Refused as refused:
        found += [_unreadable(SITE_SUMS, refusal) for refusal in refused.refusals]
    if source.names is not None:
        found += find_name_faults(site, source.names)
    return _Audit(source=source, site=site, listed=site.by_path, evidence=evidence, rescore=rescore, found=found)


def _check_protocol(audit: _Audit, protocol_id: str) -> None:
    files = audit.take_all(audit.evidence.get(protocol_id, ()))
    unit = parse_unit(evidence_of(audit.site, protocol_id, files))
    audit.found += [*find_sums_faults(audit.site, protocol_id, files), *find_fact_faults(audit.site, unit)]
    verified = _judge(audit, unit)
    if isinstance(audit.remaking, Remaking):
        audit.different += audit.remaking.find_claim_faults(verified)
        for page in () if faults(audit.found) else audit.remaking.pages_of(unit, verified):
            _compare(audit, page, partly=protocol_id in audit.remaking.partly)
    shown = audit.site.reports.get(protocol_id, {})
    listed = audit.listed.get(f"{EVIDENCE}/{protocol_id}/{COMMITMENTS_NAME}")
    standing = published_standing(protocol_id, unit.ledger, shown)
    standing = replace(standing, commitments=None if listed is None else listed.sha256)
    audit.standings.append(standing)
    started = {event.run_id for _, event in unit.ledger.of("start") if event.run_id is not None}
    audit.unshown += [f"{protocol_id}/{run_id}" for run_id in sorted(started - set(shown))]


def _judge(audit: _Audit, unit: Unit) -> VerifiedUnit:
    """Verify what is published; of a run that is not, only the ledger is here, and that is no fault of its own."""
    shown = audit.site.reports.get(unit.protocol_id, {})
    announced = audit.remaking.announced(unit.protocol_id) if isinstance(audit.remaking, Remaking) else frozenset()
    verified = verify_unit(unit, announced, published=True, origins=partial(_origin, audit))
    audit.found += _of_protocol(audit.site, verified)
    for run in verified.refused:
        if run.run_id in shown:
            audit.found += run.refusals if run.is_fault else [_not_publishable(unit.protocol_id, run.run_id)]
    for report in verified.reports:
        audit.cards.setdefault(report.run_id, {})[unit.protocol_id] = report.card
    if audit.rescore and verified.protocol is not None and not verified.protocol.withheld:
        from sitegen.harness.receipts import find_disagreements

        folder = Path(audit.source.where) / EVIDENCE / unit.protocol_id
        for report in verified.reports:
            audit.found += find_disagreements(verified.protocol, report, folder)
    return verified


def _of_protocol(site: Site, verified: VerifiedUnit) -> list[Refusal]:
    """Return what speaks against a protocol; of one that the site does not publish only the ledger is here."""
    if verified.protocol_id in site.protocols:
        return list(verified.refusals)
    return [refusal for refusal in verified.refusals if refusal.slug.startswith("ledger-")]


def _origin(audit: _Audit, protocol_id: str, run_id: str) -> Unit | None:
    """Return the published run that another protocol's report was scored again from."""
    if run_id not in audit.site.reports.get(protocol_id, {}):
        return None
    return parse_unit(evidence_of(audit.site, protocol_id, audit.take_all(audit.evidence.get(protocol_id, ()))))


def _open_remaking(audit: _Audit, figures: Path | None) -> Remaking | str:
    """Return what makes the pages again, or why they cannot be made."""

    def take(path: str) -> SourceFile | None:
        listed = audit.listed.get(path)
        return None if listed is None else audit.take(listed)

    documents: dict[str, tuple[str, str | None]] = {}
    for protocol_id in audit.site.protocols:
        source = take(f"{EVIDENCE}/{protocol_id}/{SEALED_NAME}")
        try:
            document = None if source is None else read_sealed(source).protocol
        except Refused:
            continue  # the verifier will say why
        if document is not None:
            documents[protocol_id] = document.family_name, document.follows
    return open_remaking(audit.site, take, documents, figures)


def _compare(audit: _Audit, page: Page, *, partly: bool) -> None:
    """Compare a page that was made again with the one that the site lists."""
    listed = audit.listed.get(page.path)
    digest = sha256(page.data)
    if listed is not None and listed.sha256 == digest:
        audit.remade.add(page.path)
        return
    source = None if listed is None or not partly or not page.path.endswith(_OF_EVIDENCE) else audit.take(listed)
    if source is not None and figures_in(page.path, source.data) == figures_in(page.path, page.data):
        audit.partly.add(page.path)
        return
    found = "no such file" if listed is None else listed.sha256
    audit.different.append(Refusal(slug="page-drift", file=page.path, expected=digest, found=found))


def _check_pages(audit: _Audit, beside: Sequence[PublishedFile]) -> None:
    """Make the pages over all protocols again, and look closer at what was not made again or is not the same."""
    if isinstance(audit.remaking, Remaking) and not faults(audit.found):
        for page in audit.remaking.whole_pages():
            _compare(audit, page, partly=bool(audit.remaking.partly))
        made = {*audit.remade, *audit.partly, *(fault.file for fault in audit.different)}
        made |= {CLAIMS_PATH, *audit.remaking.left_out}
        for listed in audit.site.files:
            if listed.path not in made:
                expected = "no such file: sitegen makes none there of this evidence"
                audit.different.append(Refusal(slug="page-drift", file=listed.path, expected=expected))
    unmade = isinstance(audit.remaking, str)
    other, closer = {fault.file for fault in audit.different}, set[str]()
    for listed in beside:
        shows = listed.path.endswith(".html") or listed.path == EXPORT
        if not unmade and (listed.path in audit.remade or not shows):
            continue  # it was read before
        file = audit.take(listed)
        if file is None or not shows:
            continue
        find = find_export_faults if listed.path == EXPORT else find_page_faults
        wrong = list(find(file, audit.cards))
        if file.path not in other:
            shape = page_check.find_page_faults(Page(path=file.path, data=file.data))
            wrong += [fault for fault in shape if not unmade or fault.slug == "page-remote"]  # else it has other rules
        audit.found += wrong
        closer |= {fault.file for fault in wrong}
    audit.found += [fault for fault in audit.different if fault.file not in closer]


def _check_reveals(audit: _Audit, previous: str) -> None:
    """Open what the older copy committed to, where the site now publishes it."""
    with open_source(previous) as source:
        old, _ = read_site(source)
        for protocol_id in old.protocols:
            listed = old.by_path.get(f"{EVIDENCE}/{protocol_id}/{COMMITMENTS_NAME}")
            root = f"{EVIDENCE}/{protocol_id}/"
            now = {file.path.removeprefix(root): file for file in audit.evidence.get(protocol_id, ())}
            if listed is None or SALT_NAME not in now:
                continue
            sealed = audit.take_all(now.values())
            files = {path.removeprefix(root): file for path, file in sealed.items()}
            audit.found += find_unopened(source.read(listed.path, listed.size + 1).data, files, listed.path)


def _unreadable(path: str, refusal: Refusal) -> Refusal:
    found = f"{refusal.slug}: {refusal.found}" if refusal.found else refusal.slug
    return Refusal(slug="site-drift", file=path, expected="a file that can be read", found=found)


def _not_publishable(protocol_id: str, run_id: str) -> Refusal:
    file = f"{EVIDENCE}/{protocol_id}/{run_id}"
    return Refusal(slug="site-drift", file=file, expected="a run that may be published", found="one that may not")
