"""What sealing prints, from the sizes of an exam alone."""

from __future__ import annotations

import pytest

from sitegen.measure.intervals import Interval, interval_of, wilson
from sitegen.measure.outlook import (
    CORRELATIONS,
    effective_tasks,
    is_detectable,
    sealing_outlook,
    size_for,
    sizes_of_clusters,
    stored_outlook,
)
from sitegen.measure.power import detectable_difference
from sitegen.measure.rounding import round_out
from sitegen.read.tasks import Task


@pytest.mark.parametrize(
    ("n", "floor", "at_80", "perfect"),
    [
        (20, 0.300, (0.583, 0.920), 0.838),
        (40, 0.150, (0.652, 0.896), 0.912),
        (100, 0.060, (0.711, 0.867), 0.963),
        (500, 0.012, (0.762, 0.833), 0.992),
    ],
)
def test_the_table_of_the_specification(n: int, floor: float, at_80: tuple[float, float], perfect: float) -> None:
    found = sealing_outlook(n, 10)
    assert found.floor / n == pytest.approx(floor)
    assert found.resolution == 1 / n
    half, four_fifths, _, full = found.success
    assert (half.k, four_fifths.k, full.k) == (n // 2, n * 4 // 5, n)
    assert round_out(four_fifths.interval.low, four_fifths.interval.high, 3) == at_80
    assert round_out(full.interval.low, full.interval.high, 3) == (perfect, 1.0)


def test_the_controls_that_speak() -> None:
    found = sealing_outlook(40, 10)
    assert [row.k for row in found.controls] == [0, 1, 2, 3]
    assert found.controls[0].interval == Interval(low=0.0, high=wilson(0, 10)[1], method="wilson")
    assert [row.k for row in sealing_outlook(40, 2).controls] == [0, 1, 2]


def test_more_contestants_can_distinguish_less() -> None:
    two, ten = sealing_outlook(40, 10), sealing_outlook(40, 10, contestants=10)
    assert (two.floor, ten.floor) == (6, 11)
    assert ten.pair_alpha == pytest.approx(0.05 / 45)
    for few, many in zip(two.detectable, ten.detectable, strict=True):
        assert few.difference == detectable_difference(40, phi=few.phi)
        assert few.difference is not None
        assert many.difference is not None
        assert few.difference < many.difference


def test_the_sealed_method_is_the_one_shown() -> None:
    found = sealing_outlook(40, 10, ci_method="bootstrap")
    assert found.success[1].interval == interval_of("bootstrap", 32, 40)
    assert found.success[3].interval.method == "wilson (bootstrap degenerate at k=n)"


@pytest.mark.parametrize("n", [1, 3, 20, 40])
def test_two_powers_tell_what_a_search_finds(n: int) -> None:
    for phi in CORRELATIONS:
        right = detectable_difference(n, phi=phi)
        grid: list[float | None] = [None, *(step / 1000 for step in range(1, 801))]
        assert [difference for difference in grid if is_detectable(n, difference, phi)] == [right]


@pytest.mark.parametrize("difference", [0.0, -0.1, 0.4835, 1.0, 7.0, float("nan"), float("inf")])
def test_what_is_no_step_of_the_search_is_not_detectable(difference: float) -> None:
    assert not is_detectable(20, difference, 0.0)


@pytest.mark.parametrize("supposed", [(0.322, 0.222), (0.322, None), (None, None), (0.1, 0.9), None])
def test_what_is_supposed_changes_no_result(supposed: tuple[float | None, ...] | None) -> None:
    assert sealing_outlook(40, 10, supposed=supposed) == sealing_outlook(40, 10)


def test_an_outlook_is_stored_as_plain_values() -> None:
    assert stored_outlook(sealing_outlook(40, 10, cluster_sizes=[5] * 8)) == {
        "contestants": 2,
        "resolution": 0.025,
        "floor_tasks": 6,
        "detectable_below_0.80": {"unrelated": 0.322, "related": 0.222},
        "success": [
            *([20, 40, 0.3519, 0.6481], [32, 40, 0.6524, 0.8951]),
            *([38, 40, 0.8349, 0.9862], [40, 40, 0.9123, 1.0]),
        ],
        "controls": [
            *([0, 10, 0.0, 0.2776], [1, 10, 0.0178, 0.4042]),
            *([2, 10, 0.0566, 0.5099], [3, 10, 0.1077, 0.6033]),
        ],
        "effective_tasks": {"correlation 0.1": 28.6, "correlation 0.3": 18.2},
    }


def test_clusters_are_counted_by_their_field() -> None:
    tasks = [Task(id=name, shown={"topic": name[0]}, file="x", path="") for name in ("a1", "b1", "a2", "a3")]
    assert sizes_of_clusters(tasks, "topic") == (1, 3)
    assert sizes_of_clusters(tasks, None) == ()


def test_clusters_cost_tasks() -> None:
    assert sealing_outlook(40, 10).clustered == ()
    found = sealing_outlook(40, 10, cluster_sizes=[5] * 8)
    assert found.clustered == ((0.1, pytest.approx(40 / 1.4)), (0.3, pytest.approx(40 / 2.2)))
    assert effective_tasks([1] * 40, 0.3) == 40
    assert effective_tasks([40], 1) == 1


def test_a_wanted_difference() -> None:
    unrelated, related = size_for(0.80, 0.87, 40)
    assert (unrelated.phi, unrelated.connor, unrelated.exact) == (0.0, 443, 466)
    assert (related.phi, related.connor, related.exact) == (0.5, 228, 246)
    assert unrelated.power == pytest.approx(0.075, abs=0.001)
    swapped = size_for(0.87, 0.80, 40)[0]
    assert (swapped.connor, swapped.exact) == (unrelated.connor, unrelated.exact)
    assert swapped.power == pytest.approx(unrelated.power, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sealing_outlook(0, 10), "n must"),
        (lambda: sealing_outlook(40, 0), "m must"),
        (lambda: sealing_outlook(40, 10, contestants=1), "contestants must"),
        (lambda: sealing_outlook(40, 10, ci_method="wald"), "unknown interval method"),
        (lambda: size_for(0.8, 0.8, 40), "equal rates"),
        (lambda: effective_tasks([], 0.1), "clusters must"),
        (lambda: effective_tasks([0], 0.1), "size"),
        (lambda: effective_tasks([3], 1.1), "between 0 and 1"),
    ],
)
def test_refusals(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()
