"""Digests: of bytes, of folders as coreutils lists them, and of canonical JSON."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.digests import EMPTY_FOLDER, canonical_json, folder_digest, is_digest, parse_sums, sha256, sums_listing

PATHS = st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), min_size=1, max_size=8)


def test_a_digest_is_64_lower_case_hexadecimal_characters() -> None:
    assert is_digest(sha256(b"abc"))
    assert sha256(b"abc") == hashlib.sha256(b"abc").hexdigest()
    for text in ("", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 64 + "\n", "٠" * 64, 7, None):
        assert not is_digest(text)


def test_the_empty_folder_has_the_digest_of_nothing() -> None:
    assert folder_digest({}) == EMPTY_FOLDER == sha256(b"")


def test_a_listing_is_sorted_by_bytes_and_not_by_characters() -> None:
    digests = {"b": "1" * 64, "a/z": "2" * 64, "a.txt": "3" * 64, "é": "4" * 64, "Z": "5" * 64}
    assert [line[66:].decode() for line in sums_listing(digests).splitlines()] == ["Z", "a.txt", "a/z", "b", "é"]


def test_coreutils_checks_a_listing(tmp_path: Path) -> None:
    for name, data in (("a.txt", b"1"), ("sub/b c.txt", b"2")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    listing = sums_listing({"a.txt": sha256(b"1"), "sub/b c.txt": sha256(b"2")})
    ran = subprocess.run(["sha256sum", "-c", "-"], input=listing, cwd=tmp_path, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stdout


@given(st.dictionaries(PATHS, st.binary(max_size=2).map(sha256)))
def test_a_listing_is_read_as_it_was_written(digests: dict[str, str]) -> None:
    assert dict(parse_sums(sums_listing(digests))) == digests


@given(st.dictionaries(PATHS, st.binary(max_size=2).map(sha256)))
def test_the_order_of_the_files_does_not_count(digests: dict[str, str]) -> None:
    assert folder_digest(digests) == folder_digest(dict(reversed(digests.items())))


def test_names_and_contents_cannot_run_together() -> None:
    """The folder {ab: c} is not the folder {a: bc}."""
    assert folder_digest({"ab": sha256(b"c")}) != folder_digest({"a": sha256(b"bc")})


@pytest.mark.parametrize(
    "data",
    [b"x\n", *(b"0" * 64 + end for end in (b"  a", b" a\n", b"  \n", b" *a\n")), b"A" * 64 + b"  a\n", b"\n"],
)
def test_what_is_no_listing_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"sha256sum line|line feed"):
        list(parse_sums(data))


@pytest.mark.parametrize("second", ["0" * 64, "1" * 64])
def test_a_path_may_be_listed_once(second: str) -> None:
    """Also with the same digest: nobody writes such a list, and readers would differ in which line counts."""
    with pytest.raises(ValueError, match=r"^a/b is listed twice$"):
        list(parse_sums(f"{'0' * 64}  a/b\n{second}  a/b\n".encode()))


def test_a_path_is_utf_8() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        list(parse_sums(b"0" * 64 + b"  \xff\n"))


def test_canonical_json_is_rfc_8785_and_one_line_feed() -> None:
    value = {"b": [1.0, 1e30, 0.1, "\u20ac\n"], "a": None, "é": True, "\U0001f600": 1, "\ufb33": 2}
    assert canonical_json(value).decode() == (
        '{"a":null,"b":[1,1e+30,0.1,"€\\n"],"é":true,"😀":1,"\ufb33":2}\n'  # sorted by UTF-16 code units
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, {1, 2}, b"x"])
def test_what_has_no_canonical_form_is_an_error(value: object) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        canonical_json(value)
