"""The two metrics that sitegen ships as starter files, and the copies that the shipped protocols seal."""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
STARTERS = ROOT / "templates" / "protocol"

Score = Callable[[str, str], dict[str, object]]


def load(name: str) -> Score:
    """Import one starter metric by its path, as a protocol's runner does."""
    spec = importlib.util.spec_from_file_location(name, STARTERS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    score: Score = module.score
    return score


exact_bytes = load("metric_exact_bytes")
exact_diff = load("metric_exact_diff")


def passes(score: Score, folder: Path, result: str, oracle: bytes) -> bool:
    """Score `result` against an oracle of exactly these bytes."""
    path = folder / "oracle"
    path.write_bytes(oracle)
    answer = score(result, str(path))
    assert set(answer) == {"pass", "metric"}
    assert type(answer["pass"]) is bool
    return answer["pass"] is True


def unified(old: str, new: str, path: str = "a.txt") -> str:
    """Write the diff that the runner writes for one file; every text ends in a line feed."""
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{path}", f"b/{path}", n=3
    )
    return "".join(lines)


DIFF = """\
--- a/notes.md
+++ b/notes.md
@@ -1,3 +1,3 @@
 one
-teh
+the
 three
"""


@pytest.mark.parametrize(
    ("result", "oracle", "expected"),
    [
        ("2021-03-14", b"2021-03-14", True),
        ("naïve", "naïve".encode(), True),
        ("2021-03-14\n", b"2021-03-14", False),
        (" 2021-03-14", b"2021-03-14", False),
        ("A", b"a", False),
        ("a\n", b"a\r\n", False),
        ("\u00e9", "e\u0301".encode(), False),
        ("", b"", False),
        ("", b"x", False),
        ("?", "\ud800".encode("utf-8", "surrogatepass"), False),
    ],
)
def test_exact_bytes(tmp_path: Path, result: str, oracle: bytes, expected: bool) -> None:
    assert passes(exact_bytes, tmp_path, result, oracle) is expected


def test_a_lone_surrogate_is_a_difference_and_no_exception(tmp_path: Path) -> None:
    assert not passes(exact_bytes, tmp_path, "\ud800", b"?")
    assert not passes(exact_diff, tmp_path, "\ud800\n", DIFF.encode())


@pytest.mark.parametrize("score", [exact_bytes, exact_diff])
def test_a_missing_oracle_is_an_error(tmp_path: Path, score: Score) -> None:
    with pytest.raises(FileNotFoundError):
        score("", str(tmp_path / "gone"))


def test_the_same_diff_passes(tmp_path: Path) -> None:
    assert passes(exact_diff, tmp_path, DIFF, DIFF.encode())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--- a/notes.md", "--- a/notes.md\t2026-11-30 09:32:00"),
        ("@@ -1,3 +1,3 @@", "@@ -1,3 +1,3 @@ def one():"),
        ("--- a/notes.md", "diff --git a/notes.md b/notes.md\nindex 1a2b3c4..5d6e7f8 100644\n--- a/notes.md"),
    ],
)
def test_what_may_differ(tmp_path: Path, old: str, new: str) -> None:
    assert passes(exact_diff, tmp_path, DIFF.replace(old, new), DIFF.encode())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--- a/notes.md", "--- a/other.md"),
        ("+++ b/notes.md", "+++ b/other.md"),
        ("--- a/notes.md", "--- notes.md"),
        ("--- a/notes.md", "old mode 100644\nnew mode 100755\n--- a/notes.md"),
        ("@@ -1,3 +1,3 @@", "@@ -2,3 +2,3 @@"),
        ("+the", "+ the"),
        ("+the", "+the\r"),
        (" one", " One"),
        ("-teh", "-the"),
        ("+the\n", ""),
        (" three\n", ""),
        (" three\n", " three\n\\ No newline at end of file\n"),
        (" three\n", "-three\n"),
        (" one\n", "one\n"),
        (" one\n", "\n"),
    ],
)
def test_what_counts(tmp_path: Path, old: str, new: str) -> None:
    assert old in DIFF
    assert not passes(exact_diff, tmp_path, DIFF.replace(old, new, 1), DIFF.encode())


