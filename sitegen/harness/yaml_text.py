"""Write plain values as YAML that every reader reads alike: text is quoted wherever a reader could differ."""

from __future__ import annotations

import json
import re
from typing import Any

_PLAIN = re.compile(r"(?!(?:y|n|yes|no|on|off|true|false|null)\Z)(?:[A-Za-z_]|\.{0,2}/)[A-Za-z0-9_./-]*", re.IGNORECASE)
# What a YAML reader refuses or folds inside quotation marks, though JSON leaves it as it is.
_NOT_VERBATIM = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def yaml_text(value: dict[str, Any]) -> str:
    """Return ``value`` (objects, lists, text, finite numbers, truth values, null) as block-style YAML.

    The form is fixed, so that the same value gives the same bytes.
    """
    return "".join(f"{line}\n" for line in _mapping(value, ""))


def _mapping(value: dict[str, Any], indent: str) -> list[str]:
    lines: list[str] = []
    for key, part in value.items():
        name = f"{indent}{_text(key)}:"
        if isinstance(part, dict) and part:
            lines += [name, *_mapping(part, f"{indent}  ")]
        elif isinstance(part, list) and part and any(isinstance(item, (dict, list)) for item in part):
            lines += [name, *(f"{indent}  - {_flow(item)}" for item in part)]
        else:
            lines.append(f"{name} {_flow(part)}")
    return lines


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)}: {_flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(part) for part in value) + "]"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _number(value)
    return json.dumps(value)


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    return _NOT_VERBATIM.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _number(value: float) -> str:
    text = repr(value)
    if "e" not in text:
        return text
    mantissa, _, exponent = text.partition("e")
    sign = exponent if exponent[0] in "+-" else f"+{exponent}"
    return f"{mantissa}{'' if '.' in mantissa else '.0'}e{sign}"
