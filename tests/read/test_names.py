"""Names of inputs: what is a tool's leaving, what is plain, and what would be one file on another disk."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from sitegen.read.files import Tree
from sitegen.read.names import cannot_open, case_faults, is_component, is_ignored


@pytest.mark.parametrize("name", ["__pycache__", ".DS_Store", "a.py~", ".#a", "#a#", ".a.swp"])
def test_leavings_of_tools_are_no_input(name: str, tmp_path: Path) -> None:
    assert is_ignored(name)
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / name).write_bytes(b"")
    with Tree(tmp_path) as tree:
        assert tree.listing("top") == ([], [])


@pytest.mark.parametrize("name", ["a.py", ".gitkeep", "a.swp", "~a", "DS_Store", "__pycache__2", ".a.swp.txt", "#a#b"])
def test_other_names_are_input(name: str) -> None:
    assert not is_ignored(name)


@pytest.mark.parametrize("name", ["-a", "a b", "ä", "a" * 129, ""])
def test_a_plain_name_is_short_and_ascii(name: str) -> None:
    assert is_component("a-b_1.txt")
    assert not is_component(name)


def test_names_that_differ_in_case_only_are_faults() -> None:
    assert case_faults("top", ["a", "b/c", "b/d"]) == []
    assert case_faults("top", ["A", "b"]) == []
    assert [fault.file for fault in case_faults("top", ["B/c", "a", "b/d"])] == ["top/b"]


@pytest.mark.parametrize(("number", "slug"), [(errno.ELOOP, "path-unsafe"), (errno.EACCES, "file-missing")])
def test_what_cannot_be_opened_is_refused_by_the_reason(number: int, slug: str) -> None:
    (fault,) = cannot_open("x", OSError(number, "why")).refusals
    assert (fault.slug, fault.file, fault.found) == (slug, "x", "why")
