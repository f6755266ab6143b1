"""Adopting: another site's exam keeps its identity here, or is not taken at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.harness.adopting import adopt_protocol
from sitegen.pipeline.build import build_site
from sitegen.refusals import Misuse, Refused
from tests.audit.published import files_of, resealed_lists
from tests.audit.serving import served
from tests.sites import judge, make_protocol, make_run


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    root = tmp_path / "theirs"
    make_protocol(root, "demo.v1")
    make_run(root, "demo.v1", "alpha")
    build_site(root, tmp_path / "site")
    return tmp_path / "site"


def test_the_identity_is_the_same_digest_and_it_can_be_run(theirs: Path, tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    ours.mkdir()
    adopted = adopt_protocol(ours, str(theirs))
    before = judge(tmp_path / "theirs", "demo.v1")
    assert before.protocol is not None
    assert adopted.sha256 == before.protocol.sha256
    assert judge(ours, "demo.v1").all_refusals == []
    assert judge(ours, "demo.v1").reports == ()
    run = make_run(ours, "demo.v1", "beta", wrong=("T-001",))
    unit = judge(ours, "demo.v1")
    assert [report.run_id for report in unit.reports] == [run.run_id]
    assert unit.protocol is not None
    assert unit.protocol.sha256 == adopted.sha256


def test_the_address_of_its_page_names_it(theirs: Path, tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    ours.mkdir()
    assert adopt_protocol(ours, f"{theirs}/protocols/demo.v1/index.html").protocol_id == "demo.v1"


def test_what_is_here_is_never_replaced(theirs: Path, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="already"):
        adopt_protocol(tmp_path / "theirs", str(theirs))


def test_an_unknown_id_is_a_misuse(theirs: Path, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match=r"demo\.v1"):
        adopt_protocol(tmp_path, str(theirs), "other.v1")


@pytest.mark.parametrize("name", ["tasks.jsonl", "metric.py", "protocol.sums", "protocol.sealed.yaml"])
def test_a_changed_file_is_refused_and_nothing_is_written(theirs: Path, tmp_path: Path, name: str) -> None:
    ours = tmp_path / "ours"
    ours.mkdir()
    changed = theirs / "evidence" / "demo.v1" / name
    changed.write_bytes(changed.read_bytes().replace(b"e", b"E", 1))
    with pytest.raises(Refused):
        adopt_protocol(ours, str(theirs))
    assert list(ours.iterdir()) == []


def test_a_list_with_the_evidence_folder_as_a_file_is_refused(theirs: Path, tmp_path: Path) -> None:
    """On a disk it is a folder; at an address it may be whatever the server likes to answer."""
    ours = tmp_path / "ours"
    ours.mkdir()
    files = resealed_lists(files_of(theirs), lambda files: files.update({"evidence/demo.v1": b"a file\n"}))
    for name in ("site.json", "SHA256SUMS"):
        (theirs / name).write_bytes(files[name])
    with pytest.raises(Refused) as caught:
        adopt_protocol(ours, str(theirs))
    assert [(fault.slug, fault.file) for fault in caught.value.refusals] == [("path-unsafe", "evidence/demo.v1")]
    with served(theirs) as address, pytest.raises(Refused) as caught:
        adopt_protocol(ours, address)
    assert {fault.file for fault in caught.value.refusals} == {"evidence/demo.v1"}
    assert list(ours.iterdir()) == []
