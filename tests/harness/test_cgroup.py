"""A control group bounds forks where one can be made, and nothing of it stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.harness import cgroup

SCRIPT = """
import os, sys
from sitegen.harness.cgroup import at_most
print(os.getpid(), file=sys.stderr)
children = []
with at_most(8) as bound:
    if not bound:
        sys.exit(77)
    try:
        for _ in range(20):
            pid = os.fork()
            if pid == 0:
                os.read(0, 1)
                os._exit(0)
            children.append(pid)
    except BlockingIOError:
        print(len(children))
    sys.stdout.flush()
    os.write(3, b"x" * 20)
    for pid in children:
        os.waitpid(pid, 0)
"""


def test_forks_beyond_the_bound_fail() -> None:
    reading, writing = os.pipe()
    script = SCRIPT.replace("os.write(3", f"os.write({writing}")
    done = subprocess.run(
        [sys.executable, "-c", script],
        stdin=reading,
        pass_fds=[writing],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    os.close(reading)
    os.close(writing)
    if done.returncode == 77:
        pytest.skip("no control group can be made here")
    assert done.stdout == "7\n", done.stderr
    pid = done.stderr.strip()
    assert not list(Path("/sys/fs/cgroup").glob(f"**/sitegen-{pid}"))


def test_the_groups_of_both_versions_are_read() -> None:
    found = cgroup._groups("8:pids:/a\n3:cpu,cpuacct:/b\n0::/c:d\n")
    assert found == {"pids": "/a", "cpu": "/b", "cpuacct": "/b", "": "/c:d"}


def test_only_mounts_with_the_controller_count() -> None:
    text = (
        "39 31 0:36 /docker/x /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
        "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:1 - cgroup2 cgroup2 rw\n"
    )
    assert list(cgroup._mounts(text, "cgroup")) == [("/docker/x", Path("/sys/fs/cgroup/pids"))]
    assert list(cgroup._mounts(text, "cgroup2")) == [("/", Path("/sys/fs/cgroup/unified"))]


def test_where_no_group_can_be_made_nothing_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cgroup, "_own_group", lambda: tmp_path / "not there")
    with cgroup.at_most(8) as bound:
        assert bound is False
    monkeypatch.setattr(cgroup, "_own_group", lambda: None)
    with cgroup.at_most(8) as bound:
        assert bound is False
