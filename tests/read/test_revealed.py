"""The record of a reveal is read strictly."""

from __future__ import annotations

import pytest

from sitegen.digests import sha256
from sitegen.read.files import SourceFile
from sitegen.read.revealed import read_revealed
from sitegen.refusals import Refused

GOOD = (
    "schema: agent-bench-reveal/v1\nprotocol_id: demo.v1\n"
    f'protocol_sha256: "{"a" * 64}"\ntime: "2026-11-30T00:00:00Z"\n'
)


def source(text: str) -> SourceFile:
    return SourceFile(path="protocols/demo.v1/revealed.yaml", data=text.encode(), sha256=sha256(text.encode()))


def test_it_names_a_protocol_by_digest() -> None:
    assert read_revealed(source(GOOD)).protocol_sha256 == "a" * 64


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        (GOOD.replace("v1\n", "v2\n", 1), "schema-unknown"),
        (GOOD.replace("a" * 64, "A" * 64), "digest-form"),
        (GOOD.replace("T00", " 00"), "time-form"),
        (GOOD + "more: 1\n", "field-unknown"),
    ],
)
def test_anything_else_is_refused(text: str, slug: str) -> None:
    with pytest.raises(Refused) as refused:
        read_revealed(source(text))
    assert [refusal.slug for refusal in refused.value.refusals] == [slug]
