"""Ask another program that answers from what it is given: ssh-keygen, openssl."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

DEADLINE_SEC = 60
"""Seconds after which a program that has nobody to wait for is given up."""


def asked(command: Sequence[str], data: bytes = b"") -> bytes | None:
    """Return what the program prints when it is given ``data``, or ``None`` where it says no.

    Raises:
        OSError: there is no such program, or it does not answer in time.
    """
    try:
        done = subprocess.run(command, input=data, capture_output=True, check=False, timeout=DEADLINE_SEC)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"{command[0]} gave no answer within {DEADLINE_SEC} s") from None
    return None if done.returncode else done.stdout
