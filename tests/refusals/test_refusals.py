"""A refusal is a value: a known slug, a place, what was expected and found."""

from __future__ import annotations

import pytest

from sitegen.refusals import KINDS, Refusal, Refused, faults, hardest_first


def refusal(slug: str, file: str = "x") -> Refusal:
    return Refusal(slug=slug, file=file)


def test_a_slug_must_be_in_the_catalogue() -> None:
    with pytest.raises(KeyError, match="no-such-slug"):
        refusal("no-such-slug")


def test_the_catalogue_says_which_are_honest_outcomes() -> None:
    assert {slug for slug, kind in KINDS.items() if kind.recorded} == {
        "channel-exploratory",
        "route-changed",
        "null-pack-failed",
        "run-open",
        "run-ended",
        "protocol-withdrawn",
        "report-withdrawn",
        "protocol-draft",
    }


def test_faults_are_told_from_recorded_refusals() -> None:
    both = [refusal("run-open"), refusal("dataset-drift")]
    assert faults(both) == [both[1]]
    assert both[0].recorded


def test_the_hardest_to_mend_comes_first_and_nothing_twice() -> None:
    given = [refusal("json-malformed"), refusal("dataset-drift"), refusal("ledger-broken"), refusal("dataset-drift")]
    assert [part.slug for part in hardest_first(given)] == ["ledger-broken", "dataset-drift", "json-malformed"]


def test_refusals_of_one_group_stay_in_their_order() -> None:
    given = [refusal("metric-drift", "b"), refusal("dataset-drift", "a")]
    assert hardest_first(given) == given


def test_saying_no_needs_a_reason() -> None:
    with pytest.raises(ValueError, match="without a reason"):
        Refused([])
    assert str(Refused([refusal("run-open"), refusal("metric-drift")])) == "metric-drift, run-open"
