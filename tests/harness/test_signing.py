"""Signatures with SSH keys: asked of OpenSSH itself, verified at build, and refused where they do not hold."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sitegen.harness.countersigning import sign_ledgers
from sitegen.harness.signing import NAMESPACE, sign, signer_of
from sitegen.pipeline.auditing import audit_site
from sitegen.pipeline.build import build_site
from sitegen.refusals import Refused
from tests.audit.published import files_of, script, script_says
from tests.sites import make_protocol, make_run

TIME = "2026-11-30T09:32:00Z"
pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen on this machine")


def make_key(folder: Path, name: str) -> Path:
    key = folder / name
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(key)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return key


def allowed(key: Path, principal: str, options: str = "") -> str:
    kind, public, *_ = key.with_suffix(".pub").read_text().split()
    return f'{principal} namespaces="{NAMESPACE}"{options} {kind} {public}'


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("keys")
    return make_key(folder, "ours"), make_key(folder, "theirs")


def test_a_signature_names_its_signer(keys: tuple[Path, Path]) -> None:
    ours, theirs = keys
    signature = sign(b"event", ours)
    lines = [allowed(theirs, "them@example.org"), allowed(ours, "us@example.org")]
    assert signer_of(b"event", signature, lines, TIME) == "us@example.org"


def test_other_data_other_keys_and_other_purposes_do_not_verify(keys: tuple[Path, Path]) -> None:
    ours, theirs = keys
    signature = sign(b"event", ours)
    assert signer_of(b"Event", signature, [allowed(ours, "us@example.org")], TIME) is None
    assert signer_of(b"event", signature, [allowed(theirs, "them@example.org")], TIME) is None
    assert signer_of(b"event", b"no signature", [allowed(ours, "us@example.org")], TIME) is None
    assert signer_of(b"event", signature, [], TIME) is None
    for_mail = subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-n", "mail", "-f", str(ours)], input=b"event", capture_output=True, check=True
    ).stdout
    assert signer_of(b"event", for_mail, [allowed(ours, "us@example.org")], TIME) is None


def test_a_key_counts_only_while_it_was_valid(keys: tuple[Path, Path]) -> None:
    ours, _ = keys
    line = allowed(ours, "us@example.org", ',valid-before="20260101"')
    signature = sign(b"event", ours)
    assert signer_of(b"event", signature, [line], "2025-06-01T00:00:00Z") == "us@example.org"
    assert signer_of(b"event", signature, [line], TIME) is None


def test_a_key_that_is_not_there_is_an_error_of_the_environment(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="did not sign"):
        sign(b"event", tmp_path / "nokey")


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
