"""Signatures with SSH keys, by OpenSSH's own ``ssh-keygen -Y``: sitegen holds no key and no cryptography of its own."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sitegen.harness.asking import asked

NAMESPACE = "sitegen"
"""What the signatures are for; a signature made for something else does not verify."""

PROGRAM = "ssh-keygen"


def sign(data: bytes, key: Path) -> bytes:
    """Return the signature of ``data`` by the private key in the file ``key``.

    ssh-keygen may ask an agent, a security key, or a person for the passphrase; so it has all the time it takes.

    Raises:
        OSError: there is no ssh-keygen, or it says no.
    """
    command = [PROGRAM, "-Y", "sign", "-n", NAMESPACE, "-f", str(key)]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
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
        OSError: there is no ssh-keygen, or it does not answer.
    """
    with tempfile.TemporaryDirectory(prefix="sitegen-signers-") as name:
        allowed, signed = Path(name) / "allowed", Path(name) / "signature"
        allowed.write_text("".join(f"{line}\n" for line in signers), encoding="utf-8")
        signed.write_bytes(signature)
        at = f"verify-time={time.translate(str.maketrans('', '', '-:T'))}"
        files = ["-f", str(allowed), "-s", str(signed)]
        found = asked([PROGRAM, "-Y", "find-principals", *files, "-O", at])
        named = (found or b"").decode("utf-8", "replace").strip()
        if not named:
            return None
        principal = named.splitlines()[0]
        verified = asked([PROGRAM, "-Y", "verify", "-n", NAMESPACE, "-I", principal, *files, "-O", at], data)
        return None if verified is None else principal
