"""Signatures in a build: without signers nothing is asked; with them a unit holds or is kept out whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.pipeline.auditing import audit_site
from sitegen.pipeline.build import build_site
from sitegen.pipeline.signatures import with_signatures
from sitegen.refusals import Refused
from tests.audit.authority import make_authority, needs_openssl, stamp
from tests.audit.published import files_of, script, script_says
from tests.sites import judge, make_protocol, make_run


def test_nothing_is_asked_without_signers(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v1", "alpha")
    unit = judge(tmp_path, "demo.v1")
    assert with_signatures(unit, (), ()) == unit


def test_an_unsigned_unit_is_kept_out_with_its_runs(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    closed = make_run(tmp_path, "demo.v1", "alpha")
    kept_out = with_signatures(judge(tmp_path, "demo.v1"), (), ("us@example.org ssh-ed25519 AAAA",))
    assert kept_out.protocol is None
    assert kept_out.reports == ()
    assert [run.run_id for run in kept_out.refused] == [closed.run_id]
    assert {refusal.slug for refusal in kept_out.refusals} == {"signature-missing"}


@pytest.fixture
def stamped(tmp_path: Path) -> Path:
    """Inputs whose seal is witnessed by an authority that the settings name, and the path of the timestamp."""
    needs_openssl()
    root = tmp_path / "root"
    make_protocol(root, "demo.v1")
    make_run(root, "demo.v1", "alpha")
    certificate = make_authority(tmp_path / "tsa")
    (root / "authority.pem").write_bytes(certificate.read_bytes())
    (root / "sitegen.toml").write_text('timestamp_authorities = ["authority.pem"]\n')
    ((digest, _),) = judge(root, "demo.v1").ledger.of("seal")
    event = root / "reports" / "demo.v1" / "ledger" / f"{digest}.json"
    answer = root / "reports" / "demo.v1" / "signatures" / f"{digest}.tsr"
    answer.parent.mkdir()
    answer.write_bytes(stamp(certificate, event.read_bytes()))
    return answer


def test_a_witnessed_seal_is_shown_and_published(tmp_path: Path, stamped: Path) -> None:
    build_site(tmp_path / "root", tmp_path / "site")
    files = files_of(tmp_path / "site")
    page = files["protocols/demo.v1/index.html"].decode()
    assert "The time of the seal" in page
    assert "is witnessed by the authority of <code>authority.pem</code>" in page
    assert files[f"evidence/demo.v1/signatures/{stamped.name}"] == stamped.read_bytes()
    assert script_says(script(files), files) == []
    assert audit_site(str(tmp_path / "site")).faults == ()


def test_a_timestamp_of_something_else_keeps_the_unit_out(tmp_path: Path, stamped: Path) -> None:
    stamped.write_bytes(stamp(tmp_path / "tsa" / "authority.pem", b"another event"))
    with pytest.raises(Refused) as refused:
        build_site(tmp_path / "root", tmp_path / "site")
    assert {refusal.slug for refusal in refused.value.refusals} == {"signature-invalid"}


def test_another_certificate_is_noticed_though_pages_are_remembered(tmp_path: Path, stamped: Path) -> None:
    build_site(tmp_path / "root", tmp_path / "site", cache=tmp_path / "cache")
    (tmp_path / "root" / "authority.pem").write_bytes(make_authority(tmp_path / "other").read_bytes())
    with pytest.raises(Refused):
        build_site(tmp_path / "root", tmp_path / "site", cache=tmp_path / "cache")


def test_no_timestamp_is_asked_for(tmp_path: Path, stamped: Path) -> None:
    stamped.unlink()
    build_site(tmp_path / "root", tmp_path / "site")
    assert b"is witnessed by" not in files_of(tmp_path / "site")["protocols/demo.v1/index.html"]


def test_without_authorities_a_timestamp_is_published_and_nothing_is_said(tmp_path: Path, stamped: Path) -> None:
    (tmp_path / "root" / "sitegen.toml").unlink()
    build_site(tmp_path / "root", tmp_path / "site")
    files = files_of(tmp_path / "site")
    assert f"evidence/demo.v1/signatures/{stamped.name}" in files
    assert b"is witnessed by" not in files["protocols/demo.v1/index.html"]


def test_a_certificate_that_is_not_there_is_named(tmp_path: Path, stamped: Path) -> None:
    (tmp_path / "root" / "authority.pem").unlink()
    with pytest.raises(Refused) as refused:
        build_site(tmp_path / "root", tmp_path / "site")
    assert [refusal.file for refusal in refused.value.refusals] == ["authority.pem"]
