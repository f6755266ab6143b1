"""Throw-away SSH keys, and the line of an allowed-signers file for each."""

from __future__ import annotations

import subprocess
from pathlib import Path

from sitegen.harness.signing import NAMESPACE


def make_key(folder: Path, name: str) -> Path:
    key = folder / name
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(key)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return key


def allowed(key: Path, principal: str, options: str = "") -> str:
    kind, public, *_ = key.with_suffix(".pub").read_text().split()
    return f'{principal} namespaces="{NAMESPACE}"{options} {kind} {public}'
