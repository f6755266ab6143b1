from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sitegen.harness.foreign.values import Fields, all_whole, carried, utc_time


def fields(value: Any) -> Fields:
    return Fields(value, "log.json", "line 3")


def test_what_is_absent_or_null_is_none_and_never_zero() -> None:
    row = fields({"null": None})
    for name in ("null", "absent"):
        assert (row.text(name), row.count(name), row.seconds(name), row.number(name), row.truth(name)) == (None,) * 5
        assert row.items(name) == row.objects(name) == []
        assert row.object(name).value == {}


def test_a_zero_that_is_there_is_kept() -> None:
    assert fields({"n": 0}).count("n") == 0
    assert fields({"n": 0.0}).number("n") == 0.0


@pytest.mark.parametrize(
    ("value", "method", "slug"),
    [
        ("12", "count", "field-type"),
        (True, "count", "field-type"),
        (1.5, "count", "field-type"),
        (-1, "count", "field-range"),
        (-0.5, "number", "field-range"),
        (2**53, "count", "field-range"),
        (2**53, "number", "field-range"),
        (1e20, "count", "field-range"),
        (7, "text", "field-type"),
        (1, "truth", "field-type"),
        ({}, "items", "field-type"),
        ([], "object", "field-type"),
    ],
)
def test_a_wrong_type_is_refused_with_its_place(
    refused: Callable[..., Any], value: Any, method: str, slug: str
) -> None:
    (fault,) = refused(getattr(fields({"x": value}), method), "x")
    assert (fault.slug, fault.path, fault.file) == (slug, "line 3/x", "log.json")


def test_the_place_is_a_pointer_through_lists_and_objects(refused: Callable[..., Any]) -> None:
    row = fields({"a/b": [{"c": {"d": 1}}]})
    (fault,) = refused(row.objects("a/b")[0].object("c").text, "d")
    assert fault.path == "line 3/a~1b/0/c/d"


def test_whole_floats_are_counts_and_milliseconds_become_seconds() -> None:
    assert fields({"n": 12.0}).count("n") == 12
    assert fields({"ms": 1500}).seconds("ms", 1000) == 1.5


def test_negative_zero_is_zero_and_the_largest_safe_count_is_read() -> None:
    assert repr(fields({"n": -0.0}).number("n")) == "0.0"
    assert fields({"n": -0.0}).count("n") == 0
    assert fields({"n": 2**53 - 1}).count("n") == 2**53 - 1


def test_what_is_carried_is_read_alike_by_every_reader() -> None:
    value = {"loss": -0.0, "seeds": [2**53 - 1, 2**53, -(2**63)], "ok": True, "text": "-0.0", "none": None, "p": 1e22}
    expected = {**value, "loss": 0.0, "seeds": [2**53 - 1, "9007199254740992", "-9223372036854775808"]}
    assert repr(carried(value)) == repr(expected)


def test_an_absent_object_holds_nothing() -> None:
    absent = fields({}).object("a").object("b")
    assert (absent.value, absent.text("x"), absent.items("x"), absent.reached("x.y")) == ({}, None, [], None)


def test_ids_are_text_or_whole_numbers_and_stay_as_they_are(refused: Callable[..., Any]) -> None:
    assert fields({"id": 'a/b "c" 日本 é'}).identifier("id") == 'a/b "c" 日本 é'
    assert fields({"id": 0}).identifier("id") == "0"
    assert fields({"vars": {"task_id": 7}}).identified("vars.task_id") == "7"
    assert refused(fields({}).identifier, "id")[0].slug == "field-missing"
    assert refused(fields({"id": 1.5}).identifier, "id")[0].slug == "field-type"
    assert refused(fields({"vars": "x"}).identified, "vars.task_id")[0].slug == "field-missing"


def test_no_object_is_refused(refused: Callable[..., Any]) -> None:
    assert refused(fields, [1])[0].found == "a list of 1"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2025-05-12T20:28:13-04:00", "2025-05-13T00:28:13Z"),
        ("2025-12-19T12:36:46.142012+00:00", "2025-12-19T12:36:46Z"),
        ("2026-03-22T08:00:00Z", "2026-03-22T08:00:00Z"),
        ("1000-01-01T00:00:00Z", "1000-01-01T00:00:00Z"),
        ("0900-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("2025-08-01T16:20:43.824977", None),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_a_time_without_a_zone_or_of_no_clock_is_no_time(given: str | None, expected: str | None) -> None:
    assert utc_time(given) == expected


def test_text_is_made_whole_wherever_it_stands() -> None:
    value = {"a\udcff": ["é😀", ("\ud800",)], "n": 1, "none": None}
    assert all_whole(value) == {r"a\udcff": ["é😀", (r"\ud800",)], "n": 1, "none": None}
