"""The scorecard: every rate with its interval, over single tasks and over clusters."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sitegen.measure.clusters import effective_wilson
from sitegen.measure.intervals import wilson
from sitegen.measure.scorecard import CLUSTERED, Estimate, claims_of, estimate, scorecard_of
from sitegen.read.report import NullRowStated, TaskStated

NULL_ROWS = (NullRowStated(id="NP", expected_class="must_pass", observed="passed"),)


def rows_of(ordinary: Sequence[str], negative: Sequence[str]) -> list[TaskStated]:
    """Rows T-0, T-1, … and N-0, … with these outcomes."""
    return [
        TaskStated(id=f"{kind[0]}-{i}", kind=kind, outcome=outcome, retries=0, tool_calls=None, wall_clock_sec=None)
        for kind, outcomes in (("ordinary", ordinary), ("negative", negative))
        for i, outcome in enumerate(outcomes)
    ]


ROWS = rows_of(["success"] * 14 + ["miss"] * 4 + ["false_abstain"] * 2, ["abstain_ok"] * 7 + ["invalid_completion"] * 3)
CLUSTERS = {row.id: f"repo-{int(row.id[2:]) // 4}" for row in ROWS}


def test_the_worked_example() -> None:
    rows = rows_of(["success"] * 16 + ["miss"] * 4, ["abstain_ok"] * 7 + ["invalid_completion"] * 3)
    claims = claims_of(scorecard_of(rows, NULL_ROWS, "wilson"))
    assert claims["mean"] == 0.8
    assert claims["ci95"] == (0.5839, 0.9194)
    assert claims["abstention_ci95"] == (0.3967, 0.8923)
    assert claims["invalid_completion_ci95"] == (0.1077, 0.6033)


def test_a_degenerate_bootstrap_shows_wilson_and_keeps_its_own_for_the_record() -> None:
    found = estimate(20, 20, "bootstrap")
    assert found.interval.method == "wilson (bootstrap degenerate at k=n)"
    assert (found.interval.low, found.interval.high) == wilson(20, 20)
    assert found.bootstrap == (1.0, 1.0)


def test_without_clusters_nothing_of_clusters_is_stated() -> None:
    claims = claims_of(scorecard_of(ROWS, NULL_ROWS, "wilson"))
    assert not [name for name in claims if name.endswith(("clusters", "n_eff", "ci95_method"))]


def test_over_clusters_every_rate_has_the_effective_interval_and_says_so() -> None:
    card = scorecard_of(ROWS, NULL_ROWS, "wilson", CLUSTERS)
    flags = [row.outcome == "success" for row in ROWS if row.kind == "ordinary"]
    labels = [CLUSTERS[row.id] for row in ROWS if row.kind == "ordinary"]
    expected = effective_wilson(flags, labels)
    assert (card.success.interval.low, card.success.interval.high) == (expected.low, expected.high)
    assert expected.high - expected.low > wilson(14, 20)[1] - wilson(14, 20)[0]
    claims = claims_of(card)
    assert (claims["clusters"], claims["n_eff"], claims["ci95_method"]) == (5, round(expected.n_eff, 1), CLUSTERED)
    assert {
        claims[f"{slice_}ci95_method"] for slice_ in ("abstention_", "invalid_completion_", "false_abstention_")
    } == {CLUSTERED}
    assert claims["abstention_clusters"] == 3


def test_the_note_beside_a_clustered_interval_warns_of_few_clusters() -> None:
    card = scorecard_of(ROWS, NULL_ROWS, "wilson", CLUSTERS)
    note = card.success.cluster_note or ""
    assert "20 tasks in 5 clusters" in note
    assert "worth 5.2 independent tasks (design effect 3.8)" in note
    assert note.endswith("few clusters (G = 5)")
    assert "few" not in (
        scorecard_of(ROWS, NULL_ROWS, "wilson", {row.id: row.id for row in ROWS}).success.cluster_note or ""
    )
    assert estimate(1, 2, "wilson").cluster_note is None


@pytest.mark.parametrize(
    ("ordinary", "negative", "below"), [(20, 10, False), (19, 10, True), (20, 9, True), (19, 9, True), (21, 11, False)]
)
def test_either_slice_may_be_smaller_than_the_founding_floor(ordinary: int, negative: int, below: bool) -> None:
    card = scorecard_of(rows_of(["miss"] * ordinary, ["no_answer"] * negative), NULL_ROWS, "wilson")
    assert card.below_founding_floor is below


def test_single_task_clusters_give_the_plain_interval() -> None:
    plain = scorecard_of(ROWS, NULL_ROWS, "wilson")
    single = scorecard_of(ROWS, NULL_ROWS, "wilson", {row.id: row.id for row in ROWS})
    for name in ("success", "abstention", "invalid", "false_abstention"):
        first: Estimate = getattr(plain, name)
        second: Estimate = getattr(single, name)
        assert (second.interval.low, second.interval.high) == pytest.approx((first.interval.low, first.interval.high))


def test_one_cluster_has_no_interval() -> None:
    with pytest.raises(ValueError, match="at least two"):
        scorecard_of(ROWS, NULL_ROWS, "wilson", dict.fromkeys(CLUSTERS, "the only one"))
