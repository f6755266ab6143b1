"""Timestamps of RFC 3161, by which a third party says when an event existed: verified by ``openssl ts``, offline."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from sitegen.harness.asking import asked

PROGRAM = "openssl"
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
        OSError: there is no openssl, or it does not answer.
    """
    with tempfile.TemporaryDirectory(prefix="sitegen-timestamps-") as name:
        stamped, answer, trusted = Path(name) / "data", Path(name) / "answer.tsr", Path(name) / "trusted.pem"
        stamped.write_bytes(data)
        answer.write_bytes(response)
        trusted.write_bytes(certificates)
        stated = _stated_time(asked([PROGRAM, "ts", "-reply", "-in", str(answer), "-text"]))
        if stated is None:
            return None
        files = ["-data", str(stamped), "-in", str(answer), "-CAfile", str(trusted), "-untrusted", str(trusted)]
        verified = asked([PROGRAM, "ts", "-verify", *files, "-attime", str(int(stated.timestamp()))])
        return None if verified is None else stated.strftime("%Y-%m-%dT%H:%M:%SZ")


def _stated_time(printed: bytes | None) -> datetime | None:
    """Return the time in the printed form of an answer, to the second."""
    for line in (printed or b"").decode("utf-8", "replace").splitlines():
        if line.startswith(_LABEL):
            words = line.removeprefix(_LABEL).split()
            whole = [word.partition(".")[0] for word in words]  # a fraction of a second is cut off
            try:
                return datetime.strptime(" ".join(whole), _FORM).replace(tzinfo=UTC)
            except ValueError:
                return None
    return None
