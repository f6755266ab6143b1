"""Signatures with SSH keys: asked of OpenSSH itself, verified at build, and refused where they do not hold."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness import asking, signing
from sitegen.harness.signing import sign, signer_of
from tests.audit.keys import allowed, make_key

TIME = "2026-11-30T09:32:00Z"
pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen on this machine")


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


def test_a_signature_waits_for_whoever_is_asked_for_the_passphrase(
    keys: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float | None] = []
    run = subprocess.run

    def watch(command: list[str], **options: Any) -> Any:
        asked.append(options.get("timeout"))
        return run(command, **options)

    monkeypatch.setattr(subprocess, "run", watch)
    signature = sign(b"event", keys[0])
    assert asked == [None]
    assert signer_of(b"event", signature, [allowed(keys[0], "us@example.org")], TIME) == "us@example.org"
    assert asked == [None, 60, 60], "nobody is asked when it is verified"


def test_a_program_that_never_answers_is_an_error_of_the_environment(
    keys: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signature = sign(b"event", keys[0])
    silent = tmp_path / "ssh-keygen"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    monkeypatch.setattr(signing, "PROGRAM", str(silent))
    monkeypatch.setattr(asking, "DEADLINE_SEC", 0.1)
    with pytest.raises(OSError, match="no answer"):
        signer_of(b"event", signature, [allowed(keys[0], "us@example.org")], TIME)
