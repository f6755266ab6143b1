"""A report's pages: the scorecard, what was checked, and every task; and the tombstone of a withdrawn report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sitegen.digests import Digest
from sitegen.present.cards import CardForms
from sitegen.present.citing import citations
from sitegen.present.evidence import SOLVER_SUMS
from sitegen.present.head import plain_head, report_head
from sitegen.present.look import Look
from sitegen.present.page import Page
from sitegen.present.summary import ReportSummary, UnitSummary, has_report, report_page, was_withdrawn
from sitegen.present.tasks import PER_PAGE, TaskView, TaskViews, outcomes_of, pages_of
from sitegen.read.files import SourceFile
from sitegen.read.ledger import Ledger
from sitegen.read.transcript import TRANSCRIPTS_NAME
from sitegen.verify.verified import RefusedRun, VerifiedProtocol, VerifiedReport


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """One verified run with what several of its files are made of: its summary, its scorecard as text, its evidence.

    ``files`` are those that are published, by path below the run's evidence folder.
    """

    report: VerifiedReport
    summary: ReportSummary
    card: CardForms
    files: Mapping[str, SourceFile] = field(repr=False)


class RunFile(NamedTuple):
    """One file of the run: path below its evidence folder, size, digest; ``href`` is ``None`` where it is withheld."""

    path: str
    size: int
    sha256: Digest
    href: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """One task in the index by outcome: where it stands."""

    id: str
    href: str


def report_pages(
    look: Look, protocol: VerifiedProtocol, run: RunParts, ledger: Ledger, tasks: TaskViews
) -> Iterator[Page]:
    """Yield the page of a report, and further pages of tasks where there are many; ``tasks`` are the protocol's."""
    report, summary, card = run.report, run.summary, run.card
    views = tasks.of(report)
    chunks = list(pages_of(views))
    shared = {
        "summary": summary,
        "document": protocol.protocol,
        "evidence": protocol.level,
        "page_count": len(chunks),
        "per_page": PER_PAGE,
        "task_total": len(views),
    }
    yield Page(
        path=summary.page,
        data=look.render(
            "report.html",
            summary.page,
            head=report_head(look.settings, summary, card),
            report=report,
            views=chunks[0] if chunks else [],
            outcomes=outcomes_of(chunks[0]) if chunks else (),
            page_number=1,
            null_views=tasks.null_pack_of(report),
            index=_index(views) if len(chunks) > 1 else [],
            files=_files(run),
            solver_listing=_published(run, SOLVER_SUMS),
            transcripts=_published(run, TRANSCRIPTS_NAME),
            events=[(digest, event) for digest, event in ledger.ordered() if event.run_id == report.run_id],
            citations=citations(summary, card, look.settings),
            **shared,
        ),
    )
    for number, chunk in enumerate(chunks[1:], start=2):
        path = f"{summary.folder}/{page_name(number)}"
        title = f"Tasks, page {number} of {len(chunks)}: {summary.title} on {summary.protocol_title}"
        head = plain_head(look.settings, path, title, card.line)
        outcomes = outcomes_of(chunk)
        data = look.render("tasks.html", path, head=head, views=chunk, outcomes=outcomes, page_number=number, **shared)
        yield Page(path=path, data=data)


def withdrawn_page(look: Look, summary: UnitSummary, run: RefusedRun) -> Page:
    """Return the tombstone of a run that was withdrawn, or whose protocol was: id, dates and reason, and no number."""
    path = report_page(run.protocol_id, run.run_id)
    reported, alone, whole = has_report(run), was_withdrawn(run), summary.withdrawal
    what = f"{'The report of run' if reported else 'Run'} {run.run_id} under {run.protocol_id}"
    description = f"{what} was withdrawn{'' if alone else ' with its protocol'}."
    data = look.render(
        "withdrawn.html",
        path,
        head=plain_head(look.settings, path, f"Withdrawn: {run.run_id}", description),
        about=summary.protocol,
        run=run,
        reported=reported,
        alone=alone,
        whole=whole,
    )
    return Page(path=path, data=data)


def page_name(number: int) -> str:
    """Return the file name of a page of tasks."""
    return "index.html" if number == 1 else f"tasks-{number}.html"


def _index(views: Sequence[TaskView]) -> list[tuple[str, str, list[Indexed]]]:
    """Return (slice, outcome, tasks) for every outcome, in the order in which they first occur."""
    found: dict[tuple[str, str], list[Indexed]] = {}
    for place, view in enumerate(views):
        task = view.shown
        href = f"{page_name(place // PER_PAGE + 1)}#{task.anchor}"
        found.setdefault((task.kind, task.outcome), []).append(Indexed(id=task.id, href=href))
    return [(kind, outcome, tasks) for (kind, outcome), tasks in sorted(found.items(), key=_slice_first)]


def _slice_first(entry: tuple[tuple[str, str], list[Indexed]]) -> tuple[bool, str]:
    return entry[0][0] != "ordinary", entry[0][1]


def _published(run: RunParts, name: str) -> str | None:
    """Return where a file of the run's evidence folder stands; ``None`` where it is not published."""
    return f"{run.summary.evidence_folder}/{name}" if name in run.files else None


def _files(run: RunParts) -> list[RunFile]:
    return [
        RunFile(
            path=name,
            size=source.size,
            sha256=source.sha256,
            href=_published(run, name),
        )
        for name, source in {**run.report.folder.files, **run.files}.items()
    ]
