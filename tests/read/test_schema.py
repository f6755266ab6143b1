"""Plain values → typed records: what msgspec refuses is explained, fault by fault, by its path."""

from __future__ import annotations

import calendar
import json
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta

from sitegen.read import schema
from sitegen.read.ledger import Event
from sitegen.read.manifest import Manifest
from sitegen.read.protocol import DraftProtocol, SealedProtocol
from sitegen.read.report import Report
from sitegen.read.schema import (
    Amount,
    Count,
    DigestText,
    Format,
    Identifier,
    Time,
    describe,
    find_faults,
    json_schemas,
    pointer,
    remove,
    typed,
    typed_rows,
)
from sitegen.read.settings import Settings
from sitegen.read.transcript import Transcript
from sitegen.read.verdicts import Receipt, Verdict
from sitegen.refusals import Refusal, Refused

RECORDS = (DraftProtocol, SealedProtocol, Manifest, Transcript, Report, Event, Settings, Receipt, Verdict)


class Part(Format, frozen=True, kw_only=True):
    size: Annotated[int, Meta(ge=0, extra={"missing": "slice-missing"})]
    name: Annotated[str, Meta(min_length=1, max_length=3)] = "a"


class Whole(Format, frozen=True, kw_only=True):
    digest: DigestText
    part: Part
    kind: Annotated[Literal["x", "y"], Meta(extra={"slug": "task-kind-unknown"})] = "x"
    rate: Annotated[float, Meta(gt=0, lt=1)] | None = None
    parts: tuple[Part, ...] = ()
    pair: tuple[int, str] | None = None
    table: dict[str, Count] = {}  # noqa: RUF012 (msgspec copies a default for every record)
    either: dict[str, str] | tuple[str, ...] | None = None
    flag: bool = False
    words: Annotated[tuple[str, ...], Meta(min_length=1)] = ("a",)
    named: dict[Identifier, dict[Identifier, Count]] = {}  # noqa: RUF012 (the same)


GOOD = {"digest": "0" * 64, "part": {"size": 1}}


def found(**changes: Any) -> list[tuple[str, str]]:
    with pytest.raises(Refused) as caught:
        typed({**GOOD, **changes}, Whole, "x.json")
    return [(refusal.slug, refusal.path) for refusal in caught.value.refusals]


def test_a_right_value_becomes_a_record() -> None:
    value = {**GOOD, "rate": 0.5, "parts": [{"size": 0, "name": "b"}], "pair": [1, "a"], "either": ["a"]}
    record = typed(value, Whole, "x.json")
    assert (record.rate, record.parts[0].name, record.pair, record.either) == (0.5, "b", (1, "a"), ("a",))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"digest": "0" * 63}, ("digest-form", "/digest")),
        ({"digest": "A" * 64}, ("digest-form", "/digest")),
        ({"digest": "0" * 64 + "\n"}, ("digest-form", "/digest")),
        ({"digest": 7}, ("field-type", "/digest")),
        ({"part": {}}, ("slice-missing", "/part/size")),
        ({"part": {"size": True}}, ("field-type", "/part/size")),
        ({"part": {"size": "1"}}, ("field-type", "/part/size")),
        ({"part": {"size": 1.0}}, ("field-type", "/part/size")),
        ({"part": {"size": 1.5}}, ("field-type", "/part/size")),
        ({"part": {"size": -1}}, ("field-range", "/part/size")),
        ({"part": {"size": 1, "name": ""}}, ("field-range", "/part/name")),
        ({"part": {"size": 1, "name": "abcd"}}, ("field-range", "/part/name")),
        ({"part": []}, ("field-type", "/part")),
        ({"kind": "z"}, ("task-kind-unknown", "/kind")),
        ({"kind": 1}, ("field-type", "/kind")),
        ({"rate": 0}, ("field-range", "/rate")),
        ({"rate": 1.0}, ("field-range", "/rate")),
        ({"rate": "0.5"}, ("field-type", "/rate")),
        ({"parts": [{"size": 1}, {"size": -2}]}, ("field-range", "/parts/1/size")),
        ({"parts": {}}, ("field-type", "/parts")),
        ({"pair": [1]}, ("field-type", "/pair")),
        ({"pair": {"1": 1, "a": "a"}}, ("field-type", "/pair")),
        ({"pair": "1a"}, ("field-type", "/pair")),
        ({"pair": ["a", "a"]}, ("field-type", "/pair/0")),
        ({"table": {"a/b~": -1}}, ("field-range", "/table/a~1b~0")),
        ({"table": []}, ("field-type", "/table")),
        ({"named": {"Demo v1": {}}}, ("protocol-id-form", "/named/Demo v1")),
        ({"named": {"demo.v1": {"a/B": 1}}}, ("protocol-id-form", "/named/demo.v1/a~1B")),
        ({"named": {"demo.v1": {"A": -1}}}, ("field-range", "/named/demo.v1/A")),
        ({"either": 1}, ("field-type", "/either")),
        ({"either": [1]}, ("field-type", "/either")),
        ({"flag": 1}, ("field-type", "/flag")),
        ({"flag": "false"}, ("field-type", "/flag")),
        ({"words": []}, ("field-range", "/words")),
        ({"colour": 1}, ("field-unknown", "/colour")),
    ],
)
def test_a_wrong_value_is_refused_at_its_path(changes: dict[str, Any], fault: tuple[str, str]) -> None:
    assert fault in found(**changes)


