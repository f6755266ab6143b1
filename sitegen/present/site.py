"""All pages of a site, in two parts: those of one protocol, made while its evidence is at hand, and those of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from sitegen.present.brief import UnitBrief
from sitegen.present.cards import card_forms
from sitegen.present.citing import badge
from sitegen.present.every_eval_ever import every_eval_ever
from sitegen.present.evidence import evidence_pages, run_files
from sitegen.present.exports import protocol_csv
from sitegen.present.families import family_pages
from sitegen.present.feed import feed, headers, sitemap
from sitegen.present.look import Look
from sitegen.present.overview import Contents, audit_pages, home_pages, not_found_page
from sitegen.present.page import Page
from sitegen.present.protocol_page import protocol_pages
from sitegen.present.refused import refused_page, refused_protocol_page
from sitegen.present.report_page import RunParts, report_pages, withdrawn_page
from sitegen.present.statement import statement
from sitegen.present.summary import UnitSummary, summarise
from sitegen.present.tasks import TaskViews
from sitegen.read.ledger import Ledger
from sitegen.refusals import Refusal
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport, VerifiedUnit


def summary_of(look: Look, unit: VerifiedUnit) -> UnitSummary:
    """Return the summary of one protocol, as the pages of this site need it."""
    return summarise(unit, in_family=look.relations.family_size(unit.protocol_id) > 1)


def unit_pages(look: Look, unit: VerifiedUnit, summary: UnitSummary | None = None) -> Iterator[Page]:
    """Yield every page of one protocol: its own, its reports', its tombstones, its table, badges and evidence.

    Of one that is refused only a page that says so, and the ledger.

    Args:
        look: the look.
        unit: the protocol with its runs, judged.
        summary: of the unit, where it is at hand already.
    """
    summary = summary or summary_of(look, unit)
    runs: list[RunParts] = []
    if unit.protocol is not None:
        yield from protocol_pages(look, unit.protocol, unit.reports, summary)
        runs = _runs(unit.protocol, unit.reports, summary)
        yield from _run_pages(look, unit.protocol, runs, unit.ledger)
        for run in summary.withdrawn_runs:
            yield withdrawn_page(look, summary, run)
        yield protocol_csv(summary)
    elif unit.protocol_id in look.relations.family_of:  # it was sealed, so that other pages may lead to it
        yield refused_protocol_page(look, summary)
    yield from evidence_pages(unit, {run.report.run_id: run.files for run in runs})


def _runs(protocol: VerifiedProtocol, reports: Sequence[VerifiedReport], summary: UnitSummary) -> list[RunParts]:
    rows = {row.run_id: row for row in summary.reports}
    return [
        RunParts(
            report=report,
            summary=rows[report.run_id],
            card=card_forms(rows[report.run_id]),
            files=run_files(protocol, report),
        )
        for report in reports
    ]


def _run_pages(look: Look, protocol: VerifiedProtocol, runs: Sequence[RunParts], ledger: Ledger) -> Iterator[Page]:
    """Yield what stands in each run's own folder."""
    if not runs:
        return
    tasks = TaskViews(protocol)
    for run in runs:
        folder = run.summary.folder
        yield from report_pages(look, protocol, run, ledger, tasks)
        yield Page(path=f"{folder}/badge.svg", data=badge(run.summary, run.card))
        yield Page(path=f"{folder}/statement.json", data=statement(run.report, protocol))
        record = every_eval_ever(run.report, protocol, look.settings.organisation)
        yield Page(path=f"{folder}/every_eval_ever.json", data=record)


def whole_pages(
    look: Look,
    briefs: Sequence[UnitBrief],
    of_site: Sequence[Refusal],
    contents: Contents,
    recalled: Callable[[str], UnitSummary],
) -> Iterator[Page]:
    """Yield every page that is of no single protocol; the export of all reports is not among them.

    Args:
        look: the look.
        briefs: of every protocol in the order of their ids, refused ones and drafts included.
        of_site: refusals that are of none of these protocols.
        contents: what stands in the site already.
        recalled: returns the summary of a protocol, for the pages of families.
    """
    made = chain(
        home_pages(look, briefs),
        (refused_page(look, [subject for brief in briefs for subject in brief.subjects], of_site),),
        family_pages(look, briefs, recalled),
        audit_pages(look, briefs, contents),
    )
    paths = list(contents.pages)
    for page in made:
        paths.append(page.path)
        yield page
    yield not_found_page(look)
    published = feed(look.settings, (entry for brief in briefs for entry in brief.entries))
    if published is not None:
        yield published
    addresses = sitemap(look.settings, paths)
    if addresses is not None:
        yield addresses
    yield headers()
    for path, data in look.assets.items():
        yield Page(path=path, data=data)
