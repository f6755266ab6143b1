"""Plain values as YAML that every reader reads alike."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from sitegen.harness.yaml_text import yaml_text
from sitegen.read.strict_yaml import parse_yaml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: str(x) != "-0.0"),
    TEXT,
    st.sampled_from(["yes", "1:30", "010", ".5", ".inf", "~", "null", "=", "<<", "-", "...", "a: b", "#", "\u2028"]),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=10,
)


@given(st.dictionaries(TEXT, VALUES, max_size=4))
@example({"a": ".5", "b": "\x85\u2028\ufeff\x7f", "n": {}, "c": [], "d": [{}], "e": 1e22, "f": 5e-324, ".5": 1})
@example({"\U0001f600": "\ufffe"})
def test_what_is_written_is_read_as_it_was(value: dict[str, Any]) -> None:
    """By the strict reader, and by a common reader of YAML 1.1."""
    text = yaml_text(value)
    if not value:
        return
    found = parse_yaml(text.encode(), "x.yaml")
    assert found == value
    assert repr(found) == repr(value)
    assert yaml.safe_load(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": "plain"}, "a: plain\n"),
        ({"a": "./tasks/x.jsonl"}, "a: ./tasks/x.jsonl\n"),
        ({"a": "yes"}, 'a: "yes"\n'),
        ({"n": 1}, '"n": 1\n'),
        ({"a": {"b": [1, "x"]}}, "a:\n  b: [1, x]\n"),
        ({"a": [[1, 2], [3]]}, "a:\n  - [1, 2]\n  - [3]\n"),
        ({"a": 1e-07}, "a: 1.0e-07\n"),
        ({"a": None, "b": True}, "a: null\nb: true\n"),
    ],
)
def test_the_form_is_fixed(value: dict[str, Any], text: str) -> None:
    assert yaml_text(value) == text
