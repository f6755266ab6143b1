"""The scorecard where a page's block cannot stand: one line of text, and its cells for tables in other languages.

Every form holds the whole scorecard; none can be made of a part of it.
"""

from __future__ import annotations

from sitegen.measure.scorecard import Estimate, Scorecard
from sitegen.present.summary import ReportSummary
from sitegen.present.wording import grouped

NAMES = ("Task success", "Abstention accuracy", "Invalid completion", "False abstention")
"""The four rates, in the order in which they are printed."""


def estimates(card: Scorecard) -> tuple[Estimate, Estimate, Estimate, Estimate]:
    """Return the four rates in the order of :data:`NAMES`."""
    return card.success, card.abstention, card.invalid, card.false_abstention


def rate_text(estimate: Estimate) -> str:
    """Return ``0.775 (31/40, 95% CI 0.624–0.877)``; says so where another method stands in for the sealed one."""
    low, high = estimate.bounds
    note = "" if estimate.bootstrap is None else f", {estimate.interval.method}"
    note += f", {estimate.cluster_note}" if estimate.cluster_note else ""
    return f"{estimate.text} ({estimate.k}/{estimate.n}, 95% CI {low}–{high}{note})"


def card_cells(report: ReportSummary) -> list[tuple[str, str]]:
    """Return every part of the scorecard as (name, text)."""
    card = report.card
    cells = [(name, rate_text(estimate)) for name, estimate in zip(NAMES, estimates(card), strict=True)]
    cells.append(("Null pack", f"{card.null_passed}/{len(card.null_rows)} rows as their class asks"))
    cells += [(line.name.capitalize(), line.value) for line in report.covariates.lines]
    cells.append(("Verification level", report.level))
    return cells


def card_text(report: ReportSummary) -> str:
    """Return the whole scorecard in one line, with its warnings and the report's digest."""
    parts = [f"{name} {text}" for name, text in card_cells(report)]
    if report.card.below_founding_floor:
        parts.append("below the founding floor")
    parts.append(f"report sha256 {report.sha256}")
    return "; ".join(parts)


def badge_lines(report: ReportSummary) -> list[str]:
    """Return the scorecard in lines short enough for a badge."""
    lines = [f"{name} {rate_text(estimate)}" for name, estimate in zip(NAMES, estimates(report.card), strict=True)]
    card = report.card
    lines.append(f"null pack {card.null_passed}/{len(card.null_rows)} · level: {report.level} · {report.witness}")
    lines.append(" · ".join(f"{line.name} {line.value}" for line in report.covariates.lines))
    digest = grouped(report.sha256)
    return [*lines, f"sha256 {digest[:39]}", f"{' ' * 7}{digest[40:]}"]
