"""What a site says of itself."""

from __future__ import annotations

import json

import pytest

from sitegen.digests import Listed, canonical_json, parse_sums, sha256
from sitegen.write.listing import is_marker, site_json, sums

FILES = [Listed(path=path, size=1, sha256=sha256(path.encode())) for path in ("é", "b", "a/c")]


def test_the_list_is_canonical_and_sorted_by_bytes() -> None:
    data = site_json(FILES, {"tool": "sitegen"})
    value = json.loads(data)
    assert canonical_json(value) == data == site_json(FILES[::-1], {"tool": "sitegen"})
    assert [file["path"] for file in value["files"]] == ["a/c", "b", "é"]
    assert value["tool"] == "sitegen"


def test_the_sums_are_those_of_the_files() -> None:
    assert dict(parse_sums(sums(FILES))) == {file.path: file.sha256 for file in FILES}


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"schema": "agent-bench-site/v2"}', b"{" * 9])
def test_only_our_own_list_is_a_marker(data: bytes) -> None:
    assert not is_marker(data)
    assert is_marker(site_json(FILES, {}))