@pytest.mark.parametrize(
    "result",
    [
        "",
        "\n",
        "no diff",
        "--- a/notes.md\n",
        "--- a/notes.md\n+++ b/notes.md\n",
        DIFF[:-1],
        DIFF + "\n",
        DIFF + "done\n",
        DIFF + DIFF,
        f"Here it is:\n{DIFF}",
        f"```diff\n{DIFF}```\n",
        DIFF.replace("\n", "\r\n"),
        DIFF.replace("-1,3", f"-1,{'9' * 5000}"),
        "diff --git a/notes.md b/notes.md\n",
    ],
)
def test_an_unreadable_result_never_passes(tmp_path: Path, result: str) -> None:
    assert not passes(exact_diff, tmp_path, result, DIFF.encode())


@pytest.mark.parametrize("oracle", [b"", b"no diff\n", DIFF.encode()[:-1]])
def test_an_unreadable_oracle_is_the_protocols_fault(tmp_path: Path, oracle: bytes) -> None:
    with pytest.raises(ValueError, match=r"line|diff"):
        passes(exact_diff, tmp_path, oracle.decode(), oracle)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("-- the flag", "-- the flags"), ("++ count", "++ counts"), ("-- a/x", "-- a/y"), ("@@ -1 +1 @@", "@@ -2 +2 @@")],
)
def test_lines_that_look_like_headers_are_lines(tmp_path: Path, right: str, wrong: str) -> None:
    oracle = unified("-- teh flag\n", f"{right}\n").encode()
    assert passes(exact_diff, tmp_path, oracle.decode(), oracle)
    assert not passes(exact_diff, tmp_path, unified("-- teh flag\n", f"{wrong}\n"), oracle)
    removed = unified(f"{right}\nx\n", "x\n").encode()
    assert not passes(exact_diff, tmp_path, unified(f"{wrong}\nx\n", "x\n"), removed)


def test_a_length_of_one_may_be_left_out(tmp_path: Path) -> None:
    short = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-teh\n+the\n"
    assert passes(exact_diff, tmp_path, short.replace("@@ -1 +1 @@", "@@ -1,1 +1,1 @@"), short.encode())


def test_the_order_of_files_does_not_count_but_their_number_does(tmp_path: Path) -> None:
    other = DIFF.replace("notes.md", "other.md")
    assert passes(exact_diff, tmp_path, other + DIFF, (DIFF + other).encode())
    assert not passes(exact_diff, tmp_path, DIFF, (DIFF + other).encode())
    assert not passes(exact_diff, tmp_path, DIFF + other, DIFF.encode())


def test_the_marker_of_a_missing_line_end_counts(tmp_path: Path) -> None:
    marked = DIFF + "\\ No newline at end of file\n"
    assert passes(exact_diff, tmp_path, marked, marked.encode())
    assert not passes(exact_diff, tmp_path, DIFF, marked.encode())
    between = DIFF.replace("-teh\n", "-teh\n\\ No newline at end of file\n")
    assert passes(exact_diff, tmp_path, between, between.encode())
    assert not passes(exact_diff, tmp_path, DIFF, between.encode())


TEXTS = st.lists(st.text("abc-+@ \\", max_size=6), max_size=12).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(old=TEXTS, new=TEXTS, other=TEXTS)
def test_a_diff_passes_exactly_when_it_is_the_oracle(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str, other: str
) -> None:
    right, wrong = unified(old, new), unified(old, other)
    if not right:
        return
    folder = tmp_path_factory.mktemp("property")
    assert passes(exact_diff, folder, right, right.encode())
    assert passes(exact_diff, folder, wrong, right.encode()) is (new == other)


@pytest.mark.parametrize("name", ["metric_exact_bytes.py", "metric_exact_diff.py"])
def test_the_shipped_protocols_hold_the_starter_bytes(name: str) -> None:
    copies = sorted((ROOT / "protocols").glob(f"*/{name}"))
    assert copies, f"no shipped protocol uses {name}"
    for copy in copies:
        assert copy.read_bytes() == (STARTERS / name).read_bytes(), copy.parent.name
