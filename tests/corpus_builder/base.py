"""The base site of every case: one sealed exam and one scored run, made by sitegen itself with fixed ids and times."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from sitegen.harness import ledgering, opening
from tests import sites
from tests.sites import make_protocol, make_run

PROTOCOL_ID = "demo.v1"
KEY = "AKIAIOSFODNN7EXAMPLE"
"""The access key that its maker's documentation shows as an example."""
TOOL = "sitegen 0.1.0"
"""The version that the corpus says it was made by, whatever the present one is."""


@contextmanager
def fixed_clock_and_ids() -> Iterator[None]:
    """Let the clock start at nine and go on by a minute a look, and the random part of run ids count up."""
    minutes, ids = iter(range(10_000)), iter(range(1, 10_000))

    def now() -> str:
        hour, minute = divmod(next(minutes), 60)
        return f"2026-11-30T{9 + hour:02}:{minute:02}:00Z"

    def token_hex(size: int) -> str:
        return f"{next(ids):0{2 * size}x}"

    with (
        mock.patch.object(ledgering, "now", now),
        mock.patch.object(opening, "now", now),
        mock.patch.object(secrets, "token_hex", token_hex),
        mock.patch.object(sites, "TOOL", TOOL),
    ):
        yield


def make_base(root: Path) -> None:
    """Write the base site: three ordinary tasks of which one is missed, one negative control, three null-pack rows."""
    make_protocol(root, PROTOCOL_ID, ordinary=3, negative=1)
    make_run(root, PROTOCOL_ID, "alpha", wrong=("T-002",))
    shutil.rmtree(root / "contestants")
