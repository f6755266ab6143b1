from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.harness.foreign import bfcl_calls
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


_WORDS = st.sampled_from(["f", "a", "b1", "_", "if", "None", "__debug__", "match", "é", "a.b", "a.in", "1a", "a ", ""])
_NUMBERS = ("0", "-0", "-0.0", "1.50", "007", "1_0", "1e3", "2.", ".5", "9" * 15, "9" * 16, "1+1")
_STRINGS = ("'it'", '"a, b=1)"', "'\\n'", "''", "'a' 'b'", "'é\x85\u2028'", "'a\nb'", "'\ud800'", "'\0'", "f'x'")
_VALUES = st.sampled_from((*_NUMBERS, *_STRINGS, "True", "None", "true", "x", "[1]"))
_ARGUMENTS = st.tuples(_WORDS, st.just("="), _VALUES).map("".join)
_TEXTS = st.tuples(
    st.sampled_from(["[", "", "[ "]),
    _WORDS,
    st.just("("),
    st.tuples(st.sampled_from([", ", ", ", ",", " ,"]), st.lists(_ARGUMENTS, max_size=3)).map(
        lambda made: made[0].join(made[1])
    ),
    st.sampled_from([")", ", )", ",)", "))", ""]),
    st.sampled_from(["]", "", ", f()]", " "]),
).map("".join)


@given(_TEXTS)
@settings(max_examples=1000)
def test_a_plain_call_is_read_as_pythons_own_parser_reads_it(text: str) -> None:
    quick = bfcl_calls._plain_call(text)
    if quick is not None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bfcl_calls, "_plain_call", lambda text: None)
            assert repr(decode(text)) == repr([quick])  # -0.0 and 0, 1 and True are not the same


@pytest.mark.parametrize("text", ["[f()]", "f(a=1)", "[a.b(c='x, y', d=-1.5, e=\"it's\", g=None, h=True)]"])
def test_plain_calls_are_read_the_quick_way(text: str) -> None:
    assert bfcl_calls._plain_call(text) is not None


@pytest.mark.parametrize(
    "text", ["f(if=1)", "f(__debug__=1)", "a.in(b=1)", "[f(a=1)", "f(a=1)]", "f(a=007)", "f(a='\\n')"]
)
def test_what_is_not_plain_is_left_to_pythons_own_parser(text: str) -> None:
    assert bfcl_calls._plain_call(text) is None
