from __future__ import annotations

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
