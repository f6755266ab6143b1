"""A published site as it is read: its own word in canonical form, and its evidence as the unit that was verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen.digests import canonical_json
from sitegen.pipeline.build import build_site
from sitegen.read.library import parse_unit
from sitegen.read.published import evidence_of, open_source, read_site
from sitegen.refusals import Refused
from sitegen.verify.verifier import verify_unit
from tests.sites import judge, make_protocol, make_run


@pytest.fixture
def site(tmp_path: Path) -> Path:
    make_protocol(tmp_path / "root", "demo.v1")
    make_run(tmp_path / "root", "demo.v1", "alpha")
    build_site(tmp_path / "root", tmp_path / "site")
    return tmp_path / "site"


def test_published_evidence_verifies_as_the_inputs_did(site: Path, tmp_path: Path) -> None:
    with open_source(str(site)) as source:
        listed, _ = read_site(source)
        paths = [path for path in listed.by_path if path.startswith("evidence/")]
        files = {path: source.read(path, 1 << 20) for path in paths}
    unit = verify_unit(parse_unit(evidence_of(listed, "demo.v1", files)))
    before = judge(tmp_path / "root", "demo.v1")
    assert unit.all_refusals == []
    assert [report.card for report in unit.reports] == [report.card for report in before.reports]


@pytest.mark.parametrize(
    ("change", "slug"),
    [
        (lambda site: {**site, "schema": "agent-bench-site/v2"}, "schema-unknown"),
        (lambda site: {**site, "heads": {"demo.v1": ["x"]}}, "digest-form"),
        (lambda site: {key: part for key, part in site.items() if key != "reports"}, "field-missing"),
    ],
)
def test_what_is_no_site_is_refused(site: Path, change: object, slug: str) -> None:
    path = site / "site.json"
    assert callable(change)
    path.write_bytes(canonical_json(change(json.loads(path.read_bytes()))))
    with open_source(str(site)) as source, pytest.raises(Refused) as refused:
        read_site(source)
    assert slug in {refusal.slug for refusal in refused.value.refusals}


def test_fields_of_a_later_version_are_left_alone_but_the_form_is_not(site: Path) -> None:
    path = site / "site.json"
    value = {**json.loads(path.read_bytes()), "later": 1}
    path.write_bytes(canonical_json(value))
    with open_source(str(site)) as source:
        assert read_site(source)[0].protocols
        path.write_bytes(json.dumps(value).encode())
        with pytest.raises(Refused) as refused:
            read_site(source)
    assert refused.value.refusals[0].slug == "json-not-canonical"


def test_a_folder_lists_all_that_lies_there(site: Path) -> None:
    (site / ".hidden~").write_bytes(b"")
    with open_source(str(site)) as source:
        assert source.names is not None
        assert ".hidden~" in source.names
