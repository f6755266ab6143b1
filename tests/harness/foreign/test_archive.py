from __future__ import annotations

import io
import random
import stat
import sys
import tempfile
import tracemalloc
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.harness.foreign import archive
from sitegen.harness.foreign.archive import opened_archive
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.refusals import Refused


def packed(tmp_path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", method) as out:
        for name, data in members.items():
            out.writestr(name, data)
    return path


def read_all(path: Path) -> dict[str, bytes]:
    with opened_archive(ForeignFile(path)) as opened:
        return {name: opened.read(name) for name in opened.names}


def zstandard_archive(tmp_path: Path, data: bytes) -> Path:
    """A stored archive whose member is then declared to be Zstandard, which Python 3.11 cannot write."""
    zstandard = pytest.importorskip("zstandard", reason="zstandard is an extra")
    frame = zstandard.compress(data)
    whole = packed(tmp_path, {"a.json": frame}, zipfile.ZIP_STORED).read_bytes()
    old, new = (len(n).to_bytes(4, "little") for n in (frame, data))
    crcs = (zlib.crc32(frame).to_bytes(4, "little"), zlib.crc32(data).to_bytes(4, "little"))
    local, central = whole.index(b"PK\x03\x04"), whole.index(b"PK\x01\x02")
    out = bytearray(whole)
    for start, method, crc in ((local, 8, 14), (central, 10, 16)):
        out[start + method : start + method + 2] = (93).to_bytes(2, "little")
        assert out[start + crc : start + crc + 4] == crcs[0]
        assert out[start + crc + 8 : start + crc + 12] == old
        out[start + crc : start + crc + 4] = crcs[1]
        out[start + crc + 8 : start + crc + 12] = new
    path = tmp_path / "zstd.eval"
    path.write_bytes(out)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_read_whole(tmp_path: Path, method: int) -> None:
    members = {"header.json": b"{}", 'samples/a/b " 日本_epoch_1.json': b"x" * 5000, "empty": b""}
    assert read_all(packed(tmp_path, members, method)) == members


def test_members_with_long_names_are_read_whole(tmp_path: Path) -> None:
    members = {f"samples/{'x' * length}.json": b"y" * length for length in (240, 256, 300, 5000)}
    assert read_all(packed(tmp_path, members)) == members


def test_the_directory_of_one_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    plain = archive._plain_members
    monkeypatch.setattr(archive, "_plain_members", lambda handle: [reads.append(handle.name), plain(handle)][1])
    path = packed(tmp_path, {"a": b"1"})
    file, other = ForeignFile(path), ForeignFile(path)
    for opening in (file, file, other):
        with opened_archive(opening) as opened:
            assert opened.read("a") == b"1"
    assert len(reads) == 2


def test_a_kept_directory_is_not_used_for_a_file_that_changed(tmp_path: Path, refused: Callable[..., Any]) -> None:
    path = packed(tmp_path, {"a": b"1"})
    file = ForeignFile(path)
    with opened_archive(file):
        pass
    packed(tmp_path, {"a": b"22", "b": b"3"})
    assert refused(opened_archive(file).__enter__)[0].slug == "file-changed"


@pytest.mark.parametrize("count", [1, 3, 70_000])
def test_a_plain_directory_is_read_as_pythons_own_reader_reads_it(tmp_path: Path, count: int) -> None:
    """With more members than 65,535 the end record is the long one."""
    path = packed(tmp_path, {f"samples/{n}_epoch_1.json": b"%d" % n for n in range(count)}, zipfile.ZIP_STORED)
    with path.open("rb") as handle:
        plain = archive._plain_members(handle)
    with zipfile.ZipFile(path) as whole:
        expected = [(m.filename, [0, m.header_offset, m.compress_size, m.file_size, m.CRC]) for m in whole.infolist()]
    fields = ("method", "offset", "packed", "size", "crc")
    assert [(name, [getattr(m, field) for field in fields]) for name, m in (plain or {}).items()] == expected


@pytest.mark.parametrize(
    ("content", "compress"),
    [
        (b"a" * (1 << 20), True),
        (bytes(range(256)) * 5000, False),  # a header that names a hundred thousand samples is as large
        (random.Random(1).randbytes(1 << 15) * 40, True),
        (b"a" * ((1 << 20) + 1), True),  # too dense: refused, by the other reader
    ],
)
def test_a_large_member_is_plain_as_long_as_it_is_not_too_dense(tmp_path: Path, content: bytes, compress: bool) -> None:
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    path = packed(tmp_path, {"header.json": content}, method)
    with path.open("rb") as handle:
        plain = archive._plain_members(handle)
    with mock.patch.object(archive, "_plain_members", return_value=None):
        if plain is not None:
            assert plain == archive._members(ForeignFile(path))
        else:
            with pytest.raises(Refused, match="archive-unsafe"):
                archive._members(ForeignFile(path))
    assert (plain is None) == (content == b"a" * ((1 << 20) + 1))


@given(
    st.dictionaries(st.text("a./\\:é\0 ", min_size=1, max_size=5), st.binary(max_size=9), max_size=4),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=3),
    st.binary(max_size=3),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_what_the_plain_reader_takes_pythons_own_reader_takes_alike(
    members: dict[str, bytes], changes: list[tuple[int, int]], around: bytes, before: bool
) -> None:
    """Odd names, changed bytes, bytes before or after the archive: the same members, or the other reader decides."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as out, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in members.items():
            out.writestr(zipfile.ZipInfo(name), content)
    data = bytearray(around + made.getvalue() if before else made.getvalue() + around)
    for back, byte in changes:
        if back < len(data):
            data[-1 - back] = byte
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.eval"
        path.write_bytes(data)
        with path.open("rb") as handle:
            plain = archive._plain_members(handle)
        if plain is not None:
            with mock.patch.object(archive, "_plain_members", return_value=None):
                assert list(plain.items()) == list(archive._members(ForeignFile(path)).items())


def test_small_members_are_read_together_and_large_ones_alone(tmp_path: Path) -> None:
    members = {f"{n}": b"x" * (10 if n % 4 else archive._BATCH) for n in range(9)}
    with opened_archive(ForeignFile(packed(tmp_path, members))) as opened:
        batches = list(opened.batches(opened.names))
    assert batches == [["0"], ["1", "2", "3", "4"], ["5", "6", "7", "8"]]


def test_zstandard_members_are_read(tmp_path: Path) -> None:
    assert read_all(zstandard_archive(tmp_path, b"hello " * 1000)) == {"a.json": b"hello " * 1000}


def test_without_zstandard_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., Any]
) -> None:
    path = zstandard_archive(tmp_path, b"hello")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    (fault,) = refused(read_all, path)
    assert fault.slug == "import-unsupported"
    assert "sitegen[import]" in (fault.hint or "")


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/passwd", "C:/x", "a\\..\\..\\x", "./x"])
def test_traversal_is_refused(tmp_path: Path, refused: Callable[..., Any], name: str) -> None:
    (fault,) = refused(read_all, packed(tmp_path, {name: b"x"}))
    assert (fault.slug, fault.path) == ("archive-unsafe", name)


def test_links_and_repeated_names_are_refused(tmp_path: Path, refused: Callable[..., Any]) -> None:
    path = tmp_path / "link.eval"
    with zipfile.ZipFile(path, "w") as out:
        member = zipfile.ZipInfo("link")
        member.external_attr = (stat.S_IFLNK | 0o777) << 16
        out.writestr(member, "/etc/passwd")
    assert refused(read_all, path)[0].found == "a symbolic link"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("a", "1")
        with pytest.warns(UserWarning, match="Duplicate"):
            out.writestr("a", "2")
    assert refused(read_all, path)[0].found == "the same name twice"


def bomb(size: int) -> bytes:
    """A deflated archive of zeros, made without holding them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made, made.open("header.json", "w") as member:
        for _ in range(size >> 20):
            member.write(bytes(1 << 20))
    return out.getvalue()


@pytest.mark.parametrize("size", [1 << 30, 32 << 20])
def test_bombs_are_refused_in_bounded_memory(tmp_path: Path, refused: Callable[..., Any], size: int) -> None:
    """A 1 GB member by its size, a smaller one by its proportion."""
    path = tmp_path / "bomb.eval"
    path.write_bytes(bomb(size))
    tracemalloc.start()
    (fault,) = refused(read_all, path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert fault.slug == "archive-unsafe"
    assert peak < 8 << 20


def test_a_directory_that_lies_about_a_size_is_refused(tmp_path: Path, refused: Callable[..., Any]) -> None:
    data = bytearray(packed(tmp_path, {"header.json": b"x" * 4000}).read_bytes())
    central = data.index(b"PK\x01\x02")
    data[central + 24 : central + 28] = (10).to_bytes(4, "little")
    (tmp_path / "lie.eval").write_bytes(data)
    assert refused(read_all, tmp_path / "lie.eval")[0].slug == "archive-unsafe"


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9, 0.99])
def test_a_cut_archive_is_refused(tmp_path: Path, refused: Callable[..., Any], keep: float) -> None:
    data = packed(tmp_path, {f"samples/{n}.json": b"%d" % n * 300 for n in range(20)}).read_bytes()
    (tmp_path / "cut.eval").write_bytes(data[: int(len(data) * keep)])
    assert refused(read_all, tmp_path / "cut.eval")[0].slug == "archive-unsafe"


