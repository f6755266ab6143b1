"""The same inputs give the same bytes: whoever builds, where, when, how often and with how many processors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sitegen.cli import COMMANDS
from tests.reliability.scenes import ROOT, environment, make_site, note, second_generation


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to build: under which command, with which environment, from which folder."""

    before: Sequence[str] = ()
    more: Mapping[str, str] = field(default_factory=dict)
    warm: bool = False
    shuffled: bool = False
    two: bool = False
    umask: int = 0o022


FAKE_CLOCK = (
    "import time, datetime; real = time.time; time.time = lambda: real() + 1e9;"
    "time.time_ns = lambda: int(time.time() * 1e9)\n"
)
WAYS = {
    "another zone and locale": Way(more={"TZ": "Asia/Kathmandu", "LC_ALL": "C", "LANG": "tr_TR.UTF-8"}),
    "another hash seed": Way(more={"PYTHONHASHSEED": "4711"}),
    "another umask": Way(umask=0o077),
    "a home that is none": Way(more={"HOME": "/nowhere", "USER": "someone", "LOGNAME": "someone"}),
    "a warm cache": Way(warm=True),
    "another order of the files": Way(shuffled=True),
    "two processes": Way(two=True),
    "optimised": Way(more={"PYTHONOPTIMIZE": "1"}),
    "development mode": Way(more={"PYTHONDEVMODE": "1"}),
}
CODE = (
    "import os, sys; {clock}os.umask(int(sys.argv.pop(1)));"
    "from sitegen.pipeline import workers; workers.WORTH_TWO_PROCESSES = int(sys.argv.pop(1));"
    "from sitegen.cli import main; sys.exit(main())"
)


def shuffle(site: Path, place: Path) -> Path:
    """Copy a site so that its files are created in another order, and are older."""
    for path in sorted((path for path in site.rglob("*") if path.is_file()), reverse=True):
        target = place / path.relative_to(site)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        os.utime(target, (1, 1))
    return place


def build(site: Path, output: Path, cache: Path, way: Way, clock: str = "") -> None:
    worth = "1" if way.two else "10000"
    arguments = ["build", str(site), "-o", str(output), "--quiet"]
    command = [*way.before, sys.executable, "-c", CODE.format(clock=clock), str(way.umask), worth, *arguments]
    for _ in range(2 if way.warm else 1):
        ran = subprocess.run(
            command, env=environment(cache, **way.more), capture_output=True, text=True, check=False, timeout=120
        )
        assert ran.returncode == 0, ran.stderr


def differences(first: Path, second: Path) -> str:
    return subprocess.run(["diff", "-r", str(first), str(second)], capture_output=True, text=True, check=False).stdout


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, drawn: Path) -> tuple[Path, Path]:
    """A site, and what a plain build makes of it."""
    root = tmp_path_factory.mktemp("reproducible")
    site = make_site(root / "site", runs=2)
    second_generation(site)
    build(site, root / "out", drawn, Way())
    return site, root / "out"


SHORT = ("another zone and locale", "another order of the files", "two processes")


@pytest.mark.parametrize(
    "name", [name if name in SHORT else pytest.param(name, marks=pytest.mark.slow) for name in WAYS]
)
def test_another_way_gives_the_same_bytes(name: str, reference: tuple[Path, Path], tmp_path: Path, drawn: Path) -> None:
    site, expected = reference
    way = WAYS[name]
    folder = tmp_path / "another folder"
    place = shuffle(site, folder) if way.shuffled else shutil.copytree(site, folder)
    cache = tmp_path / "cache"
    if name in SHORT:  # in the long form everything is made anew
        shutil.copytree(drawn / "sitegen" / "figures", cache / "sitegen" / "figures")
    build(place, tmp_path / "out", cache, way)
    assert differences(expected, tmp_path / "out") == ""
    note(f"same-{name.replace(' ', '-')}", "short" if name in SHORT else "long", differing=0)


