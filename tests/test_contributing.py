"""CONTRIBUTING is true: what it names is there, and each of its recipes has a test that fails until it is followed."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

import sitegen.cli
import sitegen.harness.foreign
import sitegen.read
from sitegen.cli import COMMANDS, command_and_parser
from sitegen.harness.foreign.registry import IMPORTERS
from sitegen.measure.intervals import interval_of
from sitegen.pipeline.manual import manual_schemas
from sitegen.read.protocol import CiMethod
from sitegen.read.schema import Format

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def modules_of(package: ModuleType) -> list[ModuleType]:
    return [
        importlib.import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__)
    ]


def test_every_path_that_is_named_is_there() -> None:
    named = set(re.findall(r"`((?:sitegen|templates|tests|contestants|[.]ci)/[\w./-]*)`", TEXT))
    assert len(named) > 10
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


def test_every_name_that_is_given_in_a_place_stands_there() -> None:
    given = re.findall(r"`(\w+)` in `(sitegen/[\w./-]+\.py)`", TEXT)
    assert given
    assert [(name, path) for name, path in given if name not in (ROOT / path).read_text(encoding="utf-8")] == []


def test_every_importer_is_registered_and_documented() -> None:
    offered = {
        module.IMPORTER.name: module for module in modules_of(sitegen.harness.foreign) if hasattr(module, "IMPORTER")
    }
    assert offered.keys() == IMPORTERS.keys()
    manual = (ROOT / "templates" / "docs" / "importing.md").read_text(encoding="utf-8")
    assert [name for name in offered if f"sitegen import {name}" not in manual and f"`{name}`" not in manual] == []


@pytest.mark.parametrize("method", get_args(CiMethod))
def test_every_interval_method_can_be_computed_and_is_tested(method: str) -> None:
    assert interval_of(method, 7, 10).method == method
    tests = (ROOT / "tests" / "measure" / "test_intervals.py").read_text(encoding="utf-8")
    assert f'"{method}"' in tests or method.replace("-", "_") in tests


def test_no_interval_method_is_out_of_reach() -> None:
    with pytest.raises(ValueError, match="unknown interval method") as unknown:
        interval_of("none such", 7, 10)
    assert set(str(unknown.value).partition("known: ")[2].split(", ")) == set(get_args(CiMethod))


def test_every_page_template_is_rendered() -> None:
    """A template that stands for a page extends the base, and some module renders it by its name."""
    pages = {
        path.name
        for path in (ROOT / "templates" / "site").glob("*.html")
        if path.read_text(encoding="utf-8").startswith('{% extends "base.html" %}')
    }
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "sitegen" / "present").rglob("*.py"))
    assert sorted(page for page in pages if f'"{page}"' not in code) == []


def test_every_format_that_is_read_has_a_published_schema() -> None:
    schemas = manual_schemas()
    published = {name for schema in schemas.values() for name in schema["$defs"]}
    records = {
        name
        for module in modules_of(sitegen.read)
        for name, record in inspect.getmembers(module, inspect.isclass)
        if issubclass(record, Format) and record is not Format and record.__module__ == module.__name__
    }
    assert sorted(records - published) == []


@pytest.mark.parametrize("module", modules_of(sitegen.cli), ids=lambda module: module.__name__)
def test_every_command_has_a_name_and_an_example(module: ModuleType) -> None:
    if not hasattr(module, "configure"):
        pytest.skip("it is no command, but what commands share")
    command = module.__name__.rpartition(".")[2].rstrip("_")
    assert command in COMMANDS
    assert re.search(rf"^examples?:\n(?:  .*\n)*  .*sitegen {command}\b", module.__doc__ or "", re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_argument_of_a_command_is_explained(command: str) -> None:
    _, parser = command_and_parser(command)
    assert [action.dest for action in parser._actions if not action.help] == []


def test_every_command_that_has_a_name_has_a_module() -> None:
    there = {path.stem.rstrip("_") for path in (ROOT / "sitegen" / "cli").glob("*.py")}
    assert sorted(COMMANDS.keys() - there) == []