def test_a_damaged_member_is_refused(tmp_path: Path, refused: Callable[..., Any]) -> None:
    data = bytearray(packed(tmp_path, {"a.json": bytes(range(256)) * 20}).read_bytes())
    data[60] ^= 0xFF
    (tmp_path / "bad.eval").write_bytes(data)
    assert refused(read_all, tmp_path / "bad.eval")[0].slug == "archive-unsafe"


def test_unknown_compressions_and_too_many_members_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., Any]
) -> None:
    path = packed(tmp_path, {"a": b"x" * 100}, zipfile.ZIP_BZIP2)
    assert refused(read_all, path)[0].slug == "import-unsupported"
    monkeypatch.setattr(archive, "MOST_MEMBERS", 2)
    path = packed(tmp_path, dict.fromkeys("abc", b""))
    assert refused(read_all, path)[0].slug == "archive-unsafe"


def test_a_directory_too_large_to_load_is_refused_before_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., Any]
) -> None:
    path = packed(tmp_path, {f"{n}": b"" for n in range(10)})
    monkeypatch.setattr(archive, "_DIRECTORY_LIMIT", 100)
    monkeypatch.setattr(archive.zipfile, "ZipFile", pytest.fail)
    assert "directory" in (refused(read_all, path)[0].expected or "")
