"""A timestamp authority of RFC 3161 in a folder, made by openssl: its certificate, and its answers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CONFIGURATION = """
[ tsa ]
default_tsa = one
[ one ]
serial = {folder}/serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
[ req ]
distinguished_name = name
[ name ]
[ signer ]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
"""


def needs_openssl() -> None:
    """Skip the test, aloud, where there is no openssl or it cannot make and check timestamps."""
    program = shutil.which("openssl")
    if program is None or subprocess.run([program, "ts", "-help"], capture_output=True, check=False).returncode:
        pytest.skip("no openssl with `ts` on this machine")


def make_authority(folder: Path) -> Path:
    """Make an authority in ``folder`` and return the path of its certificate."""
    folder.mkdir(parents=True)
    (folder / "serial").write_text("01\n")
    (folder / "openssl.cnf").write_text(CONFIGURATION.format(folder=folder))
    certificate = folder / "authority.pem"
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", str(folder / "key.pem")]
    named = ["-subj", f"/CN={folder.name}", "-days", "2", "-extensions", "signer", "-out", str(certificate)]
    _openssl(folder, "req", "-x509", *key, *named)
    return certificate


def stamp(certificate: Path, data: bytes, *, with_certificate: bool = True) -> bytes:
    """Return the answer of an authority about ``data``."""
    folder = certificate.parent
    (folder / "data").write_bytes(data)
    asked = ["-cert"] if with_certificate else []
    _openssl(folder, "ts", "-query", "-data", str(folder / "data"), "-sha256", *asked, "-out", str(folder / "q.tsq"))
    signed = ["-signer", str(certificate), "-inkey", str(folder / "key.pem"), "-out", str(folder / "a.tsr")]
    _openssl(folder, "ts", "-reply", "-queryfile", str(folder / "q.tsq"), *signed)
    return (folder / "a.tsr").read_bytes()


def _openssl(folder: Path, *arguments: str) -> None:
    command = ["openssl", *arguments, "-config", str(folder / "openssl.cnf")]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
