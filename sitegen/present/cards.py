"""The scorecard where a page's block cannot stand: one line of text, and its cells for tables in other languages.

Every form holds the whole scorecard; none can be made of a part of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sitegen.measure.scorecard import Estimate, Scorecard
from sitegen.present.summary import ReportSummary
from sitegen.present.wording import grouped

NAMES = ("Task success", "Abstention accuracy", "Invalid completion", "False abstention")
"""The four rates, in the order in which they are printed."""


def estimates(card: Scorecard) -> tuple[Estimate, Estimate, Estimate, Estimate]:
    """Return the four rates in the order of :data:`NAMES`."""
    return card.success, card.abstention, card.invalid, card.false_abstention


@dataclass(frozen=True, slots=True, kw_only=True)
class CardForms:
    """One report's scorecard as text. Made once a report by :func:`card_forms`: head, badge and citations all hold it.

    ``cells`` is every part as (name, text); ``line`` the whole in one line, with its warnings and the report's digest.
    """

    cells: tuple[tuple[str, str], ...]
    line: str


@lru_cache(maxsize=8192)
def rate_text(estimate: Estimate) -> str:
    """Return ``0.775 (31/40, 95% CI 0.624–0.877)``; says so where another method stands in for the sealed one."""
    low, high = estimate.bounds
    note = "" if estimate.bootstrap is None else f", {estimate.interval.method}"
    note += f", {estimate.cluster_note}" if estimate.cluster_note else ""
    return f"{estimate.text} ({estimate.k}/{estimate.n}, 95% CI {low}–{high}{note})"


def card_forms(report: ReportSummary) -> CardForms:
    """Return the whole scorecard of a report as text."""
    card = report.card
    cells = [(name, rate_text(estimate)) for name, estimate in zip(NAMES, estimates(card), strict=True)]
    cells.append(("Null pack", f"{card.null_passed}/{len(card.null_rows)} rows as their class asks"))
    cells += [(line.name.capitalize(), line.value) for line in report.covariates.lines]
    cells.append(("Verification level", report.level))
    parts = [f"{name} {text}" for name, text in cells]
    if card.below_founding_floor:
        parts.append("below the founding floor")
    parts.append(f"report sha256 {report.sha256}")
    return CardForms(cells=tuple(cells), line="; ".join(parts))


def badge_lines(report: ReportSummary, forms: CardForms) -> list[str]:
    """Return the scorecard in lines short enough for a badge."""
    lines = [f"{name} {text}" for name, text in forms.cells[: len(NAMES)]]
    card = report.card
    lines.append(f"null pack {card.null_passed}/{len(card.null_rows)} · level: {report.level} · {report.witness}")
    lines.append(" · ".join(f"{line.name} {line.value}" for line in report.covariates.lines))
    digest = grouped(report.sha256)
    return [*lines, f"sha256 {digest[:39]}", f"{' ' * 7}{digest[40:]}"]
