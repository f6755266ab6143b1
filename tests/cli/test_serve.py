"""`sitegen serve` builds, serves, and builds again when an input changes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main, serve
from sitegen.cli.console import Console
from sitegen.pipeline.build import Built, build_site
from sitegen.pipeline.preview import Preview
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


def test_what_the_system_says_is_told_and_the_next_change_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And when changes are no longer seen, that is told too."""
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1")
    trouble = iter([OSError(28, "No space left on device"), MemoryError()])

    def build(*given: Any, **options: Any) -> Built:
        for error in trouble:
            raise error
        return build_site(*given, **options)

    def three_changes(*places: Path, **options: Any) -> Iterator[set[str]]:
        yield from ({"a change"}, {"another"}, {"a third"})
        raise OSError("the system watches no more files")

    monkeypatch.setattr("sitegen.pipeline.build.build_site", build)
    monkeypatch.setattr("watchfiles.watch", three_changes)
    preview = Preview(tmp_path / "site")
    serve._watch(tmp_path, preview, Console(), threading.Event())
    assert preview.generation == 1
    assert "index.html" in preview.paths
    first, second, third, last = capsys.readouterr().err.splitlines()
    assert "No space left on device" in first
    assert "not enough memory" in second
    assert third.startswith("built: 1 report of 1 protocol, ")
    assert last == "changes are no longer seen: the system watches no more files"


def test_a_site_that_vanishes_before_it_is_shown_is_refused_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_protocol(tmp_path)

    def build(root: Path, output: Path, **options: Any) -> Built:
        built = build_site(root, output, **options)
        (output / "site.json").unlink()
        return built

    monkeypatch.setattr("sitegen.pipeline.build.build_site", build)
    preview = Preview(tmp_path / "site")
    serve._rebuild(tmp_path, preview, Console(quiet=True))
    assert [refusal.slug for refusal in preview.refusals] == ["file-missing"]


@pytest.mark.parametrize("port", ["65536", "-1", "http"])
def test_what_is_no_port_is_misuse(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", port]) == 2
    assert "a number from 0 to 65535" in capsys.readouterr().err
