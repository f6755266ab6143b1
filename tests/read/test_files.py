"""The one reader of input files: no link followed, only regular files, capped, unchanged while read."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.digests import folder_digest, sha256
from sitegen.read import source
from sitegen.read.files import PATH_LIMIT, LargeFile, Tree, check_path, likely_cause
from sitegen.read.names import is_ignored
from sitegen.refusals import Refused
from tests.read.sources import source as file_of


def slugs(tree: Tree, path: str, **options: int) -> list[str]:
    with pytest.raises(Refused) as caught:
        tree.read(path, **options)
    return [refusal.slug for refusal in caught.value.refusals]


def test_a_file_is_read_with_its_digest(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.txt").write_bytes(b"abc")
    with Tree(tmp_path) as tree:
        found = tree.read("a/b.txt")
    assert (found.path, found.data) == ("a/b.txt", b"abc")
    assert found.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


UNSAFE = ["/etc/hostname", "../x", "a/../x", "", ".", "a//b", "a/", "a b", "-rf", "ä", "a\nb", "a\\b"]


@pytest.mark.parametrize("path", UNSAFE)
def test_a_path_that_is_not_plain_is_refused(path: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"")
    with Tree(tmp_path) as tree:
        assert slugs(tree, path) == ["path-unsafe"]
    with pytest.raises(Refused):
        check_path(path, "x.yaml", "/path")


def test_a_leading_dot_is_plain() -> None:
    assert check_path("./tasks/a.jsonl", "x.yaml") == "tasks/a.jsonl"


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_no_link_is_followed_in_any_component(depth: int, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere" / "b" / "c"
    real.mkdir(parents=True)
    (real / "d").write_bytes(b"secret")
    root = tmp_path / "root"
    place = [root / "a", root / "b" / "a", root / "b" / "c" / "a"][depth]
    place.parent.mkdir(parents=True)
    place.symlink_to(real)
    with Tree(root) as tree:
        path = f"{place.relative_to(root)}/d"
        assert slugs(tree, path) == ["path-unsafe"]
        (real.parent / "link").symlink_to(real / "d")
    with Tree(real.parent) as tree:
        assert slugs(tree, "link") == ["path-unsafe"]


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    """Opening a pipe that nobody writes to must not wait."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with Tree(tmp_path) as tree:
        assert slugs(tree, "pipe") == ["path-unsafe"]
        assert slugs(tree, "folder") == ["path-unsafe"]


def test_what_is_not_there_or_may_not_be_read_is_missing(tmp_path: Path) -> None:
    with Tree(tmp_path) as tree:
        assert slugs(tree, "x") == ["file-missing"]
        assert slugs(tree, "a/b/c") == ["file-missing"]
        assert not tree.exists("x")
    with pytest.raises(Refused):
        Tree(tmp_path / "nowhere")


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")
    with Tree(tmp_path) as tree:
        assert tree.read("x", limit=5).data == b"12345"
        assert slugs(tree, "x", limit=4) == ["file-too-large"]