@pytest.mark.parametrize(
    ("changes", "expected", "shown"),
    [
        ({"flag": "false"}, "true or false", '"false"'),
        ({"part": {"size": "0"}}, "a whole number", '"0"'),
        ({"rate": "null"}, "a number", '"null"'),
        ({"parts": ""}, "a list", '""'),
        ({"part": "{}"}, "an object", '"{}"'),
        ({"flag": 0}, "true or false", "0"),
        ({"digest": "a"}, "64 lower-case hexadecimal characters", "a"),
    ],
)
def test_text_in_the_place_of_something_else_is_shown_as_text(
    changes: dict[str, Any], expected: str, shown: str
) -> None:
    """Or what is expected and what is found could not be told apart."""
    (fault,) = find_faults({**GOOD, **changes}, Whole, "x.json")
    assert (fault.expected, fault.found) == (expected, shown)


def test_a_sum_of_money_may_be_nothing_and_not_less() -> None:
    assert find_faults(0, Amount, "x") == []
    (fault,) = find_faults(-0.01, Amount, "x")
    assert (fault.slug, fault.expected) == ("field-range", "at least 0")


@pytest.mark.parametrize("day", ["2026-02-28", "2028-02-29", "2000-02-29", "2026-04-30", "2026-12-31", "0001-01-01"])
def test_a_time_is_of_a_day_that_the_calendar_has(day: str) -> None:
    assert find_faults(f"{day}T00:00:00Z", Time, "x.json") == []


@pytest.mark.parametrize(
    "day",
    [
        *("2026-02-29", "2026-02-30", "2027-02-30", "2028-02-30", "1900-02-29", "2100-02-29", "2026-04-31"),
        *("2026-06-31", "2026-09-31", "2026-11-31", "2026-01-32", "2026-00-01", "2026-01-00", "0000-02-29"),
    ],
)
def test_a_time_of_no_day_is_refused(day: str) -> None:
    (fault,) = find_faults(f"{day}T00:00:00Z", Time, "x.json")
    assert fault.slug == "time-form"
    assert fault.expected == "a time as 2026-11-30T09:32:00Z, of a day that the calendar has"


