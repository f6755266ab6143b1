"""BFCL's possible answers: a call that matches one is brought to the form of the first accepted value.

The leaderboard accepts several values for an argument, and lets optional ones be left out (``""`` among the accepted).
So that an exact comparison means what the leaderboard means, accepted values become the first one and optional
arguments that hold an accepted value are dropped. A value that is not accepted stays as the model wrote it. Texts are
compared as the leaderboard's own checker does, without case, spaces and ``,./-_*^``; numbers inside lists and objects
must have the listed type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sitegen.harness.foreign.calls import Call

Answer = Sequence[Any]
"""For each expected call ``{"name": {"argument": [accepted, …]}}``."""

_PUNCTUATION = re.compile(r"[ ,./\-_*^]")
_OPTIONAL = ""


def as_accepted(calls: Sequence[Call], answer: Answer | None) -> list[Call]:
    """Return ``calls`` with accepted values in their first form; as they are where there is no answer."""
    expected = list(answer or ())
    return [
        (name, _accepted(arguments, expected[index].get(name)) if index < len(expected) else arguments)
        for index, (name, arguments) in enumerate(calls)
    ]


def _accepted(arguments: Mapping[str, Any], expected: Any) -> Mapping[str, Any]:
    if not isinstance(expected, dict):
        return arguments
    made: dict[str, Any] = {}
    for name, value in arguments.items():
        values = expected.get(name)
        if not isinstance(values, list) or not any(_matches(value, accepted) for accepted in values):
            made[name] = value
        elif _OPTIONAL not in values:
            made[name] = values[0]
    return made


def _matches(value: Any, accepted: Any, *, inside: bool = False) -> bool:
    if _is_number(value) and _is_number(accepted):
        return bool(value == accepted) and (not inside or type(value) is type(accepted))
    if type(value) is not type(accepted):
        return False
    if isinstance(value, str):
        return _plain(value) == _plain(accepted)
    if isinstance(value, dict):
        return _matches_object(value, accepted)
    if isinstance(value, list):
        pairs = zip(value, accepted, strict=False)
        return len(value) == len(accepted) and all(_matches(one, other, inside=True) for one, other in pairs)
    return bool(value == accepted)


def _matches_object(value: Mapping[str, Any], accepted: Mapping[str, Any]) -> bool:
    """Each key's value is one of those listed for it, and no key is missing that may not be."""
    listed = all(name in accepted for name in value)
    return (
        listed
        and all(any(_matches(part, one, inside=True) for one in accepted[name]) for name, part in value.items())
        and all(name in value or _OPTIONAL in ones for name, ones in accepted.items())
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _plain(text: str) -> str:
    return _PUNCTUATION.sub("", text).lower().replace("'", '"')
