"""Signatures with SSH keys, by OpenSSH's own ``ssh-keygen -Y``: sitegen holds no key and no cryptography of its own."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

NAMESPACE = "sitegen"
"""What the signatures are for; a signature made for something else does not verify."""

PROGRAM = "ssh-keygen"
_DEADLINE = 60


def sign(data: bytes, key: Path) -> bytes:
    """Return the signature of ``data`` by the private key in the file ``key``; an agent or a prompt may be asked.

    Raises:
        OSError: there is no ssh-keygen, or it says no.
    """
    command = [PROGRAM, "-Y", "sign", "-n", NAMESPACE, "-f", str(key)]
    done = subprocess.run(command, input=data, capture_output=True, check=False, timeout=_DEADLINE)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise OSError(f"{PROGRAM} did not sign with {key}: {said}")
    return done.stdout


def signer_of(data: bytes, signature: bytes, signers: Sequence[str], time: str) -> str | None:
    """Return which allowed signer made ``signature`` of ``data``; ``None`` where none did.

    Args:
        data: what was signed.
        signature: in the armoured form of ``ssh-keygen -Y sign``.
        signers: lines of an allowed-signers file of OpenSSH.
        time: when it was signed, as the event claims (``2026-11-30T09:32:00Z``), for keys valid for a time only.

    Raises:
        OSError: there is no ssh-keygen.
    """
    with tempfile.TemporaryDirectory(prefix="sitegen-signers-") as name:
        allowed, signed = Path(name) / "allowed", Path(name) / "signature"
        allowed.write_text("".join(f"{line}\n" for line in signers), encoding="utf-8")
        signed.write_bytes(signature)
        at = f"verify-time={time.translate(str.maketrans('', '', '-:T'))}"
        files = ["-f", str(allowed), "-s", str(signed)]
        found = _run(["-Y", "find-principals", *files, "-O", at], b"")
        principal = found.splitlines()[0] if found else None
        if principal is None:
            return None
        verified = _run(["-Y", "verify", "-n", NAMESPACE, "-I", principal, *files, "-O", at], data)
        return None if verified is None else principal


def _run(arguments: Sequence[str], data: bytes) -> str | None:
    """Return what ssh-keygen prints, or ``None`` where it says no."""
    command = [PROGRAM, *arguments]
    done = subprocess.run(command, input=data, capture_output=True, check=False, timeout=_DEADLINE)
    return None if done.returncode else done.stdout.decode("utf-8", "replace").strip()