def test_every_leap_day_of_the_calendar_is_one() -> None:
    for year in range(1, 10_000):
        assert bool(find_faults(f"{year:04}-02-29T00:00:00Z", Time, "x")) != calendar.isleap(year), year


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("/a", {"b/c": [{"d": 1, "e": 2}]}),
        ("/b~1c/0/d", {"a": 1, "b/c": [{"e": 2}]}),
        ("/b~1c", {"a": 1}),
        ("/x", {"a": 1, "b/c": [{"d": 1, "e": 2}]}),
        ("/x/y/z", {"a": 1, "b/c": [{"d": 1, "e": 2}]}),
    ],
)
def test_what_a_pointer_names_is_taken_out(path: str, left: dict[str, Any]) -> None:
    value = {"a": 1, "b/c": [{"d": 1, "e": 2}]}
    remove(value, path)
    assert value == left


def test_a_wrong_key_is_told_in_the_words_of_a_wrong_value() -> None:
    (fault,) = find_faults({**GOOD, "named": {"Demo v1": {}}}, Whole, "x.json")
    assert (fault.expected, fault.found) == ("[a-z0-9][a-z0-9._-]{0,99}", "Demo v1")


def test_all_faults_are_named_at_once_in_the_order_of_the_document() -> None:
    assert found(digest="", part={"size": -1, "nam": "x"}, flag=0) == [
        ("digest-form", "/digest"),
        ("field-range", "/part/size"),
        ("field-unknown", "/part/nam"),
        ("field-type", "/flag"),
    ]


def test_a_missing_field_is_missing_and_not_null() -> None:
    with pytest.raises(Refused) as caught:
        typed({"part": None}, Whole, "x.json")
    assert [(r.slug, r.path) for r in caught.value.refusals] == [("field-missing", "/digest"), ("field-type", "/part")]


def test_an_unknown_field_is_told_its_nearest() -> None:
    with pytest.raises(Refused) as caught:
        typed({**GOOD, "digst": 1}, Whole, "x.json")
    assert "digest" in (caught.value.refusals[0].expected or "")


def test_what_is_no_object_is_refused_as_a_whole() -> None:
    for value in (None, [], "x", 1):
        with pytest.raises(Refused) as caught:
            typed(value, Whole, "x.json")
        assert [(r.slug, r.path) for r in caught.value.refusals] == [("field-type", "")]


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.floats(-1, 2),
    st.text(max_size=4),
    st.sampled_from(["0" * 64, "x", "scored", "2026-11-30T09:32:00Z", "demo.v1", "wilson"]),
)
NAMES = sorted({name for record in RECORDS for name in record.__struct_fields__} | set(Whole.__struct_fields__))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=2), inner, max_size=4)
    ),
    max_leaves=10,
)


def agree(value: Any, record: type[Any]) -> None:
    faults = find_faults(value, record, "x.json")
    named: list[Refusal] = []
    try:
        typed(value, record, "x.json")
    except Refused as refused:
        named = list(refused.refusals)
    assert named == faults


@settings(max_examples=150)
@given(VALUES, st.sampled_from((Whole, *RECORDS)))
def test_msgspec_and_the_walker_agree(value: Any, record: type[Any]) -> None:
    """Whatever the value: the one accepts it exactly when the other finds nothing."""
    agree(value, record)


FIELD_VALUES: dict[str, Any] = {
    "digest": SCALARS,
    "part": st.dictionaries(st.sampled_from(["size", "name", "nme"]), SCALARS, max_size=3),
    "kind": st.sampled_from(["x", "y", "z", 1, None]),
    "rate": SCALARS,
    "parts": st.lists(st.dictionaries(st.sampled_from(["size", "name"]), SCALARS, max_size=2), max_size=2),
    "pair": st.lists(SCALARS, max_size=3),
    "table": st.dictionaries(st.text(max_size=2), SCALARS, max_size=2),
    "either": st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(st.text(max_size=2), SCALARS)),
    "flag": SCALARS,
    "named": st.dictionaries(
        st.sampled_from(["a", "A", ""]), SCALARS | st.dictionaries(st.sampled_from(["b", "B"]), SCALARS), max_size=2
    ),
    "words": st.lists(SCALARS, max_size=2),
}


