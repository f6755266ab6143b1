"""Strict JSON and JSON Lines: one reading of the bytes, or a refusal."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitegen.read import strict
from sitegen.read.strict import MAX_DEPTH, MAX_SAFE_INTEGER, MOST_DIGITS, check_text, parse_json, parse_jsonl
from sitegen.refusals import MOST_LOOKED_FOR, Refused
from tests.pace import least_seconds

SUITE = Path(__file__).resolve().parents[3] / "shared" / "suites" / "json-test-suite" / "test_parsing"
REFUSED_ON_PURPOSE = {
    "y_object_duplicated_key.json",
    "y_object_duplicated_key_and_value.json",
    "y_number_minus_zero.json",
    "y_number_negative_zero.json",
}


def suite(kind: str) -> list[Path]:
    if not SUITE.is_dir():
        pytest.skip(f"the JSON test suite is not beside the checkout ({SUITE.name} is missing)")
    return sorted(SUITE.glob(f"{kind}_*.json"))


def slugs(data: bytes, parse: Any = parse_json) -> set[str]:
    with pytest.raises(Refused) as caught:
        parse(data, "x.json")
    return {refusal.slug for refusal in caught.value.refusals}


def refused(data: bytes) -> bool:
    try:
        parse_json(data, "x.json")
    except Refused:
        return True
    return False


def test_every_must_fail_file_of_the_suite_is_refused() -> None:
    files = suite("n")
    assert len(files) == 188
    assert [path.name for path in files if not refused(path.read_bytes())] == []


def test_every_must_accept_file_of_the_suite_is_read_but_four() -> None:
    files = suite("y")
    assert len(files) == 95
    assert {path.name for path in files if refused(path.read_bytes())} == REFUSED_ON_PURPOSE
    for path in files:
        if path.name not in REFUSED_ON_PURPOSE:
            assert parse_json(path.read_bytes(), path.name) == json.loads(path.read_bytes())


def test_what_is_left_to_the_reader_is_refused_or_read_alike_by_two() -> None:
    for path in suite("i"):
        data = path.read_bytes()
        if not refused(data):
            assert parse_json(data, path.name) == json.loads(data) == msgspec.json.decode(data), path.name


def test_no_file_of_the_suite_takes_a_second() -> None:
    for kind in "nyi":
        for path in suite(kind):
            assert least_seconds(1, refused, path.read_bytes()) < 1, path.name


@pytest.mark.parametrize(
    ("data", "slug"),
    [
        (b'{"a":1,"a":1}', "duplicate-key"),
        (b'{"a":{"b":1,"c":2,"b":3}}', "duplicate-key"),
        (b'{"\\u0061":1,"a":2}', "duplicate-key"),
        (b"-0", "json-malformed"),
        (b"-0.0", "json-malformed"),
        (b"[-0.0]", "json-malformed"),
        (b'{"a": -0e3}', "json-malformed"),
        (b"NaN", "json-malformed"),
        (b"[-Infinity]", "json-malformed"),
        (b"1e400", "json-malformed"),
        (b"9007199254740992", "json-malformed"),
        (b"[-9007199254740992]", "json-malformed"),
        (b'["\\ud800"]', "json-malformed"),
        (b'{"\\udc00":1}', "json-malformed"),
        (b"1 2", "json-malformed"),
        (b"", "json-malformed"),
        (b"\xef\xbb\xbf{}", "text-encoding"),
        (b"{}\r\n", "text-encoding"),
        (b'"\xff"', "text-encoding"),
        (b'"\xed\xa0\x80"', "text-encoding"),  # a surrogate in UTF-8 is no UTF-8
    ],
)
def test_what_readers_disagree_on_is_refused(data: bytes, slug: str) -> None:
    assert slugs(data) == {slug}


def test_the_safe_integers_are_read_exactly() -> None:
    for number in (MAX_SAFE_INTEGER, -MAX_SAFE_INTEGER, 0):
        assert parse_json(b"[%d]" % number, "x.json") == [number]


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert parse_json(b'"\\ud83d\\ude00"', "x.json") == "\U0001f600"


def test_nesting_is_read_to_the_limit_and_no_deeper() -> None:
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        inner = b"1"
        assert parse_json(opening * MAX_DEPTH + inner + closing * MAX_DEPTH, "x.json")
        assert slugs(opening * (MAX_DEPTH + 1) + inner + closing * (MAX_DEPTH + 1)) == {"json-malformed"}


def test_nesting_to_the_limit_is_read_however_it_is_spaced() -> None:
    value = parse_json(b"[ " * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH, "x.json")
    for _ in range(MAX_DEPTH):
        (value,) = value
    assert value == 1


@pytest.mark.parametrize(
    ("text", "shallow"),
    [
        ("[" + "[{}]," * 2 * MAX_DEPTH + "[]]", True),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), False),
        ('["' + "[" * (MAX_DEPTH + 1) + '"]', False),  # deep or not: brackets of a text are not told apart
    ],
    ids=["many", "deep", "text"],
)
def test_nesting_is_known_from_the_brackets_alone(text: str, shallow: bool) -> None:
    assert strict.is_shallow(text.encode()) is shallow


@pytest.mark.parametrize(
    ("data", "marks"),
    [
        (b"[123456789012345]", (False, False)),
        (b"[1234567890123456]", (True, False)),
        (b"-5", (False, True)),
        (b'{"a": -123456789012345}', (False, True)),
        (b'{"a": -1234567890123456}', (True, True)),
        (b'"2026-11-30"', (False, False)),
    ],
)
def test_numbers_that_need_a_closer_look_are_marked(data: bytes, marks: tuple[bool, bool]) -> None:
    assert strict.number_marks(data) == marks


def test_endless_nesting_is_refused_and_not_a_crash() -> None:
    assert slugs(b"[" * 200_000) == {"json-malformed"}


def test_brackets_in_text_are_no_nesting() -> None:
    text = "[" * 300
    assert parse_json(json.dumps([text]).encode(), "x.json") == [text]


NUMBERS = st.one_of(
    st.integers(-MAX_SAFE_INTEGER - 3, MAX_SAFE_INTEGER + 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([-0.0, 1e16, 1e22, 5e-324, 0.1, 123456789012345680.0]),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=4)),
    max_leaves=12,
)
SPELLINGS = st.sampled_from([{"separators": (",", ":")}, {}, {"ensure_ascii": False}, {"indent": 1}])


def same(first: Any, second: Any) -> bool:
    """Equal in value and type, at every depth."""
    return first == second and repr(first) == repr(second)


@given(VALUES, SPELLINGS, st.booleans())
@example([-0.0], {}, False)
@example([-0.0], {}, True)
@example({"a": [9007199254740993]}, {"separators": (",", ":")}, False)
@example({"a": [2**64, -(2**70)]}, {"separators": (",", ":")}, True)
def test_the_quick_and_the_thorough_way_agree(value: Any, spelling: Any, any_number: bool) -> None:
    """What the quick way is certain of, the thorough way accepts and reads as the same."""
    data = json.dumps(value, **spelling).encode("utf-8", "surrogatepass")
    found, certain = strict._quick(data, any_number)
    if certain:
        assert same(found, strict._thorough(data, "x.json", "", any_number))


@given(st.text(alphabet='{}[],:"\\ud0189-+.eE \n\ttruefalsn', max_size=24))
@example('{"a":1,"a":1}')
@example("-0")
@example("[1E5]")
@example("0e1")
def test_both_ways_agree_on_scraps(text: str) -> None:
    data = text.encode()
    for any_number in (False, True):
        found, certain = strict._quick(data, any_number)
        if certain:
            assert same(found, strict._thorough(data, "x.json", "", any_number))


@given(st.binary(max_size=40))
def test_bytes_are_read_or_refused_and_nothing_else_happens(data: bytes) -> None:
    for parse in (parse_json, parse_jsonl):
        with suppress(Refused):
            parse(data, "x.json")


@given(st.lists(VALUES, max_size=5), SPELLINGS, st.booleans())
@example([{"a": 1}, [2, "b"]], {"ensure_ascii": False}, False)
@example([[-0.0], {"a": 2**63}], {"ensure_ascii": False}, True)
def test_json_lines_are_read_as_their_lines(rows: list[Any], spelling: Any, any_number: bool) -> None:
    if "indent" in spelling:
        return
    data = b"".join(json.dumps(row, **spelling).encode() + b"\n" for row in rows)
    try:
        expected = [parse_json(line, "x.jsonl", any_number=any_number) for line in data.split(b"\n")[:-1]]
    except Refused:
        assert slugs(data, parse_jsonl) <= {"json-malformed", "duplicate-key"}
    else:
        assert same(parse_jsonl(data, "x.jsonl", any_number=any_number), expected)


@pytest.mark.parametrize(
    "lines",
    [
        b'{"a": 1, "a": 1}\n{"b": 2}\n',  # a key twice
        b'{"a": 1}, {"b": 2}\n',  # two values on a line
        b'{"a":\n 1}\n',  # one value on two lines
    ],
)
def test_lines_that_together_look_spaced_are_still_refused_one_by_one(lines: bytes) -> None:
    for any_number in (False, True):
        with pytest.raises(Refused):
            parse_jsonl(lines, "x.jsonl", any_number=any_number)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1764512345123456789", 1764512345123456789),
        ("[-9007199254740993]", [-9007199254740993]),
        ("[1, 18446744073709551616]", [1, 2**64]),
        pytest.param("-" + "1" * MOST_DIGITS, -int("1" * MOST_DIGITS), id="the longest"),
        ('{"loss": -0.0}', {"loss": -0.0}),
        ("-0", 0),
    ],
)
def test_any_number_is_read_where_others_wrote_it(text: str, value: Any) -> None:
    assert refused(text.encode())
    assert same(parse_json(text.encode(), "x.json", any_number=True), value)
    assert same(parse_jsonl(text.encode() + b"\n", "x.jsonl", any_number=True), [value])


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e400", "01", "-" + "1" * 4301, "1" * 10**6], ids=len)
def test_what_is_no_finite_number_is_refused_all_the_same(text: str) -> None:
    with pytest.raises(Refused):
        parse_json(text.encode(), "x.json", any_number=True)


def test_lines_are_split_at_line_feeds_only() -> None:
    """Other separators of Unicode are text and end no line."""
    row = "a\u2028b\u0085c"
    assert parse_jsonl(json.dumps(row, ensure_ascii=False).encode() + b"\n", "x.jsonl") == [row]


@pytest.mark.parametrize(
    ("data", "place"), [(b"1", "line 1"), (b"1\n2", "line 2"), (b"\n1\n", "line 1"), (b"1\n\n2\n", "line 2")]
)
def test_a_torn_file_is_refused_with_its_line(data: bytes, place: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_jsonl(data, "x.jsonl")
    assert [(refusal.slug, refusal.path) for refusal in caught.value.refusals] == [("jsonl-torn", place)]


def test_an_empty_file_has_no_lines() -> None:
    assert parse_jsonl(b"", "x.jsonl") == []


def test_all_bad_lines_are_named_at_once() -> None:
    with pytest.raises(Refused) as caught:
        parse_jsonl(b'1\n{"a":1,"a":2}\n3\nNaN\n\xff\n6\r\n', "x.jsonl")
    assert [(refusal.slug, refusal.path) for refusal in caught.value.refusals] == [
        ("duplicate-key", "line 2"),
        ("json-malformed", "line 4"),
        ("text-encoding", "line 5"),
        ("text-encoding", "line 6"),
    ]


def test_no_more_bad_lines_are_looked_for_than_are_told() -> None:
    with pytest.raises(Refused) as caught:
        parse_jsonl(b"NaN\n" * (MOST_LOOKED_FOR + 2), "x.jsonl")
    assert [refusal.path for refusal in caught.value.refusals] == [f"line {n + 1}" for n in range(MOST_LOOKED_FOR)]


@pytest.mark.parametrize(
    ("data", "path", "found"),
    [
        (b'{"a": 1\n"b": 2}', "line 2 column 1", "Expecting ',' delimiter"),
        (b'{"a":1,"b":2,"b":3}', "", "b"),
    ],
)
def test_a_fault_is_told_with_its_place_or_its_key(data: bytes, path: str, found: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_json(data, "x.json")
    assert [(refusal.path, refusal.found) for refusal in caught.value.refusals] == [(path, found)]


def test_text_is_checked_with_the_line_of_its_fault() -> None:
    assert check_text("ä\n".encode(), "x") == "ä\n"
    for data, place in ((b"a\nb\r\n", "line 2"), (b"\xef\xbb\xbfa", "byte 0"), (b"ab\xff", "byte 2")):
        with pytest.raises(Refused) as caught:
            check_text(data, "x")
        assert [(r.slug, r.path) for r in caught.value.refusals] == [("text-encoding", place)]


@pytest.mark.parametrize("text", ["9" * 5_000, "-" + "9" * 18, f"[{'9' * 5_000}]"], ids=["bare", "negative", "listed"])
def test_a_number_of_many_digits_is_refused_before_it_is_made(text: str) -> None:
    """Python itself refuses to make an integer of thousands of digits, with an error of its own."""
    with pytest.raises(Refused) as caught:
        parse_json(text.encode(), "x.json")
    assert [refusal.slug for refusal in caught.value.refusals] == ["json-malformed"]


@pytest.mark.parametrize("number", ["-1.5", "0.0", "0", "-1", "1e-3"])
def test_an_ordinary_number_is_read_however_it_is_spaced(number: str) -> None:
    assert parse_json(f'{{"a" :{number}}}'.encode(), "x.json") == {"a": json.loads(number)}
