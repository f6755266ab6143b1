"""The published schemas say of every file what the readers say."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import jsonschema
import pytest
import yaml
from msgspec import Meta, Struct

from sitegen.read.formats import FORMATS, published_schema
from sitegen.read.shipped import templates_dir
from tests.sites import make_protocol, make_run

ROOT = Path(__file__).resolve().parent.parent.parent

YAML_FILES = {
    "protocols/*/protocol.yaml": "protocol",
    "protocols/*/protocol.sealed.yaml": "protocol-sealed",
    "contestants/*/manifest.yaml": "manifest",
    "reports/*/*/manifest.yaml": "manifest",
}
JSON_FILES = {
    "reports/*/*/report.json": "report",
    "reports/*/ledger/*.json": "event",
    "reports/*/*/receipt.json": "receipt",
}
LINES = {"transcripts.jsonl": "transcript", "verdicts.jsonl": "verdict"}


def schema(name: str) -> dict[str, Any]:
    return published_schema(name, *FORMATS[name])


def check(name: str, value: Any) -> None:
    jsonschema.Draft202012Validator(schema(name)).validate(value)


def patterns(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in part.items():
            yield from [value] if key == "pattern" and isinstance(value, str) else patterns(value)
    elif isinstance(part, list):
        for item in part:
            yield from patterns(item)


def documents(root: Path) -> Iterator[tuple[str, Path, Any]]:
    """Every file of a site that has a format: (format, path, value)."""
    for pattern, name in YAML_FILES.items():
        for path in sorted(root.glob(pattern)):
            yield name, path, yaml.safe_load(path.read_bytes())
    for pattern, name in JSON_FILES.items():
        for path in sorted(root.glob(pattern)):
            yield name, path, json.loads(path.read_bytes())
    for path in sorted([*root.glob("reports/*/*/*.jsonl"), *root.glob("protocols/*/**/*.jsonl")]):
        name = LINES.get(path.name, "null-pack-row" if path.name.startswith("null_pack") else "task")
        for line in path.read_bytes().splitlines():
            yield name, path, json.loads(line)
    settings = root / "sitegen.toml"
    if settings.is_file():
        yield "settings", settings, tomllib.loads(settings.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FORMATS)
def test_a_schema_is_a_schema_and_portable(name: str) -> None:
    made = schema(name)
    jsonschema.Draft202012Validator.check_schema(made)
    assert made["$id"] == f"urn:sitegen:{name}"
    for pattern in patterns(made):
        assert pattern.endswith("$")
        assert "\\Z" not in pattern


class Word(Struct):
    """A record with a field that is called as the keyword of a schema is."""

    pattern: Annotated[str, Meta(pattern="^a+\\Z")]
    start: Annotated[str, Meta(pattern="^a")]
    end: str = "\\Z"


def test_a_pattern_ends_as_every_dialect_writes_it_whatever_a_field_is_called() -> None:
    fields = published_schema("word", Word, "a word")["$defs"]["Word"]["properties"]
    assert fields["pattern"] == {"type": "string", "pattern": "^a+$"}
    assert fields["start"] == {"type": "string", "pattern": "^a"}
    assert fields["end"]["default"] == "\\Z"


def test_everything_that_is_shipped_has_its_form() -> None:
    validators = {name: jsonschema.Draft202012Validator(schema(name)) for name in FORMATS}
    seen = set()
    for name, path, value in documents(ROOT):
        seen.add(name)
        for error in validators[name].iter_errors(value):
            pytest.fail(f"{path.relative_to(ROOT)}: {error.json_path}: {error.message}")
    assert {"protocol", "protocol-sealed", "manifest", "task", "null-pack-row", "event"} <= seen


def test_what_the_corpus_accepts_has_its_form() -> None:
    """Cases that end with exit 0 hold nothing that the readers refuse, so the schemas may not either; drafts may."""
    validators = {name: jsonschema.Draft202012Validator(schema(name)) for name in FORMATS}
    checked = 0
    for case in sorted((ROOT / "tests" / "corpus").glob("*/expected.json")):
        stated = json.loads(case.read_bytes())
        if stated["exit"] == 0 and "protocol-draft" not in stated["slugs"]:
            for name, path, value in documents(case.parent / "input"):
                checked += 1
                for error in validators[name].iter_errors(value):
                    pytest.fail(f"{path.relative_to(ROOT)}: {error.json_path}: {error.message}")
    assert checked


def test_the_starter_has_its_form() -> None:
    folder = templates_dir() / "protocol"
    check("protocol", yaml.safe_load((folder / "protocol.yaml").read_bytes()))
    check("settings", tomllib.loads((folder / "sitegen.toml").read_text(encoding="utf-8")))


def test_what_the_harness_writes_has_its_form(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v1", "alpha", wrong=("T-001",), invalid=("N-001",))
    seen = set()
    for name, _, value in documents(tmp_path):
        check(name, value)
        seen.add(name)
    assert {"report", "transcript", "event", "protocol-sealed"} <= seen


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("report", {"n": -1}),
        ("report", {"mean": 1.5}),
        ("report", {"protocol_sha256": "ABC"}),
        ("report", {"percentage": 90}),
        ("transcript", {"abstained": "false"}),
        ("transcript", {"status": "fine"}),
    ],
)
def test_what_the_readers_refuse_the_schema_refuses(name: str, change: dict[str, Any], tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v1", "alpha")
    value = next(value for found, _, value in documents(tmp_path) if found == name)
    check(name, value)
    with pytest.raises(jsonschema.ValidationError):
        check(name, {**value, **change})
