"""A Dask cluster of two worker processes on this machine, for tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.harness.exam_kit import ROOT

SCRIPT = Path(__file__).with_name("local_cluster.py")


@contextmanager
def local_cluster() -> Iterator[dict[str, Any]]:
    """Give the cluster's ``address`` and its workers' ``pids``; skip where Dask is not installed."""
    pytest.importorskip("distributed", reason="the extra sitegen[dask] is not installed")
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, "the cluster did not start"
    yield json.loads(line)
    process.stdin.close()
    process.wait(60)
    process.stdout.close()
