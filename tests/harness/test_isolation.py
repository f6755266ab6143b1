"""Under bubblewrap a solver sees its own folders and the system's programs; the site is covered wherever it lies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.harness import isolation
from sitegen.harness.isolation import INSIDE, Isolation, Places, bwrap_fault, seen_by_solver, wrapped
from tests.harness.assignments import assignment, solve
from tests.harness.exam_kit import needs_bwrap

PLACES = Places(solver="/s", task="/t", exchange="/e", home="/h", temporary="/tmp/x")


def test_the_name_in_the_report() -> None:
    names = [Isolation(level="none").name, Isolation(level="bwrap").name, Isolation(level="bwrap", network=True).name]
    assert names == ["none", "bwrap", "bwrap+network"]


def test_without_isolation_the_command_stays_and_the_folders_keep_their_names() -> None:
    apart = Isolation(level="none")
    assert wrapped(["bash", "x"], PLACES, apart) == ["bash", "x"]
    assert seen_by_solver(PLACES, apart) == PLACES
    assert seen_by_solver(PLACES, Isolation(level="bwrap")) == INSIDE


def test_the_network_is_shared_only_when_it_is_allowed() -> None:
    assert "--share-net" not in wrapped(["x"], PLACES, Isolation(level="bwrap"))
    assert "--share-net" in wrapped(["x"], PLACES, Isolation(level="bwrap", network=True))


def test_a_site_inside_the_system_s_folders_is_covered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(isolation, "_SYSTEM", (str(tmp_path),))
    site = tmp_path / "site"
    site.mkdir()
    command = wrapped(["x"], PLACES, Isolation(level="bwrap", hidden=(str(site),)))
    assert command[command.index("--tmpfs") + 1] == str(site)
    assert command.index("--tmpfs") > command.index(str(tmp_path))


def test_a_missing_bwrap_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bwrap_fault() == "bwrap is not installed"
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: no namespaces' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    assert bwrap_fault() == "bwrap: no namespaces"


@needs_bwrap
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("ls /", "bin|dev|etc|exam|lib|lib64|opt|proc|sbin|tmp|usr"),
        ("ls /exam; pwd", "exchange|home|solver|task|/exam/task"),
        ("ls /tmp $HOME $TMPDIR | sort -u | tr -d '\\n'", "/exam/home:/tmp:"),
        ("echo x >/exam/solver/y || echo read-only", "read-only"),
        ("echo x >/y || echo read-only", "read-only"),
        ("echo x >/usr/y || echo read-only", "read-only"),
        ("echo x >/tmp/y && cat /tmp/y", "x"),
        ("ls -d /proc/[0-9]* | wc -l | tr -d ' '", "5"),
        ("ls /sys/class/net /root /home /var 2>/dev/null || echo hidden", "hidden"),
        ("(exec 3<>/dev/tcp/127.0.0.1/22) 2>/dev/null || echo unreachable", "unreachable"),
        ("grep -c : /proc/net/dev", "1"),
        ("hostname", "exam"),
    ],
)
def test_what_a_solver_under_bwrap_finds(tmp_path: Path, script: str, said: str) -> None:
    conduct = solve(assignment(tmp_path / "solver", f"{{ {script}; }} 2>/dev/null", level="bwrap"))
    lines = [line for line in conduct.stdout.decode().split("\n") if line and line not in ("lib32", "libx32")]
    if script == "ls /":
        assert set(lines) <= {*said.split("|"), "nix", "gnu"}
        assert {"exam", "usr", "tmp"} <= set(lines)
    elif script.startswith("ls -d /proc"):
        assert int(lines[0]) <= int(said)
    else:
        assert "|".join(lines) == said


@needs_bwrap
def test_what_is_exposed_is_seen_and_cannot_be_written(tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    shown.mkdir()
    (shown / "tool").write_text("tool")
    task = assignment(tmp_path / "solver", f"cat {shown}/tool; echo x >>{shown}/tool || echo -n ' kept'", level="bwrap")
    task = replace(task, isolation=Isolation(level="bwrap", exposed=(str(shown), str(tmp_path / "not there"))))
    assert solve(task).stdout == b"tool kept"
