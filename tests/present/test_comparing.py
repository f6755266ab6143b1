"""Groups: contestants under the same conditions, their runs together, standings inside a group only."""

from __future__ import annotations

from pathlib import Path

from sitegen.present.comparing import Group, Standing, groups_of
from sitegen.present.summary import summarise
from sitegen.verify.verified import VerifiedUnit
from tests.sites import judge, make_protocol, make_run


def groups(unit: VerifiedUnit) -> tuple[Group, ...]:
    assert unit.protocol is not None
    return groups_of(unit.protocol, unit.reports, summarise(unit).reports)


def test_other_conditions_and_other_numbers_of_runs_stand_apart(unit: VerifiedUnit) -> None:
    found = groups(unit)
    conditions = [(dict(group.conditions)["retry limit"], group.runs, group.contestants) for group in found]
    assert conditions == [("0", 2, 1), ("2", 1, 1), ("0", 1, 2)] or sorted(conditions) == sorted(
        [("0", 2, 1), ("2", 1, 1), ("0", 1, 2)]
    )
    assert sum(len(group.rows) for group in found) == len(unit.reports)


def test_a_contestant_alone_has_no_standing(unit: VerifiedUnit) -> None:
    for group in groups(unit):
        alone = group.contestants == 1
        assert all((row.success is None) == alone for row in group.rows)
        assert (group.floor is None) == alone


def test_rows_stand_by_success_and_a_clear_lead_is_told_apart(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=40)
    make_run(tmp_path, "demo.v1", "worse", wrong=[f"T-{i:03}" for i in range(1, 31)])
    make_run(tmp_path, "demo.v1", "better")
    make_run(tmp_path, "demo.v1", "as-good", wrong=("T-001",))
    (group,) = groups(judge(tmp_path, "demo.v1"))
    assert [row.report.route for row in group.rows] == ["better-1.0", "as-good-1.0", "worse-1.0"]
    standings = [row.success for row in group.rows]
    assert all(standings)
    assert [standing.letters for standing in standings if standing] == ["a", "a", "b"]
    assert [standing.rank_text for standing in standings if standing] == ["1–2", "1–2", "3"]
    assert [(pair.first, pair.second, pair.verdict) for pair in group.pairs] == [
        ("better-1.0", "as-good-1.0", "not distinguishable"),
        ("better-1.0", "worse-1.0", "distinguishable"),
        ("as-good-1.0", "worse-1.0", "distinguishable"),
    ]
    assert group.floor == 7


def test_repeated_runs_are_one_contestant(unit: VerifiedUnit) -> None:
    repeated = [found for group in groups(unit) for found in group.repeated]
    assert [found.runs for found in repeated] == [2]


def test_a_single_rank_is_no_range() -> None:
    assert Standing(letters=None, ranks=(2, 2)).rank_text == "2"
