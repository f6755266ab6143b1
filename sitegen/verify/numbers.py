"""Every stated number against the one that the rows give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sitegen.measure.scorecard import Scorecard, claims_of
from sitegen.read.protocol import Publish
from sitegen.read.report import Report
from sitegen.refusals import Refusal

_RATES = frozenset(("mean", "false_abstention_rate", "abstention_accuracy", "invalid_completion_rate"))
_SIZES = frozenset(("n", "n_negative"))
_OPTIONAL = tuple(
    f"{prefix}{suffix}"
    for prefix in ("", "false_abstention_", "abstention_", "invalid_completion_")
    for suffix in ("ci95_method", "bootstrap_ci95", "clusters", "n_eff")
)


def find_number_faults(report: Report, card: Scorecard | None, publish: Publish, file: str) -> list[Refusal]:
    """Return every stated number that is not the recomputed one, and each stated slice under its floor.

    Without a ``card``, which takes a row of every task, the method and the floors are what is left to ask.
    """
    found = list(_method(report, publish, file))
    if card is not None:
        found += [*_claims(report, card, file), *_counts(report, card, file), *_covariates(report, card, file)]
    return [*found, *_floors(report, publish, file)]


def _method(report: Report, publish: Publish, file: str) -> Iterator[Refusal]:
    if report.ci_method != publish.ci_method:
        yield _fault("interval-method", file, "/ci_method", publish.ci_method, report.ci_method)


def _claims(report: Report, card: Scorecard, file: str) -> Iterator[Refusal]:
    claims = claims_of(card)
    for name, expected in claims.items():
        found = getattr(report, name)
        if found == expected:
            continue
        slug = "count-mismatch" if name in _SIZES else "interval-mismatch"
        if name in _RATES:
            # A rate that is right but for its rounding is told apart from a wrong one.
            slug = "rate-rounding" if abs(found - expected) <= 1e-4 else "rate-mismatch"
        yield _fault(slug, file, f"/{name}", expected, found)
    for name in _OPTIONAL:
        if name not in claims and getattr(report, name) is not None:
            yield _fault("interval-mismatch", file, f"/{name}", "no such field", getattr(report, name))


def _counts(report: Report, card: Scorecard, file: str) -> Iterator[Refusal]:
    for kind, buckets in (("ordinary", card.ordinary), ("negative", card.negative)):
        for bucket, expected in buckets.items():
            found = getattr(getattr(report.counts, kind), bucket)
            if found != expected:
                yield _fault("count-mismatch", file, f"/counts/{kind}/{bucket}", expected, found)


def _covariates(report: Report, card: Scorecard, file: str) -> Iterator[Refusal]:
    for name in ("retries", "tool_calls", "wall_clock_sec"):
        stated, made = getattr(report.covariates, name), getattr(card.covariates, name)
        if stated == made:
            continue
        for part in made.__struct_fields__:
            expected, found = getattr(made, part), getattr(stated, part)
            if expected != found:
                yield _fault("covariate-mismatch", file, f"/covariates/{name}/{part}", expected, found)


def _floors(report: Report, publish: Publish, file: str) -> Iterator[Refusal]:
    floors = (
        ("/n", publish.min_n, report.n),
        ("/n_negative", publish.min_n_negative, report.n_negative),
    )
    for path, floor, size in floors:
        if size < floor:
            yield _fault("below-min-n", file, path, f"at least {floor}", size)


def _fault(slug: str, file: str, path: str, expected: Any, found: Any) -> Refusal:
    return Refusal(slug=slug, file=file, path=path, expected=_text(expected), found=_text(found))


def _text(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(_text(part) for part in value)}]"
    return "null" if value is None else str(value)
