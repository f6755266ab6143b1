"""A variable shows the installation it names, and never the exam."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.harness.exposure import exposed_paths


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "site" / "protocols" / "x").mkdir(parents=True)
    (tmp_path / "site" / "tools" / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "python" / "bin").mkdir(parents=True)
    (tmp_path / "python" / "bin" / "python3.11").touch()
    (tmp_path / "site" / "tools" / "venv" / "bin" / "python").symlink_to(tmp_path / "python" / "bin" / "python3.11")
    return tmp_path


def shown(place: Path, value: str) -> list[str]:
    found = exposed_paths({"NAME": value}, place / "site")
    return [path.removeprefix(f"{place}/") for path in found]


def test_a_program_shows_its_installation_and_the_one_it_links_to(place: Path) -> None:
    assert shown(place, f"{place}/site/tools/venv/bin/python") == ["python", "site/tools/venv"]


def test_a_folder_shows_itself_and_a_file_outside_a_bin_folder_only_itself(place: Path) -> None:
    assert shown(place, f"{place}/python") == ["python"]
    (place / "python" / "notes").touch()
    assert shown(place, f"{place}/python/notes") == ["python/notes"]


@pytest.mark.parametrize("name", ["", "site", "site/protocols", "site/protocols/x", "site/reports", "site/.git"])
def test_nothing_that_holds_the_exam_is_shown(place: Path, name: str) -> None:
    (place / name).mkdir(exist_ok=True)
    assert shown(place, f"{place}/{name}".rstrip("/")) == []


def test_a_link_to_the_exam_shows_nothing(place: Path) -> None:
    (place / "innocent").symlink_to(place / "site" / "protocols")
    assert shown(place, f"{place}/innocent") == []


def test_a_program_in_the_site_s_own_bin_folder_shows_only_itself(place: Path) -> None:
    (place / "site" / "bin").mkdir()
    (place / "site" / "bin" / "tool").touch()
    assert shown(place, f"{place}/site/bin/tool") == ["site/bin/tool"]


def test_a_program_in_a_home_s_bin_folder_does_not_show_the_home(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(place / "python"))
    assert shown(place, f"{place}/python/bin/python3.11") == ["python/bin/python3.11"]


@pytest.mark.parametrize("value", ["", "plain", "/not/there", "/usr/bin/env", "/usr/bin:/bin", "relative/path"])
def test_other_values_show_nothing(place: Path, value: str) -> None:
    assert shown(place, value) == []
