"""The group of slugs of ``sitegen.refusals.kinds.ledger``: stable names, which nobody may rename or drop."""

from __future__ import annotations

from sitegen.refusals.kinds import ledger

SLUGS = {
    "history-changed",
    "history-removed",
    "history-unreadable",
    "ledger-broken",
    "ledger-forked",
    "ledger-shortened",
    "ledger-start-missing",
    "ledger-unpublished",
    "report-duplicate",
    "report-withdrawn",
    "run-ended",
    "run-open",
    "signature-invalid",
    "signature-missing",
}


def test_no_slug_was_renamed_or_dropped() -> None:
    found = {kind.slug for group in (ledger.GROUP,) for kind in group.kinds}
    assert found >= SLUGS
