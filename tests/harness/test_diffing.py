"""The diff is git's: difflib's hunks, git's names and markers, and `git apply` makes the change again."""

from __future__ import annotations

import difflib
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.harness.diffing import TooLaborious, unified_diff
from sitegen.harness.workspace import Change

MANY = 20_000_000
lines = st.lists(
    st.sampled_from(["a\n", "b\n", "\n", "a b\n", "-- x\n", "++ y\n", "@@ -1 +1 @@\n", "c\r\n"]), max_size=14
)
ends = st.sampled_from(["", "end", "a"])


def diff_of(path: str, old: bytes | None, new: bytes | None) -> str:
    return unified_diff([Change(path=path, old=old, new=new)], MANY)


@given(lines, lines)
def test_hunks_are_difflib_s(old: list[str], new: list[str]) -> None:
    expected = "".join(difflib.unified_diff(old, new, "a/f", "b/f"))
    assert diff_of("f", "".join(old).encode(), "".join(new).encode()) == (expected or "--- a/f\n+++ b/f\n")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=lines, old_end=ends, new=lines, new_end=ends, name=st.sampled_from(["f", "a b", 'q"', "t\tt", "ä", "\n"]))
def test_git_makes_the_change_again(
    tmp_path: Path, old: list[str], old_end: str, new: list[str], new_end: str, name: str
) -> None:
    before, after = "".join(old).encode() + old_end.encode(), "".join(new).encode() + new_end.encode()
    if before == after:
        return
    (tmp_path / name).write_bytes(before)
    patch = diff_of(name, before, after).encode()
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    done = subprocess.run(command, cwd=tmp_path, input=patch, capture_output=True, check=False, timeout=30)
    assert done.returncode == 0, (done.stderr, patch)
    assert (tmp_path / name).read_bytes() == after


def test_a_missing_last_line_end_is_marked() -> None:
    assert diff_of("f", b"a", b"a\n") == "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"


def test_added_and_removed_files_stand_beside_dev_null() -> None:
    assert diff_of("f", None, b"a\n") == "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"
    assert diff_of("f", b"a\n", None) == "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"


def test_an_empty_added_file_is_not_nothing() -> None:
    assert diff_of("f", None, b"") == "--- /dev/null\n+++ b/f\n"


def test_only_a_line_feed_ends_a_line() -> None:
    assert diff_of("f", b"", "a\u2028b\x0cc\rd\n".encode()).count("\n+") == 2


def test_what_is_no_text_is_binary() -> None:
    assert diff_of("f", b"a", b"\xff") == "Binary files a/f and b/f differ\n"
    special = Change(path="f", kind="special", old=None, new=b"")
    assert unified_diff([special], MANY) == "Binary files /dev/null and b/f differ\n"


def test_a_link_is_no_file_of_the_same_content() -> None:
    link = Change(path="f", kind="link", old=None, new=b"target")
    assert unified_diff([link], MANY).startswith("new file mode 120000\n--- /dev/null\n")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a b", "b/a b"),
        ("ä", "b/ä"),
        ("x\n+++ b/y", '"b/x\\n+++ b/y"'),
        ('"', '"b/\\""'),
        ("\\", '"b/\\\\"'),
        ("\x1b[31m", '"b/\\033[31m"'),
        ("\udcff", '"b/\\377"'),
        ("\u202e", '"b/\\342\\200\\256"'),
    ],
)
def test_a_name_cannot_pass_for_another_line(path: str, name: str) -> None:
    assert diff_of(path, None, b"") == f"--- /dev/null\n+++ {name}\n"


def test_a_hostile_file_does_not_occupy_the_runner() -> None:
    old = "".join(f"{number % 313}\n" for number in range(40_000)).encode()
    new = "".join(f"{number % 311}\n" for number in range(40_000)).encode()
    with pytest.raises(TooLaborious):
        unified_diff([Change(path="f", old=old, new=new)], 100_000)


def test_a_large_file_with_few_changes_is_no_labour() -> None:
    rows = [f"row {number}\n" for number in range(20_000)]
    changed = [*rows[:9_000], "another\n", *rows[9_001:]]
    assert diff_of("f", "".join(rows).encode(), "".join(changed).encode()).count("\n@@") == 1
