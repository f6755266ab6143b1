"""Function calls in a model's answer: native, JSON, tagged JSON, or in Python's syntax. Nothing is executed."""

from __future__ import annotations

import ast
import json
import keyword
import re
import warnings
from typing import Any, NoReturn

from sitegen.harness.foreign.calls import Call

LONGEST = 100_000
"""Characters of an answer beyond which it is no call."""

_CALL = re.compile(r"\[?\s*[A-Za-z_][\w.]*\(")
_MAY_WARN = re.compile(r"\\|\d[a-z]")
_TAGGED = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)

_LITERAL = (
    r"'[^'\\\x00-\x1f\ud800-\udfff]*'|\"[^\"\\\x00-\x1f\ud800-\udfff]*\""
    r"|-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?|True|False|None"
)
_ARGUMENT = re.compile(rf"([A-Za-z_][A-Za-z0-9_]*)=({_LITERAL})")
_PLAIN_CALL = re.compile(
    r"(\[)?([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)"
    rf"\(((?:{_ARGUMENT.pattern}(?:, (?!\))|(?=\))))*)\)(?(1)\])"
)
_NO_NAMES = frozenset((*keyword.kwlist, "__debug__"))
_CONSTANTS = {"True": True, "False": False, "None": None}


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


_strict = json.JSONDecoder(parse_constant=_no_number).decode
_FAULTS = (SyntaxError, ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError)


def decode(result: Any) -> list[Call] | None:
    """Return the calls in an answer: an empty list for prose, ``None`` for what was meant as a call and is none.

    Arguments in Python's syntax may be values that have no JSON form.
    """
    try:
        return _calls(result)
    except _FAULTS:
        return None


def _calls(result: Any) -> list[Call]:
    if isinstance(result, list):
        return [_native(name, arguments) for call in result for name, arguments in call.items()]
    text = result.strip()
    if "<tool_call>" in text:
        return [_described(_strict(part)) for part in _TAGGED.findall(text)]
    if text.startswith(("{", "[{")):
        return _json_calls(text)
    return _python_calls(text) if _CALL.match(text) else []


def _native(name: str, arguments: Any) -> Call:
    value = _strict(arguments) if isinstance(arguments, str) else arguments
    return name, _arguments(value)


def _json_calls(text: str) -> list[Call]:
    try:
        value = _strict(text)
    except ValueError:
        value = [_strict(part) for part in text.split(";")]  # Llama's way to write several
    return [_described(call) for call in (value if isinstance(value, list) else [value])]


def _described(call: Any) -> Call:
    return str(call["name"]), _arguments(call["arguments"] if "arguments" in call else call["parameters"])


def _arguments(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("arguments that are no object")
    return value


def _python_calls(text: str) -> list[Call]:
    if len(text) > LONGEST:
        raise ValueError("too long for a call")
    if (call := _plain_call(text)) is not None:
        return [call]
    tree = _parsed(text if text.startswith("[") else f"[{text}]")
    items = tree.body.elts if isinstance(tree.body, ast.List) else [tree.body]
    return [_python_call(item) for item in items]


def _plain_call(text: str) -> Call | None:
    """Return what most answers are, one call with plain literals, as ``ast`` reads it and in a third of its time.

    Returns ``None`` for any other text, which may be a call all the same (a property test holds both together).
    """
    match = _PLAIN_CALL.fullmatch(text)
    if match is None:
        return None
    name, arguments = match[2], {key: _literal(value) for key, value in _ARGUMENT.findall(match[3])}
    plain = _NO_NAMES.isdisjoint(arguments) and _NO_NAMES.isdisjoint(name.split("."))
    return (name, arguments) if plain else None


def _literal(text: str) -> Any:
    if text[0] in "'\"":
        return text[1:-1]
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    return float(text) if "." in text else int(text)


def _parsed(text: str) -> ast.Expression:
    """Parse without a warning: a model's odd escapes and numbers are no concern of the user's terminal."""
    if not _MAY_WARN.search(text):
        return ast.parse(text, mode="eval")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval")


def _python_call(node: ast.expr) -> Call:
    if not isinstance(node, ast.Call) or node.args:
        raise ValueError("not a call with named arguments")
    return _dotted(node.func), {_keyword(part): _value(part.value) for part in node.keywords}


def _keyword(part: ast.keyword) -> str:
    if part.arg is None:
        raise ValueError("arguments that are not spelt out")
    return part.arg


def _value(node: ast.expr) -> Any:
    """Return a literal; a bare name or formula stays the text that it is."""
    if isinstance(node, ast.Constant):
        return node.value
    try:
        return ast.literal_eval(node)
    except ValueError:
        if isinstance(node, (ast.Name, ast.BinOp)):
            return ast.unparse(node)
        raise


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    if isinstance(node, ast.Name):
        return node.id
    raise ValueError("not a function's name")