@pytest.mark.parametrize("change", [b"longer than it was", b"abc"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    change: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another size or another time of change: what was hashed may not be what was parsed."""
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    os.utime(path, ns=(0, 0))
    read = source._read_all

    def read_while_it_changes(descriptor: int, size: int) -> bytes:
        data = read(descriptor, size)
        path.write_bytes(change)
        return data

    monkeypatch.setattr(source, "_read_all", read_while_it_changes)
    with Tree(tmp_path) as tree:
        assert slugs(tree, "x") == ["file-changed"]


def test_a_listing_names_every_fault_and_still_gives_the_rest(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "deep").mkdir(parents=True)
    for name in ("a.txt", "deep/b.txt", "no good.txt"):
        (top / name).write_bytes(b"")
    (top / "link").symlink_to("a.txt")
    (top / "folder-link").symlink_to("deep")
    os.mkfifo(top / "pipe")
    with Tree(tmp_path) as tree:
        found, faults = tree.listing("top")
        with pytest.raises(Refused):
            tree.files("top")
    assert found == ["a.txt", "deep/b.txt"]
    assert {fault.slug for fault in faults} == {"path-unsafe"}
    assert [fault.file for fault in faults] == ["top/folder-link", "top/link", "top/no good.txt", "top/pipe"]


@pytest.mark.parametrize("names", [("a.txt", "A.txt"), ("Data/x", "data/y"), ("straße", "a")])
def test_names_that_fold_into_one_are_refused(names: tuple[str, str], tmp_path: Path) -> None:
    """On another disk they would be one file, or one folder."""
    for name in names:
        (tmp_path / "top" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "top" / name).write_bytes(b"")
    with Tree(tmp_path) as tree:
        _, faults = tree.listing("top")
    assert [fault.slug for fault in faults] == ["path-unsafe"]


def test_folders_left_out_are_not_entered(tmp_path: Path) -> None:
    (tmp_path / "run" / "logs").mkdir(parents=True)
    (tmp_path / "run" / "logs" / "a b").write_bytes(b"")
    (tmp_path / "run" / "x").write_bytes(b"")
    with Tree(tmp_path) as tree:
        assert tree.listing("run", ("logs/",)) == (["x"], [])


def test_folders_and_plain_files_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to("a")
    with Tree(tmp_path) as tree:
        assert tree.folders("") == ["a", "b"]
        assert tree.contents("") == (["a", "b"], ["file", "link"])
        assert tree.folders("nowhere") == []
        with pytest.raises(Refused):
            tree.folders("link")


@pytest.mark.parametrize(
    ("sealed", "now", "word"),
    [
        (b"a\nb\n", b"a\r\nb\r\n", "LF form"),
        (b"a\r\nb\r\n", b"a\nb\n", "CRLF form"),
        (b"a\n", b"\xef\xbb\xbfa\n", "mark was added"),
        (b"\xef\xbb\xbfa\n", b"a\n", "mark was removed"),
        (b"a\n", b"a", "line feed is gone"),
        (b"a", b"a\n", "line feed was added"),
    ],
)
def test_a_common_change_of_bytes_is_recognised(sealed: bytes, now: bytes, word: str) -> None:
    assert word in (likely_cause(file_of(now), sha256(sealed)) or "")


def test_any_other_change_has_no_likely_cause() -> None:
    assert likely_cause(file_of(b"a\nc\n"), sha256(b"a\nb\n")) is None
    assert likely_cause(file_of(b"a\n"), sha256(b"a\n")) is None


def test_the_cause_of_a_large_file_is_not_looked_for() -> None:
    def opened() -> int:
        raise AssertionError("it was read again")

    large = LargeFile(path="x", sha256=sha256(b"a\r\n"), size=3, open_=opened)
    assert likely_cause(large, sha256(b"a\n")) is None


COREUTILS = r"find . -type f -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum"
NAMES = st.lists(
    st.lists(st.from_regex(r"[A-Za-z0-9_.+@=][A-Za-z0-9_.+@=-]{0,5}", fullmatch=True), min_size=1, max_size=3),
    min_size=1,
    max_size=5,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=NAMES, data=st.binary(max_size=20))
def test_the_digest_of_a_folder_is_that_of_coreutils(
    names: list[list[str]], data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    top = tmp_path_factory.mktemp("top")
    for number, parts in enumerate(names):
        if any(part in (".", "..") or is_ignored(part) for part in parts):
            continue
        path = top.joinpath("d", *parts)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data + bytes([number]))
        except OSError:
            continue  # one name is a file here and a folder there
    (top / "d").mkdir(exist_ok=True)
    (top / "d" / "always").write_bytes(data)
    with Tree(top) as tree:
        listed, faults = tree.listing("d")
        digest = folder_digest({name: tree.read(f"d/{name}").sha256 for name in listed})
    if faults:
        return  # two names fold into one
    printed = subprocess.check_output(["bash", "-c", COREUTILS], cwd=top / "d", text=True, timeout=30)
    assert printed.split()[0] == digest


def test_a_held_folder_is_read_from_its_own_descriptor_and_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/one").write_bytes(b"1")
    (tmp_path / "a/two").write_bytes(b"2")
    (tmp_path / "a/link").symlink_to("b")
    with Tree(tmp_path) as tree:
        with tree.holding("a"):
            (tmp_path / "a").rename(tmp_path / "moved")
            assert tree.read("a/b/one").data == b"1"
            assert tree.read("moved/two").data == b"2"
            with pytest.raises(Refused) as caught:
                tree.read("a/link/one")
            assert caught.value.refusals[0].slug == "path-unsafe"
        with pytest.raises(Refused) as caught:
            tree.read("a/two")
        assert caught.value.refusals[0].slug == "file-missing"
        with tree.holding("nowhere"):
            assert tree.listing("nowhere") == ([], [])
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(tree._descriptor)


def test_the_whole_tree_is_listed_with_its_subfolders(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    for name in ("top.txt", "a/one.txt", "a/b/two.txt"):
        (tmp_path / name).write_text("x")
    with Tree(tmp_path) as tree:
        assert tree.files("") == ["a/b/two.txt", "a/one.txt", "top.txt"]


def test_a_folder_is_read_as_it_is_listed_and_every_file_has_its_own_limit(tmp_path: Path) -> None:
    for name in ("b.txt", "A/x", "a-b/y", "A/B/z", "big", "no good"):
        (tmp_path / "top" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "top" / name).write_bytes(name.encode() * 3)
    (tmp_path / "top" / "link").symlink_to("b.txt")
    with Tree(tmp_path) as tree:
        listed, faults = tree.listing("top")
        found, all_faults = tree.read_folder("top", lambda name: 8 if name == "big" else 100)
        assert found == {name: tree.read(f"top/{name}") for name in listed if name != "big"}
        assert list(found) == [name for name in listed if name != "big"]
        assert all_faults[: len(faults)] == faults
        assert [(fault.slug, fault.file) for fault in all_faults[len(faults) :]] == [("file-too-large", "top/big")]
        assert tree.read_folder("top", lambda name: 100, ("A/",))[0].keys() == set(listed) - {"A/x", "A/B/z"}
        assert tree.read_folder("nowhere", lambda name: 1) == ({}, [])
        with pytest.raises(Refused):
            tree.read_folder("top/link", lambda name: 1)


def test_a_folder_whose_own_name_is_not_plain_gives_no_file(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "x").write_bytes(b"x")
    with Tree(tmp_path) as tree:
        found, faults = tree.read_folder("a b", lambda name: 1)
    assert (found, [(fault.slug, fault.file) for fault in faults]) == ({}, [("path-unsafe", "a b/x")])


def test_what_is_gone_between_listing_and_opening_is_refused(tmp_path: Path) -> None:
    """A file is a fault beside the files that are there; without a folder nobody knows what is missing."""
    (tmp_path / "top/c").mkdir(parents=True)
    for name in ("a", "b"):
        (tmp_path / "top" / name).write_bytes(b"x")

    def limit_while(gone: Callable[[], None]) -> Callable[[str], int]:
        def limit_of(name: str) -> int:
            if name == "a":  # the first that is opened, after its folder was listed
                gone()
            return 1

        return limit_of

    with Tree(tmp_path) as tree:
        found, faults = tree.read_folder("top", limit_while((tmp_path / "top/b").unlink))
        with pytest.raises(Refused) as caught:
            tree.read_folder("top", limit_while((tmp_path / "top/c").rmdir))
    assert (list(found), [(fault.slug, fault.file) for fault in faults]) == (["a"], [("file-missing", "top/b")])
    assert [(fault.slug, fault.file) for fault in caught.value.refusals] == [("file-missing", "top/c")]


def test_names_that_fold_into_one_are_refused_though_one_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    for name in ("a.txt", "A.txt"):
        (tmp_path / "top" / name).write_bytes(b"x")
    with Tree(tmp_path) as tree:
        found, faults = tree.read_folder("top", lambda name: 0 if name == "A.txt" else 1)
    assert list(found) == ["a.txt"]
    assert [(fault.slug, fault.file) for fault in faults] == [
        ("path-unsafe", "top/a.txt"),
        ("file-too-large", "top/A.txt"),
    ]


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files cannot be counted on this system")
@pytest.mark.parametrize("held", ["a/b", "nowhere"])
def test_no_folder_stays_open(held: str, tmp_path: Path) -> None:
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "a/b/c/d").write_bytes(b"x")
    before = open_descriptors()
    with Tree(tmp_path) as tree, tree.holding(held):
        for _ in range(20):
            tree.read("a/b/c/d")
            tree.folders("a/b/c")
            tree.contents("a")
            tree.listing("a")
            with pytest.raises(Refused):
                tree.read("a/b/none/d")
    assert open_descriptors() == before


def test_a_path_may_be_as_long_as_its_limit(tmp_path: Path) -> None:
    folder = tmp_path / "top" / "/".join(["f" * 100] * 4)
    folder.mkdir(parents=True)
    room = PATH_LIMIT - 4 * 101
    (folder / ("x" * room)).write_bytes(b"")
    with Tree(tmp_path) as tree:
        assert tree.listing("top")[1] == []
        (folder / ("y" * (room + 1))).write_bytes(b"")
        (fault,) = tree.listing("top")[1]
    assert (fault.slug, fault.found) == ("path-unsafe", f"{PATH_LIMIT + 1} bytes")


@dataclass(frozen=True)
class Unknown:
    """What lies in a folder of a file system that does not say what it is: it is asked for by the folder."""

    name: str
    folder: int

    def is_dir(self, *, follow_symlinks: bool) -> bool:
        return stat.S_ISDIR(os.stat(self.name, dir_fd=self.folder, follow_symlinks=follow_symlinks).st_mode)


def test_a_file_system_that_does_not_say_what_is_a_folder_is_asked_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/c").write_bytes(b"")

    @contextmanager
    def scandir(folder: int) -> Iterator[Iterator[Unknown]]:
        yield (Unknown(name, folder) for name in os.listdir(folder))

    with Tree(tmp_path) as tree:
        monkeypatch.setattr(os, "scandir", scandir)
        assert tree.contents("a") == (["b"], ["c"])
        assert tree.everything() == ["a/c"]
        monkeypatch.setattr(Unknown, "is_dir", lambda self, **_: os.stat("gone", dir_fd=self.folder))
        with pytest.raises(Refused) as caught:
            tree.contents("a")
    assert [(fault.slug, fault.file) for fault in caught.value.refusals] == [("file-missing", "a")]


def test_a_name_with_a_null_byte_names_nothing(tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        Tree(tmp_path / "a\0b")
    assert [fault.slug for fault in caught.value.refusals] == ["file-missing"]
    with Tree(tmp_path) as tree:
        assert not tree.exists("a\0b")


@pytest.mark.parametrize("call", ["exists", "read", "folders", "listing"])
def test_what_the_system_will_not_say_is_refused(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()

    def no_more(*given: object, **options: object) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with Tree(tmp_path) as tree:
        for name in ("open", "stat", "dup"):
            monkeypatch.setattr(os, name, no_more)
        with pytest.raises(Refused) as caught:
            getattr(tree, call)("a")
        monkeypatch.undo()
    assert [refusal.slug for refusal in caught.value.refusals] == ["file-missing"]


@pytest.mark.parametrize("call", ["contents", "listing"])
def test_an_open_folder_that_cannot_be_listed_is_refused(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()

    def broken(folder: int) -> Iterator[os.DirEntry[str]]:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "scandir", broken)
    with Tree(tmp_path) as tree, pytest.raises(Refused) as caught:
        getattr(tree, call)("a")
    monkeypatch.undo()
    assert [(fault.slug, fault.file, fault.found) for fault in caught.value.refusals] == [
        ("file-missing", "a", os.strerror(errno.EIO))
    ]


def test_tools_leavings_are_no_input_and_are_seen_in_a_whole_tree(tmp_path: Path) -> None:
    for name in ("a.txt", "a.txt~", ".DS_Store"):
        (tmp_path / name).write_bytes(b"")
    with Tree(tmp_path) as tree:
        assert tree.contents("") == ([], ["a.txt"])
        assert tree.everything() == [".DS_Store", "a.txt", "a.txt~"]
