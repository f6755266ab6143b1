"""What a solver left in its folder is compared with what was laid out, and nothing in it is trusted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sitegen.harness.limits import Caps
from sitegen.harness.workspace import Change, WorkspaceFault, _is_removed_at_once, changes, lay_out, remove

FILES = {"a.txt": b"a\n", "src/b.txt": b"b\n", "src/deep/c.txt": b"c\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    task = tmp_path / "task"
    task.mkdir()
    lay_out(task, FILES)
    return task


def test_an_untouched_folder_has_no_change(folder: Path) -> None:
    assert (folder / "src" / "deep" / "c.txt").read_bytes() == b"c\n"
    assert changes(folder, FILES, Caps()) == []


def test_what_was_added_changed_and_removed_is_found_in_the_order_of_paths(folder: Path) -> None:
    (folder / "src" / "b.txt").write_bytes(b"B\n")
    (folder / "a.txt").unlink()
    (folder / "new").mkdir()
    (folder / "new" / "ä").write_bytes(b"")
    (folder / "Z").write_bytes(b"z")
    (folder / "empty folder").mkdir()
    assert changes(folder, FILES, Caps()) == [
        Change(path="Z", old=None, new=b"z"),
        Change(path="a.txt", old=b"a\n", new=None),
        Change(path="new/ä", old=None, new=b""),
        Change(path="src/b.txt", old=b"b\n", new=b"B\n"),
    ]


def test_a_file_written_with_the_same_bytes_is_not_touched(folder: Path) -> None:
    (folder / "a.txt").unlink()
    (folder / "a.txt").write_bytes(b"a\n")
    (folder / "a.txt").chmod(0o777)
    assert changes(folder, FILES, Caps()) == []


def test_links_are_changes_and_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(tmp_path / "outside" / "secret")
    (folder / "folder").symlink_to(tmp_path / "outside")
    found = changes(folder, FILES, Caps())
    assert [(change.path, change.kind) for change in found] == [("a.txt", "link"), ("folder", "link")]
    assert found[0].new == os.fsencode(tmp_path / "outside" / "secret")


def test_a_folder_that_was_replaced_by_a_link_is_a_fault(folder: Path, tmp_path: Path) -> None:
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")
    with pytest.raises(WorkspaceFault, match="link"):
        changes(folder, FILES, Caps())


def test_special_files_are_touched_and_not_opened(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert changes(folder, FILES, Caps()) == [Change(path="pipe", kind="special", old=None, new=b"")]


def test_what_is_too_large_is_touched_and_not_read(folder: Path) -> None:
    (folder / "large").write_bytes(bytes(2000))
    (folder / "large too").write_bytes(bytes(900))
    (folder / "large three").write_bytes(bytes(900))
    found = {change.path: change for change in changes(folder, FILES, Caps(diff=1000))}
    assert found["large"].kind == "special"
    kinds = sorted(found[name].kind for name in ("large too", "large three"))
    assert kinds == ["file", "special"], "together they are over the cap"


def test_too_many_entries_are_a_fault(folder: Path) -> None:
    for number in range(20):
        (folder / str(number)).touch()
    with pytest.raises(WorkspaceFault, match="more than 20 entries") as caught:
        changes(folder, FILES, Caps(entries=20))
    assert caught.value.touched > 0


def deepen(folder: Path) -> None:
    here = os.getcwd()
    os.chdir(folder)
    for _ in range(30):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    os.chdir(here)


def test_a_path_that_is_too_long_is_a_fault_and_can_be_removed(folder: Path) -> None:
    deepen(folder)
    with pytest.raises(WorkspaceFault, match="cannot be read"):
        changes(folder, FILES, Caps())
    remove(folder)
    assert not folder.exists()


def test_a_folder_without_permissions_is_compared_and_removed(folder: Path) -> None:
    (folder / "src").chmod(0)
    (folder / "a.txt").chmod(0)
    assert changes(folder, FILES, Caps()) == []
    (folder / "src" / "deep").chmod(0)
    (folder / "src").chmod(0)
    remove(folder)
    assert not folder.exists()


def test_removing_does_not_follow_links(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    (folder / "link").symlink_to(tmp_path)
    (folder / "inner").mkdir()
    (folder / "inner" / "link").symlink_to(tmp_path)
    remove(folder)
    assert (tmp_path / "kept").exists()
    assert not folder.exists()


def test_a_folder_of_empty_folders_and_files_is_removed_in_few_calls(tmp_path: Path) -> None:
    """As most tasks leave theirs; whatever else is there is left to the thorough way."""
    for name in ("task", "home"):
        (tmp_path / "plain" / name).mkdir(parents=True)
    (tmp_path / "plain" / "task" / "task.json").touch()
    (tmp_path / "deep" / "home" / "below").mkdir(parents=True)
    assert _is_removed_at_once(tmp_path / "plain")
    assert not _is_removed_at_once(tmp_path / "deep")
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_a_folder_that_is_gone_is_a_fault_and_no_error_to_remove(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceFault, match="cannot be read"):
        changes(tmp_path / "gone", FILES, Caps())
    remove(tmp_path / "gone")
