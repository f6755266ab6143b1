"""Reading over the network: one file at a time, of a known size, and never outside the site."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.read.address import is_address, reader_of
from sitegen.refusals import Refused
from tests.audit.serving import served


def test_only_the_web_is_an_address() -> None:
    assert is_address("https://example.org/")
    assert is_address("http://127.0.0.1:1/")
    assert not is_address("_site")
    assert not is_address("file:///etc/passwd")


def test_a_file_is_read_with_its_digest_and_its_cap(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b@c+d.json").write_bytes(b"{}\n")
    with served(tmp_path) as address:
        read = reader_of(address.rstrip("/"))
        assert read("a/b@c+d.json", 3).data == b"{}\n"
        for path, limit, slug in (
            ("a/b@c+d.json", 2, "file-too-large"),
            ("a/none.json", 100, "file-missing"),
            ("../secret", 100, "path-unsafe"),
        ):
            with pytest.raises(Refused) as refused:
                read(path, limit)
            assert [refusal.slug for refusal in refused.value.refusals] == [slug]


def test_a_host_that_does_not_answer_is_a_refusal() -> None:
    with pytest.raises(Refused) as refused:
        reader_of("http://127.0.0.1:9/")("site.json", 100)
    assert refused.value.refusals[0].slug == "file-missing"
