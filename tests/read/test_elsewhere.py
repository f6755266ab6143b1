"""``evidence.yaml`` is read strictly, and names transcripts only."""

from __future__ import annotations

import pytest

from sitegen.digests import sha256
from sitegen.read.elsewhere import read_elsewhere
from sitegen.read.files import SourceFile
from sitegen.refusals import Refused

GOOD = (
    "schema: agent-bench-evidence/v1\nfiles:\n  transcripts.jsonl:\n"
    f'    sha256: "{"a" * 64}"\n    size: 10\n    url: "https://example.org/t"\n'
)


def source(text: str) -> SourceFile:
    return SourceFile(path="evidence.yaml", data=text.encode(), sha256=sha256(text.encode()))


def test_it_names_a_file_by_digest_size_and_address() -> None:
    entry = read_elsewhere(source(GOOD)).files["transcripts.jsonl"]
    assert (entry.sha256, entry.size, entry.url) == ("a" * 64, 10, "https://example.org/t")


@pytest.mark.parametrize(
    ("old", "new", "slug"),
    [
        ("v1\n", "v2\n", "schema-unknown"),
        ("a" * 64, "a" * 63, "digest-form"),
        ("https://", "file:///", "link-unsafe"),
        ("size: 10", "size: -1", "field-range"),
        ("transcripts.jsonl", "manifest.yaml", "field-range"),
    ],
)
def test_anything_else_is_refused(old: str, new: str, slug: str) -> None:
    with pytest.raises(Refused) as refused:
        read_elsewhere(source(GOOD.replace(old, new, 1)))
    assert [refusal.slug for refusal in refused.value.refusals] == [slug]
