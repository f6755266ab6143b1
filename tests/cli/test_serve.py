"""`sitegen serve` builds, serves, and builds again when an input changes."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sites import make_protocol, make_run


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1")
    command = [sys.executable, "-m", "sitegen", "serve", str(tmp_path), "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield tmp_path, process.stdout.readline().strip()
        process.terminate()


def status_of(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def until(address: str, wanted: int) -> bool:
    """Ask again until the answer is as wanted, for at most 30 seconds."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if status_of(address) == wanted:
            return True
        time.sleep(0.2)
    return False


def test_a_change_is_refused_and_its_mending_served(served: tuple[Path, str]) -> None:
    root, address = served
    assert address.startswith("http://127.0.0.1:")
    assert until(address, 200)
    metric = root / "protocols/demo.v1/metric.py"
    sealed = metric.read_bytes()
    metric.write_bytes(sealed + b"#")
    assert until(address, 503)
    metric.write_bytes(sealed)
    assert until(address, 200)
