"""What is not published, and why. Never a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sitegen.digests import is_digest
from sitegen.present.head import plain_head
from sitegen.present.look import Look
from sitegen.present.page import Page
from sitegen.present.summary import UnitSummary
from sitegen.present.wording import counted
from sitegen.refusals import MOST_SHOWN, Refusal
from sitegen.refusals.kinds import GROUPS
from sitegen.refusals.message import HINT_LENGTH, escape


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
    """A run, a protocol as a whole (``run_id`` is ``None``) or the site as a whole (both are) with its reasons.

    ``more`` counts the reasons that are left out.

    ``reason`` is what its owner stated at ``time``. ``rows`` are the ids of those that a run's end is about, which are
    of the null pack where ``gated``.
    """

    protocol_id: str | None = None
    run_id: str | None = None
    route: str | None = None
    reason: str | None = None
    time: str | None = None
    rows: tuple[str, ...] = ()
    gated: bool = False
    lines: tuple[RefusalLine, ...]
    more: int


def refused_page(look: Look, subjects: Sequence[RefusedSubject], of_site: Sequence[Refusal]) -> Page:
    """Return the list of everything that is not published, with its reason, and the explanation of every reason.

    ``of_site`` are reasons that none of the ``subjects`` has, such as a file that belongs nowhere.
    """
    path = "refused/index.html"
    head = plain_head(look.settings, path, "Refused", "Every run that is not published, and why. Never a figure.")
    runs = sum(subject.run_id is not None for subject in subjects)
    named = ((runs, "run"), (len(subjects) - runs, "protocol"))
    counts = " and ".join(counted(count, noun) for count, noun in named if count)
    whole = _as_subject(of_site) if of_site else None
    data = look.render("refused.html", path, head=head, whole=whole, subjects=subjects, counts=counts, groups=GROUPS)
    return Page(path=path, data=data)


def refused_protocol_page(look: Look, summary: UnitSummary) -> Page:
    """Return the page of a sealed protocol that is refused: its reasons and the ids of its runs, and no figure.

    A site that is published in spite of faults has it, so that what led to the protocol still leads somewhere.
    """
    path = f"protocols/{summary.protocol_id}/index.html"
    description = f"The protocol {summary.protocol_id} is refused; no number of a run under it is shown."
    head = plain_head(look.settings, path, f"Refused: {summary.protocol_id}", description)
    subject, *_ = refused_subjects(summary)
    data = look.render("refused_protocol.html", path, head=head, subject=subject, runs=summary.refused)
    return Page(path=path, data=data)


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
            hint=None if refusal.hint is None else escape(refusal.hint, HINT_LENGTH),
            remedy=refusal.kind.remedy,
        )
        for refusal in refusals[:MOST_SHOWN]
    )


def refused_subjects(summary: UnitSummary) -> Iterator[RefusedSubject]:
    """Yield the protocol where it is refused, and each of its runs that is."""
    withheld, withdrawal = summary.protocol is None, summary.withdrawal
    if summary.refusals:
        yield replace(
            _as_subject(summary.refusals),
            protocol_id=summary.protocol_id,
            reason=None if withdrawal is None else withdrawal.reason,
            time=None if withdrawal is None else withdrawal.time,
        )
    for run in summary.refused:
        refusals = () if withheld and run.refusals == summary.refusals else run.refusals
        known = {None, *(refusal.slug for refusal in refusals)}  # a reason that is a slug is said by the slug
        stated = next((event for _, event in reversed(run.events) if event.reason not in known), None)
        yield replace(
            _as_subject(refusals),
            protocol_id=run.protocol_id,
            run_id=run.run_id,
            route=run.route,
            reason=None if stated is None else stated.reason,
            time=None if stated is None else stated.time,
            rows=tuple(row for _, event in run.events for row in event.rows or ()),
            gated=any(event.reason == "null-pack-failed" for _, event in run.events),
        )


def _as_subject(refusals: Sequence[Refusal]) -> RefusedSubject:
    return RefusedSubject(lines=refusal_lines(refusals), more=max(0, len(refusals) - MOST_SHOWN))
