"""Timestamps of RFC 3161, by which a third party says when an event existed: verified by ``openssl ts``, offline."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

PROGRAM = "openssl"
_DEADLINE = 60
_LABEL, _FORM = "Time stamp:", "%b %d %H:%M:%S %Y GMT"


def stamped_at(data: bytes, response: bytes, certificates: bytes) -> str | None:
    """Return the time (``2026-11-30T09:32:00Z``) at which an authority saw ``data``; ``None`` where none says so.

    The authority's certificate must have been valid then; that it may have run out since does not matter.

    Args:
        data: what was stamped.
        response: the authority's answer (``TimeStampResp``, DER), which holds the certificate that signed it unless
            that is among ``certificates``.
        certificates: those that are trusted, in PEM.

    Raises:
        OSError: there is no openssl.
    """
    with tempfile.TemporaryDirectory(prefix="sitegen-timestamps-") as name:
        stamped, answer, trusted = Path(name) / "data", Path(name) / "answer.tsr", Path(name) / "trusted.pem"
        stamped.write_bytes(data)
        answer.write_bytes(response)
        trusted.write_bytes(certificates)
        stated = _stated_time(_run(["-reply", "-in", str(answer), "-text"]))
        if stated is None:
            return None
        files = ["-data", str(stamped), "-in", str(answer), "-CAfile", str(trusted), "-untrusted", str(trusted)]
        verified = _run(["-verify", *files, "-attime", str(int(stated.timestamp()))])
        return None if verified is None else stated.strftime("%Y-%m-%dT%H:%M:%SZ")


def _stated_time(text: str | None) -> datetime | None:
    """Return the time in the printed form of an answer, to the second."""
    for line in (text or "").splitlines():
        if line.startswith(_LABEL):
            words = line.removeprefix(_LABEL).split()
            whole = [word.partition(".")[0] for word in words]  # a fraction of a second is cut off
            try:
                return datetime.strptime(" ".join(whole), _FORM).replace(tzinfo=UTC)
            except ValueError:
                return None
    return None


def _run(arguments: Sequence[str]) -> str | None:
    """Return what openssl prints, or ``None`` where it says no."""
    command = [PROGRAM, "ts", *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_DEADLINE)
    return None if done.returncode else done.stdout.decode("utf-8", "replace")
