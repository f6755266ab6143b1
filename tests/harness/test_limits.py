"""Limits bind what is started under them, and cannot be raised again."""

from __future__ import annotations

import subprocess
import sys

from sitegen.harness.limits import MEBIBYTE, Caps

UNDER_LIMITS = """
import resource, sys
from sitegen.harness.limits import Caps, set_limits
set_limits(Caps(file={file}, memory={memory}))
{then}
"""


def under_limits(then: str, file: int = MEBIBYTE, memory: int = 512 * MEBIBYTE) -> subprocess.CompletedProcess[str]:
    script = UNDER_LIMITS.format(file=file, memory=memory, then=then)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)


def test_a_file_cannot_be_larger() -> None:
    done = under_limits("import tempfile; f = tempfile.TemporaryFile(); f.write(bytes(2 << 20)); f.flush()")
    assert "File too large" in done.stderr


def test_memory_cannot_be_larger() -> None:
    assert "MemoryError" in under_limits("bytearray(1 << 30)").stderr
    assert under_limits("bytearray(1 << 28)").returncode == 0


def test_there_is_no_core_dump_and_the_limits_hold_for_soft_and_hard() -> None:
    done = under_limits("print(resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_FSIZE))")
    assert done.stdout == f"(0, 0) ({MEBIBYTE}, {MEBIBYTE})\n"


def test_a_lower_limit_that_is_there_already_stays() -> None:
    done = under_limits(
        "set_limits(Caps(file=2 * 1048576)); print(resource.getrlimit(resource.RLIMIT_FSIZE))", file=MEBIBYTE
    )
    assert done.stdout == f"({MEBIBYTE}, {MEBIBYTE})\n"


def test_threads_of_the_user_are_bounded() -> None:
    done = under_limits("print(resource.getrlimit(resource.RLIMIT_NPROC)[1] != resource.RLIM_INFINITY)")
    assert done.stdout == "True\n"


def test_the_documented_caps() -> None:
    """The contract for contestants states these; a change is a change of it."""
    assert Caps() == Caps(
        processes=256,
        memory=8 << 30,
        file=256 << 20,
        output=8 << 20,
        entries=100_000,
        diff=8 << 20,
        steps=20_000_000,
    )
