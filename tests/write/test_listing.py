"""What a site says of itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen.digests import Listed, canonical_json, parse_sums, sha256
from sitegen.write import listing
from sitegen.write.listing import Block, blocks_of, is_marker, listed_in, paths_in, site_json, sums

PATHS = ("é", "b", "a/c", "a/b", "a-b", "a/é/x", "a.b")
FILES = [Listed(path=path, size=1, sha256=sha256(path.encode())) for path in PATHS]


def test_the_list_is_canonical_and_sorted_by_bytes() -> None:
    data = text(blocks_of(FILES))
    value = json.loads(data)
    assert canonical_json(value) == data == text(blocks_of(FILES[::-1]))
    assert [file["path"] for file in value["files"]] == sorted(PATHS, key=str.encode)
    assert value["tool"] == "sitegen"


def text(blocks: list[Block]) -> bytes:
    return b"".join(site_json(blocks, {"tool": "sitegen"}))


@pytest.mark.parametrize("folders", [["a/"], ["a/é/", "b/"]])
def test_files_taken_together_by_folder_are_in_the_same_order(folders: list[str]) -> None:
    blocks = blocks_of(FILES, folders)
    assert text(blocks) == text(blocks_of(FILES))
    assert b"".join(sums(blocks)) == b"".join(sums(blocks_of(FILES)))
    assert len(blocks) < len(FILES) or folders == ["a/é/", "b/"]
    assert {file for block in blocks for file in listed_in(block)} == set(FILES)
    assert sorted(path for block in blocks for path in paths_in(block)) == sorted(PATHS)


def test_the_sums_are_those_of_the_files() -> None:
    assert dict(parse_sums(b"".join(sums(blocks_of(FILES))))) == {file.path: file.sha256 for file in FILES}


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"schema": "agent-bench-site/v2"}', b"{" * 9])
def test_only_our_own_list_is_a_marker(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    path.write_bytes(data)
    assert not is_marker(path)
    assert not is_marker(tmp_path / "nowhere")
    assert not is_marker(tmp_path)


@pytest.mark.parametrize("piece", [1 << 16, 41, 64])
def test_the_mark_is_found_wherever_it_stands(piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "site.json"
    monkeypatch.setattr(listing, "_PIECE", piece)
    for files in (FILES, []):
        for tool in range(70):
            path.write_bytes(b"".join(site_json(blocks_of(files), {"heads": "x" * tool})))
            assert is_marker(path)
    path.write_bytes(path.read_bytes().replace(b"site/v1", b"site/v2"))
    assert not is_marker(path)