def test_help_says_the_same_without_docstrings() -> None:
    """``python -OO`` leaves out docstrings, of which the commands' descriptions are made."""
    code = (
        "from sitegen.cli import COMMANDS, command_and_parser\n"
        "print(*(command_and_parser(command)[1].format_help() for command in COMMANDS), sep='')\n"
    )
    commands = [[sys.executable, *level, "-c", code] for level in ((), ("-O",), ("-OO",))]
    asked = [subprocess.run(command, cwd=ROOT, capture_output=True, check=True) for command in commands]
    said = [ran.stdout.decode() for ran in asked]
    assert said[0] == said[1] == said[2]
    assert said[0].count("usage: sitegen ") == len(COMMANDS)


def test_without_docstrings_no_chart_is_described_but_kept_ones_are_drawn(
    reference: tuple[Path, Path], tmp_path: Path, drawn: Path
) -> None:
    """Altair cannot be imported under ``python -OO``; a build needs it where it remembers no chart."""
    site, expected = reference
    command = [sys.executable, "-OO", "-m", "sitegen", "build", str(site), "-o", str(tmp_path / "out"), "--quiet"]
    for cache, code in ((tmp_path / "none", 2), (drawn, 0)):
        ran = subprocess.run(command, env=environment(cache), capture_output=True, text=True, check=False, timeout=120)
        assert ran.returncode == code, ran.stderr
        assert (tmp_path / "out").exists() == (code == 0)
        assert ("-O at most" in ran.stderr) == (code != 0)
    assert differences(expected, tmp_path / "out") == ""


@pytest.mark.slow
def test_another_clock_gives_the_same_bytes(reference: tuple[Path, Path], tmp_path: Path) -> None:
    site, expected = reference
    build(site, tmp_path / "out", tmp_path / "cache", Way(), FAKE_CLOCK.replace("\n", ";"))
    assert differences(expected, tmp_path / "out") == ""
    note("same-another-clock", "long", differing=0)


@pytest.mark.slow
def test_another_user_and_processor_count_give_the_same_bytes(reference: tuple[Path, Path], tmp_path: Path) -> None:
    site, expected = reference
    if os.geteuid() != 0 or shutil.which("setpriv") is None or shutil.which("taskset") is None:
        pytest.skip("only the superuser can build as another; building as another user was not tested")
    place = Path("/var/tmp") / f"sitegen-reproducible-{os.getpid()}"
    try:
        shutil.copytree(site, place / "site")
        shutil.copytree(ROOT / "sitegen", place / "code" / "sitegen")
        shutil.copytree(ROOT / "templates", place / "code" / "templates")
        for path in [place, *place.rglob("*")]:
            os.chown(path, 65534, 65534)
        become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        become += [f"--{kind}-caps=+dac_read_search" for kind in ("inh", "ambient")]  # this Python may lie in a home
        before = [*become, "taskset", "-c", "0"]
        probe = [*before, sys.executable, "-c", "import msgspec"]
        if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
            pytest.skip("another user cannot read this environment; building as another user was not tested")
        way = Way(before=before, more={"PYTHONPATH": str(place / "code"), "HOME": str(place)})
        build(place / "site", place / "out", place / "cache", way)
        assert differences(expected, place / "out") == ""
        note("same-another-user-and-one-processor", "long", differing=0)
    finally:
        shutil.rmtree(place, ignore_errors=True)


@pytest.mark.slow
def test_the_wheel_gives_the_same_bytes(reference: tuple[Path, Path], tmp_path: Path, installed: Path) -> None:
    site, expected = reference
    command = [str(installed / "sitegen"), "build", str(site), "-o", str(tmp_path / "out"), "--quiet"]
    values = {key: value for key, value in environment(tmp_path / "cache").items() if key != "PYTHONPATH"}
    subprocess.run(command, env=values, check=True, capture_output=True, timeout=120)
    assert differences(expected, tmp_path / "out") == ""
    note("same-wheel", "long", differing=0)
