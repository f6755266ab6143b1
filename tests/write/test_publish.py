"""Publishing is one step: the output is the old site or the new one, whatever happens on the way."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.refusals import Refused
from sitegen.write import publish, staging
from sitegen.write.folders import states_below
from sitegen.write.publish import Publication


def build(output: Path, files: dict[str, bytes], inputs: tuple[Path, ...] = ()) -> Publication:
    with Publication(output, inputs) as publication:
        for path, data in files.items():
            publication.add(path, data)
        publication.publish({"tool": "test"})
    return publication


def contents(output: Path) -> dict[str, bytes]:
    return {path: (output / path).read_bytes() for path, _ in states_below(str(output))}


OLD = {"index.html": b"old", "a/b.html": b"same"}
NEW = {"index.html": b"new", "a/b.html": b"same", "c.css": b"x"}


@pytest.fixture
def output(tmp_path: Path) -> Path:
    build(tmp_path / "_site", OLD)
    return tmp_path / "_site"


def test_a_site_has_its_files_and_a_list_that_coreutils_checks(output: Path) -> None:
    assert {path: data for path, data in contents(output).items() if path in OLD} == OLD
    ran = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=output, capture_output=True, text=True, check=True)
    assert sorted(line.partition(":")[0] for line in ran.stdout.splitlines()) == ["a/b.html", "index.html", "site.json"]


def test_a_new_site_takes_the_place_of_the_old_one(output: Path) -> None:
    publication = build(output, NEW)
    assert set(contents(output)) == {*NEW, "site.json", "SHA256SUMS"}
    assert (output / "index.html").read_bytes() == b"new"
    assert publication.staging.kept == 1  # a/b.html
    assert [path.name for path in output.parent.iterdir() if "staging" in path.name] == []


def test_the_same_site_twice_is_the_same_bytes(output: Path) -> None:
    before = contents(output)
    assert build(output, OLD).staging.written == 0
    assert contents(output) == before


def test_without_publishing_nothing_happens(output: Path) -> None:
    before = contents(output)
    with Publication(output) as publication:
        publication.add("index.html", b"half")
    assert contents(output) == before
    assert not [path for path in output.parent.iterdir() if "staging" in path.name]


def failing(code: int) -> Callable[..., Any]:
    def fail(*given: Any, **options: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize(
    ("code", "slug"),
    [
        *((code, "output-no-space") for code in (errno.ENOSPC, errno.EDQUOT)),
        *((code, "output-not-writable") for code in (errno.EACCES, errno.EROFS, errno.EIO)),
    ],
)
def test_trouble_of_the_disk_has_its_slug(code: int, slug: str, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(output)
    monkeypatch.setattr(staging.os, "write", failing(code))
    with pytest.raises(Refused, match=slug):
        build(output, NEW)
    monkeypatch.undo()
    assert contents(output) == before


@pytest.mark.parametrize("step", ["sync_file_system", "put_in_place"])
def test_a_failed_exchange_leaves_the_old_site(step: str, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(output)
    monkeypatch.setattr(publish, step, failing(errno.EBUSY))
    with pytest.raises(Refused, match="publish-failed"):
        build(output, NEW)
    assert contents(output) == before
    assert not [path for path in output.parent.iterdir() if "staging" in path.name]


def test_a_second_build_is_kept_out(output: Path) -> None:
    with Publication(output), pytest.raises(Refused, match="output-busy"), Publication(output):
        pass
    build(output, NEW)  # the lock is free again


@pytest.mark.parametrize("left", ["folder", "file", "link", "other-marker"])
def test_a_folder_without_our_marker_is_never_touched(left: str, tmp_path: Path) -> None:
    output = tmp_path / "_site"
    if left in ("folder", "other-marker"):
        output.mkdir()
        (output / ("precious" if left == "folder" else "site.json")).write_bytes(b'{"schema": "other"}')
    elif left == "file":
        output.write_bytes(b"precious")
    else:
        output.symlink_to(tmp_path / "nowhere")
    with pytest.raises(Refused, match="output-not-ours"):
        build(output, NEW)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("where", ["loop", "loop/site", "first"])
def test_a_link_that_leads_to_itself_is_no_place_for_a_site(where: str, tmp_path: Path) -> None:
    for name, target in (("loop", "loop"), ("first", "second"), ("second", "first")):
        (tmp_path / name).symlink_to(target)
    with pytest.raises(Refused) as refused:
        build(tmp_path / where, NEW, (tmp_path,))
    (refusal,) = refused.value.refusals
    assert (refusal.slug, refusal.file) == ("output-not-writable", str(tmp_path / where))
    assert sorted(os.listdir(tmp_path)) == ["first", "loop", "second"]


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    (tmp_path / "_site").mkdir()
    build(tmp_path / "_site", NEW)
    assert (tmp_path / "_site" / "c.css").is_file()


@pytest.mark.parametrize("where", [".", "protocols", "protocols/site", "link/site"])
def test_the_output_may_not_overlap_an_input(where: str, tmp_path: Path) -> None:
    (tmp_path / "protocols").mkdir()
    (tmp_path / "link").symlink_to("protocols")
    with pytest.raises(Refused, match="output-overlap"):
        build(tmp_path / where, NEW, (tmp_path / "protocols",))
    build(tmp_path / "protocols-site", NEW, (tmp_path / "protocols",))  # a common beginning of the name is none


def test_two_files_of_one_path_are_a_bug(tmp_path: Path) -> None:
    with Publication(tmp_path / "_site") as publication:
        publication.add("a", b"")
        with pytest.raises(ValueError, match="two files"):
            publication.add("a", b"")


def test_what_an_interrupted_build_left_is_cleared_away(output: Path) -> None:
    left = output.with_name(f".{output.name}.staging-1")
    left.mkdir()
    (left / "half").write_bytes(b"")
    build(output, NEW)
    assert not left.exists()
