"""Evidence whose tasks and answers are withheld: what can still be checked of it, from the report's own rows.

The sealed document, the ledger, the manifest and the report are published at every level, so that every number on a
page still follows from published rows; that the rows follow from the transcripts is then for a later reveal to show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sitegen.measure.scorecard import Scorecard, scorecard_of
from sitegen.measure.scoring import NEGATIVE, ORDINARY, satisfied
from sitegen.read.library import RunFolder, Unit
from sitegen.read.protocol import SEALED_NAME, SealedDocument, read_sealed
from sitegen.read.report import REPORT_NAME, Report, read_report
from sitegen.refusals import Refusal, Refused
from sitegen.verify.chain import NO_HISTORY, RunHistory, find_chain_faults, histories_of
from sitegen.verify.evidence import binding_faults
from sitegen.verify.numbers import find_number_faults
from sitegen.verify.standing import check_place, manifest_of, start_faults


@dataclass(frozen=True, slots=True, kw_only=True)
class WithheldUnit:
    """What could be recomputed of a protocol's runs, by run id, and everything that speaks against it."""

    cards: Mapping[str, Scorecard] = field(repr=False)
    refusals: tuple[Refusal, ...]


def check_withheld(unit: Unit) -> WithheldUnit:
    """Check the published part of a protocol whose evidence level is not ``full``."""
    found = [*unit.faults, *find_chain_faults(unit.protocol_id, unit.ledger)]
    cards: dict[str, Scorecard] = {}
    try:
        document = _sealed(unit)
    except Refused as refused:
        return WithheldUnit(cards={}, refusals=(*found, *refused.refusals))
    histories = histories_of(unit.ledger)
    for folder in unit.runs:
        history = histories.get(folder.run_id, NO_HISTORY)
        try:
            card, faults = _check_run(document, folder, history)
            cards[folder.run_id] = card
            found += faults
        except Refused as refused:
            found += refused.refusals
    return WithheldUnit(cards=cards, refusals=tuple(found))


def _sealed(unit: Unit) -> SealedDocument:
    folder = unit.protocol
    source = folder.files.get(SEALED_NAME) if folder is not None else None
    if source is None:
        file = f"{unit.protocol_id}/{SEALED_NAME}"
        raise Refused([Refusal(slug="seal-missing", file=file, expected="a sealed protocol", found="nothing")])
    identities = {event.protocol_sha256 for _, event in unit.ledger.of("seal")}
    if source.sha256 not in identities:
        expected = min(identities, default="a seal event")
        raise Refused([Refusal(slug="protocol-drift", file=source.path, expected=expected, found=source.sha256)])
    return read_sealed(source)


def _check_run(document: SealedDocument, folder: RunFolder, history: RunHistory) -> tuple[Scorecard, list[Refusal]]:
    file = f"{folder.path}/{REPORT_NAME}"
    if REPORT_NAME not in folder.files:
        raise Refused([Refusal(slug="evidence-missing", file=file, expected="the report", found="nothing")])
    publish = document.protocol.publish
    report = read_report(folder.files[REPORT_NAME], publish.forbidden_fields)
    check_place(report, folder)
    manifest, found = manifest_of(folder)
    withheld = {f"{folder.path}/transcripts.jsonl", f"{folder.path}/solver"}
    found += [fault for fault in binding_faults(folder, history, manifest) if fault.file not in withheld]
    found += [*start_faults(report, folder, history), *_stated_digests(document, report, file)]
    rows = list(_row_faults(document, report, file))
    if rows:
        raise Refused([*found, *rows])
    card = scorecard_of(report.tasks, report.null_pack_rows, publish.ci_method)
    return card, [*found, *find_number_faults(report, card, publish, file)]


def _stated_digests(document: SealedDocument, report: Report, file: str) -> Iterator[Refusal]:
    protocol = document.protocol
    stated = (
        ("protocol-drift", "/protocol_sha256", report.protocol_sha256, document.sha256),
        ("dataset-drift", "/digests/dataset", report.digests.dataset, protocol.dataset.sha256),
        ("metric-drift", "/digests/metric", report.digests.metric, protocol.metric.sha256),
        ("null-pack-drift", "/digests/null_pack", report.digests.null_pack, protocol.null_pack.sha256),
    )
    for slug, path, found, expected in stated:
        if found != expected:
            yield Refusal(slug=slug, file=file, path=path, expected=expected, found=found)


def _row_faults(document: SealedDocument, report: Report, file: str) -> Iterator[Refusal]:
    """Yield where the rows cannot be those of the sealed pack: their number, their outcomes, the null pack's ids."""
    kinds: list[str] = [row.kind for row in report.tasks]
    seal, rules = document.protocol.seal, document.protocol.null_pack.rules
    if len({row.id for row in report.tasks}) != len(kinds):
        yield Refusal(slug="outcome-duplicate", file=file, path="/tasks", expected="one row a task", found="two")
    for kind, size in (("ordinary", seal.n), ("negative", seal.n_negative)):
        if kinds.count(kind) != size:
            expected, found = f"{size} rows of {kind} tasks", str(kinds.count(kind))
            yield Refusal(slug="task-missing", file=file, path="/tasks", expected=expected, found=found)
    for index, row in enumerate(report.tasks):
        if row.outcome not in (ORDINARY if row.kind == "ordinary" else NEGATIVE):
            place = f"/tasks/{index}/outcome"
            yield Refusal(slug="outcome-unknown", file=file, path=place, found=row.outcome)
    ruled = {row_id: name for name in rules.__struct_fields__ for row_id in getattr(rules, name)}
    if sorted((row.id, row.expected_class) for row in report.null_pack_rows) != sorted(ruled.items()):
        expected = "one row for each id of the rules"
        yield Refusal(slug="null-row-missing", file=file, path="/null_pack_rows", expected=expected, found="others")
    for stated in report.null_pack_rows:
        if not satisfied(stated.expected_class, stated.observed):
            place = f"null-pack row {stated.id}"
            yield Refusal(slug="null-pack-claim-only", file=file, path=place, found=stated.observed)
