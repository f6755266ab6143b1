"""Walking, linking and removing a site's folders: nothing is followed out of them, and nothing is left behind."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from sitegen.write import folders
from sitegen.write.folders import link_below, link_file, remove, states_below


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    (root / "a" / "b").mkdir(parents=True)
    for path in ("x", "a/y", "a/b/z"):
        (root / path).write_text(path)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "precious").write_text("kept")
    (root / "a" / "out").symlink_to(tmp_path / "outside")
    return root


def test_everything_below_is_told_with_its_state(site: Path) -> None:
    states = dict(states_below(str(site)))
    assert sorted(states) == ["a/b/z", "a/out", "a/y", "x"]
    assert states["a/b/z"].st_ino == (site / "a/b/z").stat().st_ino
    assert sorted(path for path, _ in states_below(str(site), frozenset(("a/b", "x")))) == ["a/out", "a/y"]
    assert list(states_below(str(site / "nowhere"))) == []


def test_everything_below_is_linked(site: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    assert link_below(str(site), str(new)) == 4
    assert (new / "a/b/z").samefile(site / "a/b/z")
    assert (new / "a/out").is_symlink()
    with pytest.raises(FileExistsError):
        link_below(str(site), str(new))


def test_where_there_are_no_links_files_are_copied(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: Any, **options: Any) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(folders.os, "link", refuse)
    assert link_below(str(site), str(tmp_path / "new")) == 4
    link_file(str(site / "x"), str(tmp_path / "new/copy"))
    for path in ("a/b/z", "copy"):
        copied = tmp_path / "new" / path
        assert copied.read_text() == ("x" if path == "copy" else path)
        assert copied.stat().st_nlink == 1


def test_a_folder_is_removed_and_what_a_link_names_is_not(site: Path, tmp_path: Path) -> None:
    remove(str(site / "x"))
    remove(str(site))
    assert not site.exists()
    assert (tmp_path / "outside/precious").read_text() == "kept"
    remove(str(site))  # it is gone already


def test_a_link_in_the_place_of_a_folder_is_neither_linked_below_nor_emptied(site: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="directory"):
        link_below(str(site / "a/out"), str(tmp_path / "new"))
    remove(str(site / "a/out"))
    assert not os.path.lexists(site / "a/out")
    assert (tmp_path / "outside/precious").read_text() == "kept"
