"""A scorecard as lines of text: every rate with k/n and its interval, never one alone."""

from __future__ import annotations

from sitegen.measure.scorecard import Estimate, Scorecard


def scorecard_lines(card: Scorecard) -> list[str]:
    """Return the whole scorecard, one part a line."""
    retries, calls, clock = card.covariates.retries, card.covariates.tool_calls, card.covariates.wall_clock_sec
    lines = [
        _rate("task success", card.success),
        _rate("abstention accuracy", card.abstention),
        _rate("invalid completion", card.invalid),
        _rate("false abstention", card.false_abstention),
        f"{'null pack':<20} {card.null_passed}/{len(card.null_rows)} rows as their class asks",
        f"{'retries':<20} {_shown(retries.total)} in all",
        f"{'tool calls':<20} {_shown(calls.median)} median",
        f"{'wall-clock':<20} {_shown(clock.median)} s median, {clock.timeouts} timeouts",
    ]
    if card.below_founding_floor:
        lines.append("below the founding floor of 20 ordinary tasks and 10 negative controls")
    return lines


def _rate(name: str, part: Estimate) -> str:
    low, high = part.bounds
    method = ": ".join(filter(None, (part.interval.method, part.cluster_note)))
    return f"{name:<20} {part.text}  {part.k}/{part.n}  95% {low}-{high} ({method})"


def _shown(value: float | None) -> str:
    return "not recorded" if value is None else f"{value:g}"
