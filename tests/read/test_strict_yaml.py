"""Strict YAML: plain mappings, lists and scalars on which YAML 1.1 and 1.2 agree."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from sitegen.read.strict import MAX_DEPTH, MAX_SAFE_INTEGER
from sitegen.read.strict_yaml import YAML_LIMIT, parse_yaml, plain_scalar
from sitegen.refusals import Refused


def slugs(text: str | bytes) -> list[tuple[str, str]]:
    with pytest.raises(Refused) as caught:
        parse_yaml(text if isinstance(text, bytes) else text.encode(), "x.yaml")
    return [(refusal.slug, refusal.path) for refusal in caught.value.refusals]


def test_plain_values_are_read() -> None:
    text = """\
# a comment
title: Repair, version 3
"n": 40
rate: 0.5
small: 1.5e-3
none: null
empty:
yes_text: "yes"
flag: true
list: [a, 1, {b: c}]
block:
  - x
  - w: z
text: |
  line
"""
    assert parse_yaml(text.encode(), "x.yaml") == {
        "title": "Repair, version 3",
        "n": 40,
        "rate": 0.5,
        "small": 0.0015,
        "none": None,
        "empty": None,
        "yes_text": "yes",
        "flag": True,
        "list": ["a", 1, {"b": "c"}],
        "block": ["x", {"w": "z"}],
        "text": "line\n",
    }


@pytest.mark.parametrize(
    "text",
    [
        *("010", "08", "1:30", "190:20:30", "1_000", "0x1F", "-0x1F", "0o17", "0b1", "1e3", "1.5e3", "1.", ".5", "-.5"),
        *("yes", "No", "ON", "off", "y", "N", "True", "FALSE", "Null", "NULL", "=", "<<", ".inf", "-.INF", ".NaN"),
        *("2026-11-30", "2026-11-30T09:32:00Z", "-0", "+0", "-0.0", "9007199254740992", "1.2.3"),
    ],
)
def test_what_readers_take_differently_must_be_quoted(text: str) -> None:
    assert slugs(f"a: {text}\n") == [("yaml-unsupported", "line 1")]
    assert parse_yaml(f'a: "{text}"\n'.encode(), "x.yaml") == {"a": text}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: &x 1\nb: *x\n", 1),
        ("b:\n  c: *x\n", 2),
        ("a: !!str 1\n", 1),
        ("a: !thing {}\n", 1),
        ("a: ! 1\n", 1),
        ("a: {b: 1}\nc:\n  <<: {d: 1}\n", 3),
        ("%YAML 1.1\n---\na: 1\n", 1),
        ("a: 1\n---\nb: 2\n", 2),
        ("1: a\n", 1),
        ("? [a]\n: b\n", 1),
        ("null: a\n", 1),
    ],
)
def test_what_readers_do_not_share_is_refused(text: str, line: int) -> None:
    assert slugs(text) == [("yaml-unsupported", f"line {line}")]


def test_a_repeated_key_is_refused_at_every_depth() -> None:
    assert slugs("a: 1\nb: 2\na: 3\n") == [("duplicate-key", "line 3")]
    assert slugs("a: [{b: 1, 'b': 2}]\n") == [("duplicate-key", "line 1")]


@pytest.mark.parametrize("text", ["a: [1\n", "a: 'b\n", "a:\n\tb: 1\n", "", "# nothing\n", "a: \x07\n", "a: b: c\n"])
def test_what_is_no_yaml_is_refused(text: str) -> None:
    assert [slug for slug, _ in slugs(text)] == ["yaml-malformed"]


@pytest.mark.parametrize("data", [b"a: 1\r\n", b"\xef\xbb\xbfa: 1\n", b"a: \xff\n"])
def test_the_text_is_plain_utf8(data: bytes) -> None:
    assert [slug for slug, _ in slugs(data)] == ["text-encoding"]


def test_deep_nesting_is_refused_and_not_a_crash() -> None:
    assert [slug for slug, _ in slugs("a: " + "[" * 120 + "]" * 120)] == ["yaml-unsupported"]
    assert [slug for slug, _ in slugs("a: " + "[" * 50_000)] in (["yaml-unsupported"], ["yaml-malformed"])


def core_schema(text: str) -> Any:
    """What YAML 1.2's core schema makes of an unquoted scalar (section 10.3.2 of the specification)."""
    if text in ("null", "Null", "NULL", "~", ""):
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text.lower() == "true"
    if re.fullmatch(r"[-+]?[0-9]+", text):
        return int(text)
    if re.fullmatch(r"0o[0-7]+", text):
        return int(text[2:], 8)
    if re.fullmatch(r"0x[0-9a-fA-F]+", text):
        return int(text[2:], 16)
    if re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", text):
        return float(text)
    if re.fullmatch(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", text):
        return float(text.replace(".", "").lower())
    return text


WORDS = ["yes", "no", "on", "off", "true", "null", "True", "NO", "Off", "~", "y", "n", ".inf", "-.inf", ".nan", "0x_1"]


@given(
    st.one_of(
        st.from_regex(r"[-+]?[0-9a-fA-FxobeE_.:]{1,8}", fullmatch=True),
        st.sampled_from(WORDS),
        st.from_regex(r"[A-Za-z][A-Za-z0-9_./-]{0,8}", fullmatch=True),
        st.from_regex(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(T[0-9:]{5})?", fullmatch=True),
    )
)
@example("-0x1F")
@example("0o7")
@example("1e5")
def test_an_accepted_scalar_means_the_same_in_both_versions(text: str) -> None:
    try:
        found = plain_scalar(text)
    except ValueError:
        return
    try:
        parsed = yaml.safe_load(f"a: {text}\n")
    except (yaml.YAMLError, ValueError):
        return  # not one scalar: the parser says no before its meaning is asked
    if not isinstance(parsed, dict) or list(parsed) != ["a"] or isinstance(parsed["a"], (dict, list)):
        return
    for other in (parsed["a"], core_schema(text)):
        assert (found, type(found)) == (other, type(other))


@given(st.text(max_size=40))
def test_text_is_read_or_refused_and_nothing_else_happens(text: str) -> None:
    with suppress(Refused):
        parse_yaml(text.encode("utf-8", "surrogatepass"), "x.yaml")


def test_yaml_is_read_up_to_its_limit() -> None:
    """Documents by hand are small; the parser takes time and memory for many times their size."""
    head = b"a: 1\n#"
    largest = head + b"x" * (YAML_LIMIT - len(head) - 1) + b"\n"
    assert parse_yaml(largest, "x.yaml") == {"a": 1}
    assert slugs(largest + b"\n") == [("file-too-large", "")]


def test_nesting_is_read_up_to_its_depth() -> None:
    assert parse_yaml(b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH, "x.yaml") != 1
    assert slugs("[" * (MAX_DEPTH + 1) + "1" + "]" * (MAX_DEPTH + 1)) == [("yaml-unsupported", "line 1")]


@pytest.mark.parametrize("text", ["a: *x\n", "%TAG ! tag:example.org,2026:\n---\na: 1\n", "%YAML 1.1\n---\na: 1\n"])
def test_aliases_and_directives_are_refused_by_themselves(text: str) -> None:
    assert [slug for slug, _ in slugs(text)] == ["yaml-unsupported"]


@pytest.mark.parametrize("text", [str(MAX_SAFE_INTEGER), f"-{MAX_SAFE_INTEGER}", "0.0", "1.5", "-1.5", "1.0e-3"])
def test_numbers_that_all_readers_keep_are_read(text: str) -> None:
    assert parse_yaml(f"a: {text}\n".encode(), "x.yaml") == {"a": json.loads(text)}


@pytest.mark.parametrize(
    "text",
    [
        *(str(MAX_SAFE_INTEGER + 1), f"-{MAX_SAFE_INTEGER + 1}", "9" * 5_000),
        *("1e999", "-1e999", "1.0e+999", "-1.0e+999", "-0.0", "-0"),
    ],
    ids=lambda text: text[:20],
)
def test_numbers_that_readers_do_not_keep_are_refused(text: str) -> None:
    assert [slug for slug, _ in slugs(f"a: {text}\n")] == ["yaml-unsupported"]


@pytest.mark.parametrize(("text", "found"), [("a: [\n", "node content"), ("a: \x01\n", "position 3")])
def test_what_is_wrong_is_said_in_the_parsers_words(text: str, found: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_yaml(text.encode(), "x.yaml")
    (refusal,) = caught.value.refusals
    assert found in (refusal.found or "")
    assert refusal.found != "None"
    assert 'in "<' not in (refusal.found or "") or found == "position 3"
