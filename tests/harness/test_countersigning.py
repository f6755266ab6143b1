"""Signing a site's ledgers: seals and heads, once each, and a build that asks for it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sitegen.harness.countersigning import sign_ledgers
from sitegen.pipeline.auditing import audit_site
from sitegen.pipeline.build import build_site
from sitegen.refusals import Refused
from tests.audit.keys import allowed, make_key
from tests.audit.published import files_of, script, script_says
from tests.sites import make_protocol, make_run

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen on this machine")


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("keys")
    return make_key(folder, "ours"), make_key(folder, "theirs")


@pytest.fixture
def root(tmp_path: Path, keys: tuple[Path, Path]) -> Path:
    folder = tmp_path / "root"
    make_protocol(folder, "demo.v1")
    make_run(folder, "demo.v1", "alpha")
    line = allowed(keys[0], "us@example.org").replace('"', '\\"')
    (folder / "sitegen.toml").write_text(f'signers = ["{line}"]\n')
    return folder


def slugs(root: Path, output: Path) -> list[str]:
    with pytest.raises(Refused) as refused:
        build_site(root, output)
    assert not output.exists()
    return sorted(refusal.slug for refusal in refused.value.refusals)


def test_unsigned_seals_and_heads_stop_a_build_that_asks_for_signatures(root: Path, tmp_path: Path) -> None:
    assert set(slugs(root, tmp_path / "site")) == {"signature-missing"}


def test_a_signed_site_builds_and_publishes_its_signatures(root: Path, tmp_path: Path, keys: tuple[Path, Path]) -> None:
    assert len(list(sign_ledgers(root, keys[0]))) == 2  # the seal, and the head
    assert list(sign_ledgers(root, keys[0])) == []
    build_site(root, tmp_path / "site")
    files = files_of(tmp_path / "site")
    assert sum(name.startswith("evidence/demo.v1/signatures/") for name in files) == 2
    assert script_says(script(files), files) == []
    assert files["protocols/demo.v1/index.html"].count(b"signed by <bdi>us@example.org</bdi>") == 2
    assert audit_site(str(tmp_path / "site")).faults == ()
    make_run(root, "demo.v1", "beta")  # a new head, which nobody has signed
    assert set(slugs(root, tmp_path / "later")) == {"signature-missing"}


def test_a_stranger_cannot_sign(root: Path, tmp_path: Path, keys: tuple[Path, Path]) -> None:
    list(sign_ledgers(root, keys[1]))
    assert set(slugs(root, tmp_path / "site")) == {"signature-invalid"}


def test_a_file_that_is_no_signature_of_an_event_is_refused(
    root: Path, tmp_path: Path, keys: tuple[Path, Path]
) -> None:
    list(sign_ledgers(root, keys[0]))
    (root / "reports" / "demo.v1" / "signatures" / "notes.txt").write_text("hello")
    assert "file-unlisted" in slugs(root, tmp_path / "site")
