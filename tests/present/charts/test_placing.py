"""Marks that would cover each other stand apart, and near their true places."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sitegen.present.charts.placing import SHIFTS, Arm, dodged, spread


def test_arms_on_one_line_stand_beside_each_other_and_others_stay() -> None:
    arms = [Arm(100, 10, 50), Arm(100, 40, 90), Arm(100, 45, 60), Arm(200, 10, 90)]
    assert dodged(arms, 380) == [0, 3, -3, 0]


def test_arms_far_apart_along_their_line_stay_on_it() -> None:
    """Their caps show where each ends, as long as these do not touch."""
    assert dodged([Arm(100, 10, 50), Arm(100, 56, 90)], 380) == [0, 0]
    assert dodged([Arm(100, 10, 50), Arm(100, 54, 90)], 380) == [0, 3]


def test_an_arm_is_not_moved_onto_a_neighbour() -> None:
    assert dodged([Arm(103, 10, 50), Arm(100, 10, 50), Arm(100, 10, 50)], 380) == [0, 0, -3]


def test_no_arm_leaves_the_frame() -> None:
    assert dodged([Arm(380, 10, 50)] * 2 + [Arm(0, 10, 50)] * 2, 380) == [0, -3, 0, 3]


def test_up_to_five_arms_of_one_line_are_all_apart() -> None:
    moved = dodged([Arm(190, 0, 380)] * 5, 380)
    assert sorted(moved) == sorted(SHIFTS)


@given(st.lists(st.builds(Arm, st.floats(0, 380), st.floats(0, 190), st.floats(190, 380)), max_size=60))
def test_no_arm_is_moved_by_more_than_three_pixels(arms: list[Arm]) -> None:
    moved = dodged(arms, 380)
    assert len(moved) == len(arms)
    assert all(abs(shift) <= 3 for shift in moved)


@given(st.lists(st.integers(0, 40).map(lambda k: k / 40), max_size=24))
def test_labels_stand_apart_in_the_order_of_their_points(places: list[float]) -> None:
    step = 14.5 / 380
    found = spread(places, step)
    order = sorted(range(len(places)), key=lambda index: (places[index], -index))
    placed = [found[index] for index in order]
    assert all(b - a >= step - 1e-3 for a, b in pairwise(placed))
    assert all(-1e-9 <= place <= 1 for place in placed)
