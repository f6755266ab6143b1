"""The manual is published like a site: in one step, the same bytes every time, and nowhere near what is not ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.pipeline.manual import build_manual, manual_schemas, manual_sources
from sitegen.read.formats import FORMATS
from sitegen.refusals import Refused


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_holds_every_source_and_every_schema(tmp_path: Path) -> None:
    build_manual(tmp_path / "manual")
    held = contents(tmp_path / "manual")
    assert {f"{name.removesuffix('.md')}/index.html" for name in manual_sources()} <= held.keys()
    assert {f"schemas/{name}.json" for name in manual_schemas()} <= held.keys()
    assert FORMATS.keys() < manual_schemas().keys()


def test_twice_the_same_bytes(tmp_path: Path) -> None:
    build_manual(tmp_path / "one")
    build_manual(tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(Refused):
        build_manual(tmp_path)
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "mine"
