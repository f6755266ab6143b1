from __future__ import annotations

from typing import Any

import pytest

from sitegen.harness.foreign.bfcl_answers import as_accepted


def brought(value: Any, *accepted: Any) -> Any:
    """What a value becomes; the string "dropped" where its argument is left out."""
    ((_, arguments),) = as_accepted([("f", {"x": value})], [{"f": {"x": [*accepted]}}])
    return arguments.get("x", "dropped")


@pytest.mark.parametrize(
    ("value", "accepted", "expected"),
    [
        ("San Diego, CA", ["SD", "San Diego CA"], "SD"),
        ("3x^2 + 2x", ["3x**2+2x"], "3x**2+2x"),
        ("Paris", ["London"], "Paris"),
        (5, [5.0], 5.0),
        (True, [1], True),
        ("5", [5], "5"),
        ([1, 3], [[1.0, 3.0]], [1, 3]),
        ([1.0, 3.0], [[1.0, 3.0]], [1.0, 3.0]),
        (["a B"], [["ab"]], ["ab"]),
        ({"d": "Science"}, [{"d": ["science", "Sc"]}], {"d": ["science", "Sc"]}),
        ({"d": "Art"}, [{"d": ["science"]}], {"d": "Art"}),
        ({"d": "science", "e": 1}, [{"d": ["science"]}], {"d": "science", "e": 1}),
        ({}, [{"d": ["science", ""]}], {"d": ["science", ""]}),
        ({}, [{"d": ["science"]}], {}),
    ],
)
def test_an_accepted_value_becomes_the_first_one_and_any_other_stays(value: Any, accepted: Any, expected: Any) -> None:
    made = brought(value, *accepted)
    assert made == expected
    assert type(made) is type(expected)


def test_an_optional_argument_with_an_accepted_value_is_dropped_and_with_another_stays() -> None:
    assert brought("cm", "cm", "") == "dropped"
    assert brought("km", "cm", "") == "km"


def test_calls_are_held_to_the_answer_at_their_place() -> None:
    answer = [{"f": {"x": ["one", "1st"]}}]
    assert as_accepted([("g", {}), ("f", {"x": "1st"})], answer) == [("g", {}), ("f", {"x": "1st"})]
    assert as_accepted([("g", {"x": "1st"})], answer) == [("g", {"x": "1st"})]
    assert as_accepted([("f", {"x": "1st"})], None) == [("f", {"x": "1st"})]
