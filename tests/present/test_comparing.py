"""Groups: contestants under the same conditions, their runs together, standings inside a group only."""

from __future__ import annotations

from pathlib import Path

from sitegen.present.comparing import Group, Standing, groups_of, row_groups
from sitegen.present.summary import summarise
from sitegen.verify.verified import VerifiedUnit
from tests.sites import judge, make_protocol, make_run


def groups(unit: VerifiedUnit) -> tuple[Group, ...]:
    assert unit.protocol is not None
    return groups_of(unit.protocol, unit.reports, summarise(unit).reports)


def test_other_conditions_and_other_numbers_of_runs_stand_apart(unit: VerifiedUnit) -> None:
    found = groups(unit)
    conditions = [(dict(group.conditions)["retry limit"], group.runs, group.contestants) for group in found]
    assert conditions == [("0", 2, 1), ("2", 1, 1), ("0", 1, 2)]
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
    success, abstention = group.pairs
    assert [(pair.first, pair.second, pair.verdict) for pair in success.lines] == [
        ("better-1.0", "as-good-1.0", "not distinguishable"),
        ("better-1.0", "worse-1.0", "distinguishable"),
        ("as-good-1.0", "worse-1.0", "distinguishable"),
    ]
    assert group.floor == 7
    assert [(table.rate, table.tasks) for table in group.pairs] == [("task success", 40), ("abstention accuracy", 10)]
    assert [(pair.wins, pair.losses, pair.difference) for pair in abstention.lines] == [(0, 0, "0.000")] * 3


def test_intervals_of_pairs_are_rounded_outward(tmp_path: Path) -> None:
    """Of 3 tasks of 20 the ends are −0.0545… and 0.32724…; to the nearest, the upper one would be 0.327."""
    make_protocol(tmp_path, ordinary=20)
    make_run(tmp_path, "demo.v1", "better")
    make_run(tmp_path, "demo.v1", "worse", wrong=("T-001", "T-002", "T-003"))
    (group,) = groups(judge(tmp_path, "demo.v1"))
    (line,) = group.pairs[0].lines
    assert (line.low, line.high) == ("−0.055", "+0.328")


def test_rows_alone_are_grouped_as_the_tests_are(unit: VerifiedUnit) -> None:
    assert unit.protocol is not None
    alone = row_groups(unit.protocol.protocol, summarise(unit).reports)
    assert [(part.conditions, part.runs, part.contestants, [row.run_id for row in part.rows]) for part in alone] == [
        (part.conditions, part.runs, part.contestants, [row.report.run_id for row in part.rows])
        for part in groups(unit)
    ]
    assert len(alone) == 3


def test_repeated_runs_of_a_single_control_are_compared_by_success_alone(tmp_path: Path) -> None:
    """With one control repeated runs have no interval of abstention, so that no scorecard is put together of them."""
    make_protocol(tmp_path, ordinary=20, negative=1)
    for name, wrong in (("alpha", ()), ("beta", [f"T-{i:03}" for i in range(1, 11)])):
        for _ in range(2):
            make_run(tmp_path, "demo.v1", name, wrong=wrong)
    (group,) = groups(judge(tmp_path, "demo.v1"))
    assert [(row.report.route, row.success and row.success.letters, row.abstention) for row in group.rows] == [
        *[("alpha-1.0", "a", None)] * 2,
        *[("beta-1.0", "b", None)] * 2,
    ]
    assert (group.success is None, group.abstention, group.floor, group.repeated) == (False, None, 6, ())
    (table,) = group.pairs  # of abstention there is none
    assert [(pair.wins, pair.losses, pair.verdict) for pair in table.lines] == [(10, 0, "distinguishable")]
    assert group.unsaid == (
        "An interval over repeated runs needs at least two tasks, and there is a single negative control: contestants"
        " are not compared by abstention accuracy, the two runs of each are not put together, and each run stands above"
        " by itself."
    )


def test_repeated_runs_of_a_single_task_of_each_slice_are_not_compared_at_all(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=1, negative=1)
    for name in ("alpha", "alpha", "alpha", "beta", "beta", "beta"):
        make_run(tmp_path, "demo.v1", name)
    (group,) = groups(judge(tmp_path, "demo.v1"))
    assert (len(group.rows), group.success, group.abstention, group.floor) == (6, None, None, None)
    assert (group.pairs, group.repeated) == ((), ())
    assert group.unsaid == (
        "An interval over repeated runs needs at least two tasks, and there is a single ordinary task and a single"
        " negative control: contestants are not compared by task success or abstention accuracy, the three runs of each"
        " are not put together, and each run stands above by itself."
    )


def test_single_runs_are_compared_on_a_single_task_too(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=1, negative=1)
    for name in ("alpha", "beta"):
        make_run(tmp_path, "demo.v1", name)
    (group,) = groups(judge(tmp_path, "demo.v1"))
    assert group.unsaid is None
    assert [pair.verdict for table in group.pairs for pair in table.lines] == ["not distinguishable"] * 2
    assert group.abstention is not None


def test_repeated_runs_are_one_contestant(unit: VerifiedUnit) -> None:
    repeated = [found for group in groups(unit) for found in group.repeated]
    assert [found.runs for found in repeated] == [2]


def test_a_single_rank_is_no_range() -> None:
    assert Standing(letters=None, ranks=(2, 2)).rank_text == "2"
