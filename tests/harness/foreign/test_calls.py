from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.harness.foreign.calls import as_artifact


def test_calls_have_one_form_whatever_the_order_of_their_arguments() -> None:
    one, other = as_artifact([("f", {"b": 1, "a": "é"})]), as_artifact([("f", {"a": "é", "b": 1})])
    assert one == other == '[["f", {"a": "é", "b": 1}]]'


def test_no_call_is_no_artifact() -> None:
    assert as_artifact([]) is None


def test_what_json_cannot_say_is_an_error() -> None:
    for value in (float("nan"), {1, 2}, b"x"):
        with pytest.raises((TypeError, ValueError)):
            as_artifact([("f", {"a": value})])


@pytest.mark.parametrize("calls", [[("f", {"a": "\ud800"})], [("f", {"é\udfff": 1})], [("\udcff", {})]])
def test_half_of_a_surrogate_pair_is_an_error_and_a_whole_one_a_character(calls: list[tuple[str, Any]]) -> None:
    with pytest.raises(ValueError, match="surrogates"):
        as_artifact(calls)
    assert as_artifact([("f", {"a": json.loads('"\\ud83d\\ude00"')})]) == '[["f", {"a": "😀"}]]'
