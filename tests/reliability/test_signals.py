"""An interrupt, a cancelled job, a closed terminal, a killed worker, a closed pipe: one line, exit 3, nothing left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.corpus_builder.base import fixed_clock_and_ids
from tests.reliability.scenes import (
    build_command,
    environment,
    is_whole,
    leftovers,
    note,
    run_build,
)
from tests.sites import make_protocol, tree_of

SLOWED = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from sitegen.cli import main
from sitegen.pipeline import workers
from sitegen.write.staging import Staging
workers.WORTH_TWO_PROCESSES = int(sys.argv.pop(1))
written = Staging.add
def slow(self, path, data):
    print("writing", flush=True)
    time.sleep(0.2)
    return written(self, path, data)
Staging.add = slow
sys.exit(main())
"""
"""A build that says when it writes and takes its time, with one process or two.

It hears signals that the tests themselves may have been started to ignore, in the background or under nohup.
"""


@pytest.fixture
def published(published: tuple[Path, Path]) -> tuple[Path, Path]:
    """One more exam, so that there is work for two processes."""
    site, _ = published
    with fixed_clock_and_ids():
        make_protocol(site, "other.v1", ordinary=1, negative=1)
    return published


def start(site: Path, output: Path, cache: Path, processes: int, group: bool = False) -> subprocess.Popen[str]:
    worth = 10_000 if processes == 1 else 1
    command = [sys.executable, "-c", SLOWED, str(worth), *build_command(site, output)[3:]]
    return subprocess.Popen(
        command,
        env=environment(cache),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=group,
    )


def wait_for_writing(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"


def children_of(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    if not listed.exists():
        pytest.skip("this system does not list a process's children; orphans were not looked for")
    return [int(child) for child in listed.read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_ends_a_build_cleanly(
    number: signal.Signals, processes: int, published: tuple[Path, Path], drawn: Path
) -> None:
    """As the terminal sends it to the whole group, or as a job runner sends it to the one process."""
    site, output = published
    old = tree_of(output)
    process = start(site, output, drawn, processes, group=True)
    wait_for_writing(process)
    children = children_of(process.pid)
    assert len(children) == (processes if processes > 1 else 0)
    if number is signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (3, "interrupted\n")
    assert not any(map(is_alive, children))
    assert tree_of(output) == old
    assert leftovers(output) == []
    note(f"signal-{number.name}-{processes}", "short", wrong=0)


def test_a_killed_worker_is_an_error_and_no_wait(published: tuple[Path, Path], drawn: Path) -> None:
    site, output = published
    old = tree_of(output)
    process = start(site, output, drawn, 2)
    wait_for_writing(process)
    for child in children_of(process.pid):
        os.kill(child, signal.SIGKILL)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "a worker process was killed" in said
    assert "Traceback" not in said
    assert tree_of(output) == old
    assert leftovers(output) == []


def test_the_workers_of_a_killed_build_end_too(published: tuple[Path, Path], drawn: Path) -> None:
    site, output = published
    process = start(site, output, drawn, 2)
    wait_for_writing(process)
    children = children_of(process.pid)
    process.kill()
    process.communicate(timeout=30)
    deadline = time.monotonic() + 30
    while any(map(is_alive, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, children))
    assert run_build(site, output, drawn).returncode == 0
    assert is_whole(tree_of(output))
    assert leftovers(output) == []


@pytest.mark.parametrize(
    ("redirection", "code"), [(">&-", 0), ("2>&-", 0), (">&- 2>&-", 0), (">/dev/full", 3), ("2>/dev/full", 0)]
)
def test_nobody_listening_harms_no_site(redirection: str, code: int, published: tuple[Path, Path], drawn: Path) -> None:
    """Results that cannot be said are an error of the environment; a stream that was never there is none.

    On standard error a program is told nothing where all is well.
    """
    site, output = published
    command = [part for part in build_command(site, output, "--format", "json") if part != "--quiet"]
    shell = ["sh", "-c", f'"$@" {redirection}', "sh", *command]
    ran = subprocess.run(shell, env=environment(drawn), capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == code
    assert "Traceback" not in ran.stdout + ran.stderr
    assert "Exception ignored" not in ran.stdout + ran.stderr
    assert is_whole(tree_of(output))
    assert leftovers(output) == []


def test_too_little_memory_leaves_the_old_site(published: tuple[Path, Path], drawn: Path) -> None:
    site, output = published
    old = tree_of(output)
    code = (
        "import resource, sys; from sitegen.cli import main; import sitegen.pipeline.build;"
        "import sitegen.present.charts.drawing;"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize();"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (int(sys.argv.pop(1)) << 10),) * 2); sys.exit(main())"
    )
    outcomes = set()
    for room in (0, 512, 2048, 4096, 8192, 16384):  # KiB beyond what is in use when the build begins
        command = [sys.executable, "-c", code, str(room), *build_command(site, output)[3:]]
        ran = subprocess.run(command, env=environment(drawn), capture_output=True, text=True, check=False, timeout=60)
        outcomes.add(ran.returncode)
        assert "Traceback" not in ran.stderr
        assert tree_of(output) == old or (ran.returncode == 0 and is_whole(tree_of(output)))
    assert outcomes <= {0, 1, 3}
    assert outcomes & {1, 3}
