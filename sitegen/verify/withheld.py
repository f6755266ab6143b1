"""Hidden test sets whose sealed files are not here: what can still be checked, from the report's own rows.

A public repository need not hold what its protocol does not publish, and neither does a published site. The sealed
document, the ledger, the manifest and the report are there at every level, so that every number on a page still follows
from rows that anybody can read; that the rows follow from the transcripts is then for a later reveal to show.

Builds and audits come here by the same way: through :mod:`sitegen.verify.verifier`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Literal

from sitegen.measure.intervals import Interval
from sitegen.measure.scorecard import CLUSTERED, Clustering, Estimate, Scorecard
from sitegen.measure.scoring import NEGATIVE, ORDINARY, satisfied
from sitegen.read.library import SOLVER_FOLDER, VERDICTS_NAME, RunFolder
from sitegen.read.protocol import SUMS_NAME
from sitegen.read.report import Report, TaskStated
from sitegen.read.transcript import TRANSCRIPTS_NAME
from sitegen.refusals import Refusal
from sitegen.verify.verified import VerifiedProtocol


def withheld_note(protocol: VerifiedProtocol) -> str | None:
    """Return in a sentence what is not here of a hidden test set; ``None`` where all sealed files are here."""
    if not protocol.withheld:
        return None
    missing, total = len(protocol.withheld), len(protocol.withheld) + len(protocol.files)
    named = "protocol.sums" if SUMS_NAME in protocol.sources else "the sealed document, which names them"
    return (
        f"sealed files withheld: {missing} of {total}. The others have the digests in {named}; those that are withheld"
        " are committed to in commitments.sums, and numbers are verified from the rows of the reports"
    )


def without_hidden(
    found: Iterable[Refusal], folder: RunFolder | None, level: Literal["full", "outcomes", "digests"]
) -> list[Refusal]:
    """Return ``found`` but for the absence of files of a run that the evidence level does not publish."""
    if folder is None or level == "full":
        return list(found)
    absent = {f"{folder.path}/{name}" for name in (TRANSCRIPTS_NAME, VERDICTS_NAME) if name not in folder.files}
    solver = {f"{folder.path}/{SOLVER_FOLDER}"} if level == "digests" and not folder.solver_files else set()
    return [
        fault
        for fault in found
        if not (fault.slug == "evidence-missing" and fault.file in absent)
        and not (fault.slug == "evidence-mismatch" and fault.file in solver)
    ]


def find_withheld_row_faults(protocol: VerifiedProtocol, report: Report, file: str) -> Iterator[Refusal]:
    """Yield where the rows cannot be those of the sealed pack: their number, their outcomes, the null pack's ids."""
    kinds: list[str] = [row.kind for row in report.tasks]
    seal = protocol.protocol.seal
    if len({row.id for row in report.tasks}) != len(kinds):
        yield Refusal(slug="outcome-duplicate", file=file, path="/tasks", expected="one row a task", found="two")
    for kind, size in (("ordinary", seal.n), ("negative", seal.n_negative)):
        if kinds.count(kind) != size:
            expected, found = f"{size} rows of {kind} tasks", str(kinds.count(kind))
            yield Refusal(slug="task-missing", file=file, path="/tasks", expected=expected, found=found)
    for index, row in enumerate(report.tasks):
        known = ORDINARY if row.kind == "ordinary" else NEGATIVE
        if row.outcome not in known:
            place, expected = f"/tasks/{index}/outcome", ", ".join(known)
            yield Refusal(slug="outcome-unknown", file=file, path=place, expected=expected, found=row.outcome)
    yield from _null_row_faults(protocol, report, file)


def _null_row_faults(protocol: VerifiedProtocol, report: Report, file: str) -> Iterator[Refusal]:
    rules = protocol.protocol.null_pack.rules
    ruled = {row_id: name for name in rules.__struct_fields__ for row_id in getattr(rules, name)}
    if sorted((row.id, row.expected_class) for row in report.null_pack_rows) != sorted(ruled.items()):
        expected = "one row for each id of the rules"
        yield Refusal(slug="null-row-missing", file=file, path="/null_pack_rows", expected=expected, found="others")
    for row in report.null_pack_rows:
        if not satisfied(row.expected_class, row.observed):
            place, expected = f"null-pack row {row.id}", row.expected_class
            yield Refusal(slug="null-pack-claim-only", file=file, path=place, expected=expected, found=row.observed)


def find_other_tasks(rows: tuple[TaskStated, ...], first: tuple[TaskStated, ...], file: str) -> Iterator[Refusal]:
    """Yield where a report's tasks are not those of the protocol's ``first`` report: both sat the same exam."""
    for index, (row, other) in enumerate(zip(rows, first, strict=True)):
        if (row.id, row.kind) != (other.id, other.kind):
            expected, found = f"{other.id} ({other.kind}), as in the other reports", f"{row.id} ({row.kind})"
            yield Refusal(slug="task-unknown", file=file, path=f"/tasks/{index}", expected=expected, found=found)
            return


def clustered_as_stated(card: Scorecard, report: Report, file: str) -> tuple[Scorecard, list[Refusal]]:
    """Return ``card`` with the report's own intervals over clusters, and where those cannot be of these rates.

    Which tasks share a cluster is withheld with the dataset, so that the intervals cannot be computed again.
    """
    found: list[Refusal] = []

    def stated(rate: Estimate, prefix: str) -> Estimate:
        low, high = getattr(report, f"{prefix}ci95")
        clusters, n_eff = getattr(report, f"{prefix}clusters"), getattr(report, f"{prefix}n_eff")
        if clusters is None or n_eff is None or not 2 <= clusters <= rate.n or not low <= rate.rate <= high:
            path, expected = f"/{prefix}ci95", f"an interval over clusters, around {rate.k}/{rate.n}"
            given = f"[{low}, {high}], {clusters} clusters, worth {n_eff} tasks"
            found.append(Refusal(slug="interval-mismatch", file=file, path=path, expected=expected, found=given))
            return rate
        interval = Interval(low=low, high=high, method=CLUSTERED)
        clustering = Clustering(clusters=clusters, n_eff=n_eff)
        return dataclasses.replace(rate, interval=interval, bootstrap=None, clustering=clustering)

    card = dataclasses.replace(
        card,
        success=stated(card.success, ""),
        abstention=stated(card.abstention, "abstention_"),
        invalid=stated(card.invalid, "invalid_completion_"),
        false_abstention=stated(card.false_abstention, "false_abstention_"),
    )
    return card, found
