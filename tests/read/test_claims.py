"""Claims: what a site states beside its evidence, read strictly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.digests import sha256
from sitegen.read.claims import CLAIMS_PATH, Claims, read_claims
from sitegen.read.files import SourceFile
from sitegen.refusals import Refused

CLAIMS: dict[str, Any] = {
    "schema": "agent-bench-claims/v1",
    "engine": "a" * 64,
    "settings": {"title": "Ours"},
    "places": {"demo.v2": {"family": "demo", "follows": "demo.v1"}},
    "protocols": {"demo.v2": {"refused": [{"run_id": "r-1", "refusals": [{"slug": "file-missing", "file": "a"}]}]}},
}


def read(value: object) -> Claims:
    data = json.dumps(value).encode()
    return read_claims(SourceFile(path=CLAIMS_PATH, data=data, sha256=sha256(data)))


def test_claims_are_read() -> None:
    claims = read(CLAIMS)
    assert (claims.settings.title, claims.places["demo.v2"].follows) == ("Ours", "demo.v1")
    (run,) = claims.protocols["demo.v2"].refused
    assert (run.run_id, [refusal.slug for refusal in run.refusals]) == ("r-1", ["file-missing"])
    assert claims.protocols["demo.v2"].announced == ()


@pytest.mark.parametrize(
    ("change", "slug", "path"),
    [
        ({"schema": "agent-bench-claims/v2"}, "schema-unknown", "/schema"),
        ({"engine": "a"}, "digest-form", "/engine"),
        ({"settings": {"base_url": "http://[a"}}, "link-unsafe", "/base_url"),
        ({"rates": []}, "field-unknown", "/rates"),
        ({"protocols": {"demo.v2": {"announced": ["a"]}}}, "digest-form", "/protocols/demo.v2/announced/0"),
        ({"protocols": {"demo.v2": {"refused": [{"run_id": "a"}]}}}, "field-missing", "/protocols/demo.v2/refused/0"),
    ],
)
def test_other_claims_are_refused(change: dict[str, Any], slug: str, path: str) -> None:
    with pytest.raises(Refused) as caught:
        read({**CLAIMS, **change})
    (refusal,) = caught.value.refusals
    assert refusal.slug == slug
    assert refusal.path.startswith(path)
