from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.foreign import Choices, gate, import_files, secrets_gate, write_import
from sitegen.read.settings import Settings

TOKEN = "ghp_" + "aB3" * 12


def rows(count: int, odd: dict[int, str]) -> list[dict[str, Any]]:
    return [{"instance_id": f"t{n}", "model_patch": odd.get(n, "+x")} for n in range(count)]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So small that lines must be counted across many."""
    monkeypatch.setattr(gate, "CHUNK", 1000)


def test_a_credential_stops_the_import_and_is_not_shown(
    jsonl: Callable[..., Path], tmp_path: Path, refused: Callable[..., Any]
) -> None:
    imported = import_files(None, [jsonl(rows(300, {200: f"+{TOKEN}"}))], Choices())
    out = tmp_path / "t.jsonl"
    (fault,) = refused(write_import, imported, out, secrets_gate(Settings()), pytest.fail)
    assert (fault.slug, fault.file, fault.path) == ("evidence-secret", "t.jsonl", "line 201")
    assert TOKEN not in repr(fault)
    assert list(tmp_path.glob("*t.jsonl*")) == []


def test_private_paths_are_said_with_their_line_or_refused_where_the_site_is_strict(
    jsonl: Callable[..., Path], tmp_path: Path, refused: Callable[..., Any]
) -> None:
    path = jsonl(rows(300, {250: "+/home/" + "someone/x"}))
    said: list[str] = []
    write_import(import_files(None, [path], Choices()), tmp_path / "t.jsonl", secrets_gate(Settings()), said.append)
    assert len(said) == 1
    assert "line 251 " in said[0]
    lines = (tmp_path / "t.jsonl").read_text().splitlines()
    assert [json.loads(line)["task_id"] for line in lines] == [f"t{n}" for n in range(300)]
    strict = secrets_gate(Settings(strict_privacy=True))
    imported = import_files(None, [path], Choices())
    assert refused(write_import, imported, tmp_path / "t.jsonl", strict, pytest.fail)[0].path == "line 251"