@settings(max_examples=150)
@given(st.fixed_dictionaries({}, optional=FIELD_VALUES))
def test_they_agree_near_the_right_values_too(value: dict[str, Any]) -> None:
    agree({**GOOD, **value}, Whole)
    agree(value, Whole)


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        (Identifier, ["a", "demo.v1", "0-9_z", "a" * 100], ["", ".a", "-a", "A", "a" * 101, "a b", "a\n", "ä"]),
        (Time, ["2026-11-30T09:32:00Z"], ["2026-13-01T00:00:00Z", "2026-11-30 09:32:00", "2026-11-30T24:00:00Z", "z"]),
        (DigestText, ["ab" * 32], ["AB" * 32, "ab" * 31, " " + "ab" * 32]),
    ],
)
def test_the_forms_of_text(form: Any, good: list[str], bad: list[str]) -> None:
    assert [text for text in good if find_faults(text, form, "x")] == []
    assert [text for text in bad if not find_faults(text, form, "x")] == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_format_has_a_json_schema(record: type[Any]) -> None:
    assert json.loads(json.dumps(json_schemas(record)))["$defs"]


def test_a_pointer_escapes_what_rfc_6901_asks() -> None:
    assert pointer("/a", "b/c~d") == "/a/b~1c~0d"
    assert pointer("", 3) == "/3"


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "null"), (True, "true"), (False, "false"), (0, "0"), (0.5, "0.5"), ("x", "x"), ([1], "a list of 1")],
)
def test_a_value_is_described_as_the_file_writes_it(value: Any, text: str) -> None:
    assert describe(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2**53, "9007199254740992"),
        (2**256 - 1, str(2**256 - 1)),
        (2**256, "a whole number of about 78 digits"),
        (-(10**5999), "a whole number of about 6000 digits"),
        (16**50_000, "a whole number of about 60207 digits"),
        (1e308, "1e+308"),
        (float("-inf"), "-inf"),
        ({}, "an object of 0"),
    ],
    ids=range(8),
)
def test_a_value_of_any_size_is_described_in_few_words(value: Any, text: str) -> None:
    assert describe(value) == text


def test_a_value_of_any_depth_is_described() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    assert describe(value) == "a list of 1"


def test_what_only_one_of_the_two_readings_refuses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault without a place is no row's."""
    monkeypatch.setattr(schema, "find_faults", lambda *_: [])
    with pytest.raises(Refused) as refused:
        typed_rows([{"size": -1}], Part, "rows.jsonl")
    assert [(fault.slug, fault.path) for fault in refused.value.refusals] == [("field-type", "")]


def test_a_list_of_the_least_length_is_long_enough() -> None:
    value = {**GOOD, "words": ["a"], "flag": 1}
    assert [fault.path for fault in find_faults(value, Whole, "file.json")] == ["/flag"]


def test_a_value_of_one_of_two_kinds_is_explained_as_that_kind() -> None:
    class Sized(Format, frozen=True, kw_only=True):
        sizes: Part | tuple[Count, ...]

    (fault,) = find_faults({"sizes": [1, -1]}, Sized, "file.json")
    assert (fault.slug, fault.path) == ("field-range", "/sizes/1")


def test_null_is_none_of_the_kinds_unless_it_is_named() -> None:
    class Either(Format, frozen=True, kw_only=True):
        size: int | str

    (fault,) = find_faults({"size": None}, Either, "file.json")
    assert (fault.slug, fault.path, fault.found) == ("field-type", "/size", "null")
    assert find_faults({**GOOD, "either": None}, Whole, "file.json") == []


def test_a_truth_value_is_none_of_the_numbers_to_choose_from() -> None:
    class Numbered(Format, frozen=True, kw_only=True):
        version: Literal[1, 2]

    assert typed({"version": 1}, Numbered, "file.json").version == 1
    with pytest.raises(Refused) as refused:
        typed({"version": True}, Numbered, "file.json")
    assert [(fault.slug, fault.path, fault.expected) for fault in refused.value.refusals] == [
        ("field-range", "/version", "1 or 2")
    ]
