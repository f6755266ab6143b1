"""The quick way from bytes to records gives what the thorough way gives, record or refusals, whatever the bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import Meta

from sitegen.read import decoding
from sitegen.read.decoding import decoded, decoded_lines
from sitegen.read.schema import Format, is_open, typed, typed_rows
from sitegen.read.strict import MAX_DEPTH, parse_json, parse_jsonl
from sitegen.read.transcript import Transcript
from sitegen.refusals import Refused


class Row(Format, frozen=True, kw_only=True, omit_defaults=True):
    id: Annotated[str, Meta(max_length=9)]
    n: int
    x: float | None = None
    names: tuple[str, ...] = ()
    table: dict[str, int] = {}  # noqa: RUF012 (msgspec copies a default for every record)
    extra: dict[str, Any] | None = None


class Closed(Format, frozen=True, kw_only=True):
    rows: tuple[tuple[str, int], ...]


TEXTS = (
    '"a"',
    '""',
    '"a:b"',
    '"a\\u003ab"',
    '"\\"n\\":1"',
    '" -5, {["',
    '"\\ud800"',
    '"\r"',
    '"e\u0301"',
    '"0123456789abcde"',
)
NUMBERS = (
    "0",
    "1",
    "-1",
    "-0",
    "-0.0",
    "1.0",
    "1.5",
    "1e2",
    "1E400",
    "-1e-400",
    "9007199254740993",
    "12345678901234567.5",
)
OTHERS = ("null", "true", "[]", "{}", "NaN", '[" "]', '{"a":1,"a":2}', '{"a":-0}', '{"b" :\t-0.0}', "[[[[]]]]")
KEYS = ('"id"', '"n"', '"x"', '"names"', '"table"', '"extra"', '"i\\u0064"', '"other"')
SPACES = st.sampled_from(("", "", "", " ", "\t", "\r"))
PAIRS = st.tuples(st.sampled_from(KEYS), SPACES, SPACES, st.sampled_from((*TEXTS, *NUMBERS, *OTHERS)))


@st.composite
def documents(draw: st.DrawFn) -> str:
    first = [('"id"', "", "", draw(st.sampled_from(TEXTS))), ('"n"', "", "", draw(st.sampled_from(NUMBERS)))]
    pairs = first[: draw(st.integers(0, 9))] + draw(st.lists(PAIRS, max_size=4))
    return "{" + ",".join(f"{key}{before}:{after}{value}" for key, before, after, value in pairs) + "}"


def outcome(read: Callable[[], Any]) -> Any:
    """The record, with its numbers' types told apart, or the refusals."""
    try:
        return repr(read())
    except Refused as refused:
        return refused.refusals


@settings(max_examples=500)
@given(documents())
@example('{"id":"a","n":1,"n":1}')
@example('{"id":"a","n":-0}')
@example('{"id":"a","n":1,"x":-1e-400}')
@example('{"id":"a","n":1,"x":12345678901234567890}')
@example('{"id":"a\\u003a","n":1,"n":1}')
@example('{"id":"a","n":1,"extra":' + '{"a":' * (MAX_DEPTH - 1) + "1" + "}" * MAX_DEPTH)
@example('{"id":"a","n":1,"extra":' + '{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH + "}")
@example('{"id":"a","n":1,"extra":{"a":[{"b":1,"b":1}]}}')
def test_a_document_is_read_as_the_thorough_way_reads_it(text: str) -> None:
    data = text.encode()
    assert outcome(lambda: decoded(data, Row, "x")) == outcome(lambda: typed(parse_json(data, "x"), Row, "x"))


@settings(max_examples=300)
@given(st.lists(documents(), max_size=4), st.sampled_from(("\n", "\n\n", "", " \n")))
@example(['{"id":"a","n":1}{"id":"a","n":1}', '{"id":"a",', '"n":1}'], "\n")
@example(['{"id":"a","n":1}'], "")
@example(['{"id":"a","n":1}', "5"], "")
@example([], "\n")
def test_lines_are_read_as_the_thorough_way_reads_them(lines: list[str], end: str) -> None:
    data = ("\n".join(lines) + end).encode()
    quick = outcome(lambda: decoded_lines(data, Row, "x"))
    assert quick == outcome(lambda: typed_rows(parse_jsonl(data, "x"), Row, "x"))


@pytest.mark.parametrize(
    "data", [b'{"id":"\xff","n":1}', b'\xef\xbb\xbf{"id":"a","n":1}', b'{"id":"\xed\xa0\x80","n":1}']
)
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    with pytest.raises(Refused) as caught:
        decoded(data, Row, "x")
    assert caught.value.refusals[0].slug == "text-encoding"


def test_usual_bytes_go_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "parse_json", None)
    monkeypatch.setattr(decoding, "parse_jsonl", None)
    line = b'{"id": "a:b-5", "n": 1, "x": 0, "extra": {"a": ["b"]}}'
    assert decoded(line, Row, "x").extra == {"a": ["b"]}
    assert [row.n for row in decoded_lines(line + b"\n" + line + b"\n", Row, "x")] == [1, 1]
    brackets = "[{" * MAX_DEPTH  # in a text, where nothing may be nested more deeply than the record says
    assert decoded(f'{{"rows": [["{brackets}", 1]]}}'.encode(), Closed, "x").rows == ((brackets, 1),)


def test_a_record_that_may_hold_anything_is_known() -> None:
    assert is_open(Row)
    assert is_open(Transcript)
    assert not is_open(Closed)
