"""Compact JSON is the same JSON, in UTF-8 whatever it holds."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sitegen.read.encoding import compact_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_it_reads_back_as_the_value(value: object) -> None:
    assert json.loads(compact_json(value)) == value
    assert json.loads(compact_json(value, ordered=True)) == value


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), st.integers(-9, 9)))
def test_it_is_what_the_standard_library_writes(value: dict[str, int]) -> None:
    for ordered in (False, True):
        text = json.dumps(value, ensure_ascii=False, sort_keys=ordered, separators=(",", ":"))
        assert compact_json(value, ordered=ordered) == text.encode()


def test_half_of_a_pair_is_written_as_its_escape() -> None:
    assert compact_json({"b": "\ud800", "a": 1}, ordered=True) == rb'{"a":1,"b":"\ud800"}'
