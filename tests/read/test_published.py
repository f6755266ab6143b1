"""A published site as it is read: its own word in canonical form, and its evidence as the unit that was verified."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from sitegen.digests import canonical_json, sha256, sums_listing
from sitegen.pipeline.build import build_site
from sitegen.read.library import parse_unit
from sitegen.read.published import Site, evidence_of, open_source, read_history, read_site
from sitegen.refusals import Refused
from sitegen.verify.verifier import verify_unit
from tests.read.sources import faults, source
from tests.sites import judge, make_protocol, make_run

DIGEST = sha256(b"an event")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    make_protocol(tmp_path / "root", "demo.v1")
    make_run(tmp_path / "root", "demo.v1", "alpha")
    build_site(tmp_path / "root", tmp_path / "site")
    return tmp_path / "site"


def test_published_evidence_verifies_as_the_inputs_did(site: Path, tmp_path: Path) -> None:
    with open_source(str(site)) as opened:
        listed, _ = read_site(opened)
        paths = [path for path in listed.by_path if path.startswith("evidence/")]
        files = {path: opened.read(path, 1 << 20) for path in paths}
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
    with open_source(str(site)) as opened, pytest.raises(Refused) as refused:
        read_site(opened)
    assert slug in {refusal.slug for refusal in refused.value.refusals}


def test_fields_of_a_later_version_are_left_alone_but_the_form_is_not(site: Path) -> None:
    path = site / "site.json"
    value = {**json.loads(path.read_bytes()), "later": 1}
    path.write_bytes(canonical_json(value))
    with open_source(str(site)) as opened:
        assert read_site(opened)[0].protocols
        path.write_bytes(json.dumps(value).encode())
        with pytest.raises(Refused) as refused:
            read_site(opened)
    assert refused.value.refusals[0].slug == "json-not-canonical"


def test_a_folder_lists_all_that_lies_there(site: Path) -> None:
    (site / ".hidden~").write_bytes(b"")
    with open_source(str(site)) as opened:
        assert opened.names is not None
        assert ".hidden~" in opened.names


def listing(*paths: str) -> dict[str, object]:
    """What ``site.json`` says of a site of these files, with one protocol that has a run and one that has nothing."""
    return {
        "schema": "agent-bench-site/v1",
        "tool": "sitegen 0",
        "files": [{"path": path, "size": 8, "sha256": DIGEST} for path in paths],
        "heads": {"p": [DIGEST], "none": []},
        "protocols": {},
        "reports": {"p": {"r-abcdef": DIGEST}},
        "withdrawn": {},
    }


def published(folder: Path, *paths: str) -> Path:
    """Write the two lists of such a site, which is all that its history is read from."""
    said = canonical_json(listing(*paths))
    (folder / "site.json").write_bytes(said)
    sums = {**dict.fromkeys(paths, DIGEST), "site.json": sha256(said)}
    (folder / "SHA256SUMS").write_bytes(sums_listing(sums))
    return folder


def test_each_published_file_has_its_place_in_the_unit_of_its_protocol() -> None:
    names = ("protocol.sealed.yaml", "null_pack.sums", f"ledger/{DIGEST}.json", f"signatures/{DIGEST}.sig")
    names += ("r-abcdef/report.json", "r-abcdef/solver/solve.sh", "r-abcdef/solver.sums")
    files = {path: source("", path) for path in (*(f"evidence/p/{name}" for name in names), "evidence/p2/notes.md")}
    unit = evidence_of(msgspec.convert(listing(), Site), "p", files)
    assert unit.protocol is not None
    assert list(unit.protocol.files) == ["protocol.sealed.yaml"]
    assert [file.path for file in unit.ledger] == [f"evidence/p/ledger/{DIGEST}.json"]
    assert [file.path for file in unit.signatures] == [f"evidence/p/signatures/{DIGEST}.sig"]
    assert {run.path: list(run.files) for run in unit.runs} == {
        "evidence/p/r-abcdef": ["report.json", "solver/solve.sh"]
    }


def test_a_protocol_of_which_only_the_ledger_is_published_has_no_folder() -> None:
    path = f"evidence/p/ledger/{DIGEST}.json"
    unit = evidence_of(msgspec.convert(listing(), Site), "p", {path: source("", path)})
    assert unit.protocol is None
    assert [file.path for file in unit.ledger] == [path]


def test_a_history_is_the_events_among_the_evidence(tmp_path: Path) -> None:
    """Whatever else is called like one: only evidence is, and only below a protocol's ledger."""
    elsewhere = (f"data/q/ledger/{DIGEST}.json", "data/p/ledger/notes.json", f"evidence/p/{DIGEST}.json", "index.html")
    history = read_history(str(published(tmp_path, f"evidence/p/ledger/{DIGEST}.json", *elsewhere)))
    assert history.events == {"p": {DIGEST}, "none": frozenset()}
    assert history.all_events == {DIGEST}


@pytest.mark.parametrize("name", ["notes.json", f"{'0' * 64}.json", DIGEST])
def test_a_history_with_an_event_of_another_name_is_unreadable(name: str, tmp_path: Path) -> None:
    path = f"evidence/p/ledger/{name}"
    with pytest.raises(Refused) as refused:
        read_history(str(published(tmp_path, path)))
    (refusal,) = refused.value.refusals
    assert (refusal.slug, refusal.found) == ("history-unreadable", f"{path} is not named by its digest")


def test_a_history_whose_lists_differ_is_unreadable(tmp_path: Path) -> None:
    folder = published(tmp_path, "index.html")
    (folder / "SHA256SUMS").write_bytes(sums_listing({"index.html": DIGEST}))
    assert faults(read_history, str(folder)) == [("history-unreadable", "")]
