"""Writing into the staging folder: what did not change is linked to the published file."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.digests import sha256
from sitegen.write.staging import Staging


@pytest.fixture
def staging(tmp_path: Path) -> Staging:
    (tmp_path / "old" / "a").mkdir(parents=True)
    (tmp_path / "new").mkdir()
    (tmp_path / "old" / "a" / "same").write_bytes(b"same")
    (tmp_path / "old" / "a" / "changed").write_bytes(b"left")
    return Staging(str(tmp_path / "new"), str(tmp_path / "old"))


def test_an_unchanged_file_is_linked_and_a_changed_one_written(staging: Staging, tmp_path: Path) -> None:
    assert staging.add("a/same", b"same").sha256 == sha256(b"same")
    staging.add("a/changed", b"best")  # of the same size
    staging.add("a/fresh", b"x")
    assert (staging.kept, staging.written) == (1, 2)
    new, old = tmp_path / "new" / "a", tmp_path / "old" / "a"
    assert (new / "same").samefile(old / "same")
    assert ((new / "changed").read_bytes(), (old / "changed").read_bytes()) == (b"best", b"left")


def test_a_published_link_is_not_followed(staging: Staging, tmp_path: Path) -> None:
    (tmp_path / "old" / "a" / "link").symlink_to("same")
    staging.add("a/link", b"same")
    assert not (tmp_path / "new" / "a" / "link").is_symlink()
    assert staging.kept == 0


def test_a_file_that_is_known_is_linked_unread(staging: Staging, tmp_path: Path) -> None:
    staging.link("a/same")
    assert (tmp_path / "new" / "a" / "same").samefile(tmp_path / "old" / "a" / "same")
    staging.link("a/nowhere")  # nothing was published there
    assert staging.kept == 1


def test_a_folder_is_linked_with_all_below_it(staging: Staging, tmp_path: Path) -> None:
    (tmp_path / "old" / "a" / "b").mkdir()
    (tmp_path / "old" / "a" / "b" / "deep").write_bytes(b"deep")
    staging.link("a")
    linked = sorted(str(path.relative_to(tmp_path / "new")) for path in (tmp_path / "new").rglob("*") if path.is_file())
    assert linked == ["a/b/deep", "a/changed", "a/same"]
    assert staging.kept == 3


def test_a_file_in_parts_is_linked_where_it_is_the_same(staging: Staging, tmp_path: Path) -> None:
    assert staging.add_parts("a/same", [b"sa", b"", b"me"]) == (  # path, size, digest
        "a/same",
        4,
        sha256(b"same"),
    )
    assert (tmp_path / "new/a/same").samefile(tmp_path / "old/a/same")
    staging.add_parts("a/changed", [b"be", b"st"])
    assert (tmp_path / "new/a/changed").read_bytes() == b"best"
    assert (staging.kept, staging.written) == (1, 1)


def test_a_file_is_written_once(staging: Staging) -> None:
    staging.add("x", b"1")
    with pytest.raises(OSError, match="exists"):
        staging.add("x", b"2")
