"""What is not published, and why. Never a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitegen.digests import is_digest
from sitegen.present.head import plain_head
from sitegen.present.look import Look
from sitegen.present.page import Page
from sitegen.present.summary import UnitSummary
from sitegen.refusals import MOST_SHOWN, Refusal
from sitegen.refusals.kinds import GROUPS
from sitegen.refusals.message import escape


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalLine:
    """One refusal on the page: slug, place, digests where expected and found are digests, and the remedy. No figure."""

    slug: str
    recorded: bool
    file: str
    path: str
    expected: str | None
    found: str | None
    hint: str | None
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedSubject:
    """A run, or a protocol as a whole (``run_id`` is ``None``), with its reasons; ``more`` counts those left out."""

    protocol_id: str
    run_id: str | None
    route: str | None
    reason: str | None
    time: str | None
    lines: tuple[RefusalLine, ...]
    more: int


def refused_page(look: Look, subjects: Sequence[RefusedSubject]) -> Page:
    """Return the list of everything that is not published, with its reason, and the explanation of every reason."""
    path = "refused/index.html"
    head = plain_head(look.settings, path, "Refused", "Every run that is not published, and why. Never a figure.")
    return Page(path=path, data=look.render("refused.html", path, head=head, subjects=subjects, groups=GROUPS))


def refusal_lines(refusals: Sequence[Refusal]) -> tuple[RefusalLine, ...]:
    """Return the refusals as lines for a page, at most :data:`MOST_SHOWN`."""
    return tuple(
        RefusalLine(
            slug=refusal.slug,
            recorded=refusal.recorded,
            file=escape(refusal.file),
            path=escape(refusal.path),
            expected=refusal.expected if is_digest(refusal.expected) else None,
            found=refusal.found if is_digest(refusal.found) else None,
            hint=None if refusal.hint is None else escape(refusal.hint, 400),
            remedy=refusal.kind.remedy,
        )
        for refusal in refusals[:MOST_SHOWN]
    )


def refused_subjects(summary: UnitSummary) -> Iterator[RefusedSubject]:
    """Yield the protocol where it is refused, and each of its runs that is."""
    withheld = summary.protocol is None
    if summary.refusals:
        yield RefusedSubject(
            protocol_id=summary.protocol_id,
            run_id=None,
            route=None,
            reason=next((event.reason for event in summary.happenings if event.reason and event.run_id is None), None),
            time=None,
            lines=refusal_lines(summary.refusals),
            more=max(0, len(summary.refusals) - MOST_SHOWN),
        )
    for run in summary.refused:
        refusals = () if withheld and run.refusals == summary.refusals else run.refusals
        stated = next(((event.reason, event.time) for _, event in reversed(run.events) if event.reason), (None, None))
        yield RefusedSubject(
            protocol_id=run.protocol_id,
            run_id=run.run_id,
            route=run.route,
            reason=stated[0],
            time=stated[1],
            lines=refusal_lines(refusals),
            more=max(0, len(refusals) - MOST_SHOWN),
        )
