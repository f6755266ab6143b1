"""What a build remembers is found for the same bytes only, and is never believed when it was altered."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sitegen
from sitegen.digests import sha256
from sitegen.pipeline.cache import Memory, cache_folder, engine_digest, tool_digest
from sitegen.read.shipped import templates_dir

KEY = sha256(b"key")


def test_an_entry_is_found_again(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.put("units", KEY, ("a", 1))
    assert memory.get("units", KEY) == ("a", 1)
    assert memory.get("sites", KEY) is None
    assert memory.get("units", sha256(b"other")) is None


def test_without_a_folder_nothing_is_remembered() -> None:
    memory = Memory(None)
    memory.put("units", KEY, 1)
    assert memory.get("units", KEY) is None


@pytest.mark.parametrize("damage", [b"", b"short", None])
def test_a_damaged_entry_is_none(tmp_path: Path, damage: bytes | None) -> None:
    memory = Memory(tmp_path)
    memory.put("units", KEY, "x" * 100)
    path = tmp_path / "units" / KEY[:2] / KEY
    data = path.read_bytes()
    path.write_bytes(data[:-1] + b"?" if damage is None else damage)
    assert memory.get("units", KEY) is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    memory = Memory(tmp_path / "file")
    memory.put("units", KEY, 1)
    assert memory.get("units", KEY) is None


def test_the_cache_is_the_users_and_not_the_sites(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "sitegen"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "sitegen"


def test_the_tools_digest_is_one_for_one_tool() -> None:
    assert tool_digest() == tool_digest()
    assert len(tool_digest()) == 64


def test_an_installed_package_is_the_engine_that_its_checkout_is(tmp_path: Path) -> None:
    """A package has its templates inside, with metrics among them; a site says by which engine it was made."""
    package = Path(sitegen.__file__).parent
    shutil.copytree(package, tmp_path / "sitegen", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(templates_dir(), tmp_path / "sitegen" / "templates")
    code = "import sitegen; from sitegen.pipeline.cache import engine_digest, tool_digest; "
    code += "print(sitegen.__file__, engine_digest(), tool_digest())"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, check=True)
    where, *digests = ran.stdout.decode().split()
    assert Path(where).is_relative_to(tmp_path)
    assert digests == [engine_digest(), tool_digest()]
