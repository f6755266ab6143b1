from __future__ import annotations

import warnings
from typing import Any

import pytest

from sitegen.harness.foreign.bfcl_calls import decode

AREA = [("area", {"base": 10, "unit": "cm"})]


@pytest.mark.parametrize(
    "answer",
    [
        '[area(base=10, unit="cm")]',
        "area(base=10, unit='cm')",
        '<tool_call>\n{"name": "area", "arguments": {"base": 10, "unit": "cm"}}\n</tool_call>',
        '[{"name": "area", "arguments": {"base": 10, "unit": "cm"}}]',
        '{"name": "area", "parameters": {"base": 10, "unit": "cm"}}',
        [{"area": {"base": 10, "unit": "cm"}}],
        [{"area": '{"base": 10, "unit": "cm"}'}],
    ],
)
def test_one_call_has_many_spellings(answer: Any) -> None:
    assert decode(answer) == AREA


def test_several_calls_and_dotted_names() -> None:
    two = [("a.b.c", {"x": [1, {"y": None}]}), ("d", {})]
    assert decode("[a.b.c(x=[1, {'y': None}]), d()]") == two
    assert decode('{"name": "e", "parameters": {}};{"name": "d", "parameters": {}}') == [("e", {}), ("d", {})]


@pytest.mark.parametrize("answer", ["", "[]", "[None]", "None of the tools applies.", "f is (perhaps) right", []])
def test_prose_makes_no_call(answer: Any) -> None:
    assert decode(answer) == []


@pytest.mark.parametrize(
    "answer",
    [
        "[area(10)]",
        "[area(base=10]",
        "area(**known)",
        "[area(base=open('x'))]",
        '[{"name": "area", "arguments": {"base": 10}]',
        '{"name": "area", "parameters": {"base": NaN}}',
        '{"name": "area", "parameters": "none"}',
        [{"area": "not json"}],
        "f(" * 5000,
        "f(x=" + "-" * 50_000 + "1)",
        "f(x=" + "[" * 3000 + "]" * 3000 + ")",
        "f(x='" + "y" * 200_000 + "')",
        '{"name": "f", "arguments": ' + '{"a":' * 50_000 + "1" + "}" * 50_000 + "}",
    ],
    ids=range(13),
)
def test_what_was_meant_as_a_call_and_is_none(answer: Any) -> None:
    assert decode(answer) is None


def test_a_bare_name_or_a_formula_stays_text_and_nothing_runs() -> None:
    assert decode("[f(x=my_data, y=4*pi*10**-7)]") == [("f", {"x": "my_data", "y": "4 * pi * 10 ** (-7)"})]
    assert decode("[f(x=9**9**9**9)]") == [("f", {"x": "9 ** 9 ** 9 ** 9"})]


def test_odd_escapes_say_nothing_on_the_terminal() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert decode(r"f(x='\d')") == [("f", {"x": r"\d"})]
