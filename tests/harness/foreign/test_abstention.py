from __future__ import annotations

from typing import Any

import pytest

from sitegen.harness.foreign.abstention import decide
from sitegen.harness.foreign.choices import parse_signal
from sitegen.harness.foreign.sample import Sample

ALL = ("no-call", "answer=I cannot", "score=N", "tool=give_up", "metadata.abstained=true", "never")


def decided(*signals: str, score: Any = None, **fields: Any) -> tuple[bool | None, str | None, str | None]:
    return decide(Sample(id="a", place="", **fields), tuple(map(parse_signal, signals)), score)


def test_without_a_signal_it_is_unknown() -> None:
    assert decided(answer="I cannot") == (None, "I cannot", None)
    assert decided(said="prose", calls=0) == (None, None, "prose")


@pytest.mark.parametrize("status", ["error", "timeout", "blocked", "unparseable", "not_run"])
def test_what_failed_is_never_an_abstention(status: Any) -> None:
    """A connection error that looks like silence, or even like an abstention, stays an error."""
    fields = {"status": status, "tools": ["give_up"], "metadata": {"abstained": True}, "said": "I cannot"}
    assert decided(*ALL, score="N", **fields)[0] is False


@pytest.mark.parametrize("answer", [None, "", "  \n"])
def test_an_empty_answer_is_never_an_abstention(answer: str | None) -> None:
    assert decided("no-call", "answer=I cannot", "score=N", score="N", answer=answer, calls=0)[0] is False


def test_a_signal_in_the_answer_takes_the_artifact_away_and_keeps_the_text() -> None:
    assert decided("answer=I cannot", answer=" I cannot\n") == (True, None, " I cannot\n")
    assert decided("score=N", score="N", answer="[]") == (True, None, "[]")
    assert decided("no-call", said="no function fits", calls=0) == (True, None, "no function fits")


def test_a_signal_beside_the_answer_leaves_the_artifact() -> None:
    """Who says that it abstains and hands something in all the same is held to what it handed in."""
    assert decided("tool=give_up", answer="x", tools=["give_up"]) == (True, "x", None)
    assert decided("metadata.abstained=true", answer="x", metadata={"abstained": True}) == (True, "x", None)


def test_a_signal_that_does_not_fire_makes_it_known_that_it_did_not() -> None:
    assert decided(*ALL, answer="42", tools=["other"], score="C") == (False, "42", None)
    assert decided("never", answer="I cannot") == (False, "I cannot", None)


def test_a_call_that_could_not_be_read_is_no_missing_call() -> None:
    assert decided("no-call", answer='[f(x="', calls=0) == (False, '[f(x="', None)


def test_part_of_an_answer_is_not_the_answer() -> None:
    assert decided("answer=I cannot", answer="I cannot help but answer 42")[0] is False


def test_numbers_and_truth_values_are_written_as_on_a_command_line() -> None:
    assert decided("score=0", score=0, answer="x")[0] is True
    assert decided("score=0", score=False, answer="x")[0] is False
    assert decided("score=false", score=False, answer="x")[0] is True
