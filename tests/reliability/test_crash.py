"""Whatever fails or is killed at whatever moment: the output is the old site or the new one, byte for byte.

``strace`` kills a build at its n-th system call of each kind that writes, and lets each of them fail with the errors
that disks and limits give. After each, the next build publishes the new site and leaves nothing beside it.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from sitegen.pipeline.build import build_site
from tests.reliability.scenes import (
    ROOT,
    environment,
    is_whole,
    leftovers,
    make_site,
    note,
    run_build,
    second_generation,
)
from tests.reliability.tracing import WRITING, Call, calls_of, failing, need_strace, touching, under_strace, was_met
from tests.sites import tree_of

ERRORS = {
    "write": ("ENOSPC", "EIO"),
    "openat": ("EMFILE", "EACCES", "EIO"),
    "mkdir": ("ENOSPC", "EACCES"),
    "linkat": ("EMLINK", "EIO"),
    "rename": ("EIO", "ENOSPC"),
    "renameat2": ("EIO", "ENOSYS", "EXDEV"),
    "unlinkat": ("EIO", "EACCES"),
    "unlink": ("EIO",),
    "rmdir": ("EIO",),
    "symlink": ("EIO", "ENOSPC"),
    "fsync": ("EIO",),
    "syncfs": ("EIO", "ENOSPC"),
    "flock": ("EIO", "ENOLCK"),
}
"""Which errors each call is let fail with."""
NO_EXCHANGE = ("-e", "inject=renameat2:error=ENOSYS")
"""A system that cannot exchange two folders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A site with something new to publish over an old one; what is old and what is new."""

    folder: Path
    pristine: Path
    old: dict[str, bytes]
    new: dict[str, bytes]

    @property
    def site(self) -> Path:
        return self.folder / "site"

    @property
    def output(self) -> Path:
        return self.folder / "www" / "out"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def restore(self) -> None:
        """Put everything back to the moment before the build."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.pristine, self.folder, symlinks=True)

    def is_old_or_new(self) -> str:
        """Tell which of the two sites is published; anything else is told too."""
        found = tree_of(self.output)
        return "old" if found == self.old else "new" if found == self.new else "neither"

    def recovers(self) -> bool:
        """Tell whether the next build publishes the new site and cleans up."""
        build_site(self.site, self.output, cache=self.cache / "sitegen")
        return tree_of(self.output) == self.new and leftovers(self.output) in ([], self.own_names())

    def own_names(self) -> list[str]:
        """The folder that a link of ours leads to."""
        return [str(self.output.readlink())] if self.output.is_symlink() else []

    def trace(self, log: Path, *more: str) -> list[Call]:
        """Return the calls of a whole build that write, or open an input."""
        self.restore()
        ran = run_build(self.site, self.output, self.cache, before=under_strace(log, WRITING, *more))
        assert (ran.returncode, ran.stderr) == (0, "")
        return touching(calls_of(log), self.folder)


def make_scene(tmp: Path, drawn: Path, *before: str) -> Scene:
    folder, pristine = tmp / "scene", tmp / "pristine"
    site, output, cache = make_site(folder / "site"), folder / "www" / "out", folder / "cache"
    output.parent.mkdir()
    shutil.copytree(drawn, cache)
    assert run_build(site, output, cache, before=before).returncode == 0
    old = tree_of(output)
    second_generation(site)
    assert run_build(site, folder / "reference", cache).returncode == 0
    new = tree_of(folder / "reference")
    shutil.rmtree(folder / "reference")
    (folder / ".reference.lock").unlink()
    assert old != new
    assert is_whole(old)
    assert is_whole(new)
    shutil.copytree(folder, pristine, symlinks=True)
    return Scene(folder=folder, pristine=pristine, old=old, new=new)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, drawn: Path) -> Scene:
    return make_scene(tmp_path_factory.mktemp("crash"), drawn)


def suffer(scene: Scene, log: Path, calls: Sequence[tuple[Call, str]], *more: str) -> tuple[Counter[str], list[str]]:
    """Build once for each call and fault; return how the output stood, and everything that was wrong."""
    stood: Counter[str] = Counter()
    wrong: list[str] = []
    for call, fault in calls:
        scene.restore()
        before = under_strace(log, WRITING, *more, *failing(call, fault))
        ran = run_build(scene.site, scene.output, scene.cache, before=before)
        state = scene.is_old_or_new()
        stood[state] += 1
        assert was_met(log, fault), f"{fault} at {call.line}"
        where = f"{fault} at {call.name} {call.number}: {call.line[:200]}"
        if state == "neither" or (ran.returncode == 0 and state != "new"):
            wrong.append(f"{where}: exit {ran.returncode}, output {state}")
        if "Traceback" in ran.stderr + ran.stdout or "internal-error" in ran.stderr:
            wrong.append(f"{where}: {ran.stderr}")
        if not scene.recovers():
            wrong.append(f"{where}: the next build left {leftovers(scene.output)}")
    return stood, wrong


def chosen(calls: Sequence[tuple[Call, str]], share: int | None) -> list[tuple[Call, str]]:
    """All, or a few of each name with the rarest calls among them."""
    if share is None:
        return list(calls)
    rare = [entry for entry in calls if entry[0].name == "syncfs"][:1]
    others = [entry for entry in calls if entry not in rare]
    return rare + random.Random(8).sample(others, share - len(rare))


SIZES = pytest.mark.parametrize("share", [3, pytest.param(None, marks=pytest.mark.slow)], ids=["short", "long"])


@SIZES
def test_a_kill_at_every_call_that_writes(scene: Scene, tmp_path: Path, share: int | None) -> None:
    need_strace()
    log = tmp_path / "log"
    calls = [call for call in scene.trace(log) if not call.opens_to_read]
    stood, wrong = suffer(scene, log, chosen([(call, "signal=KILL") for call in calls], share))
    note("kills", "short" if share else "long", calls=len(calls), stood=dict(stood), wrong=len(wrong))
    assert wrong == []


@SIZES
def test_an_error_at_every_call_that_writes_or_opens(scene: Scene, tmp_path: Path, share: int | None) -> None:
    need_strace()
    log = tmp_path / "log"
    faults = [(call, f"error={error}") for call in scene.trace(log) for error in ERRORS[call.name]]
    stood, wrong = suffer(scene, log, chosen(faults, share))
    note("errors", "short" if share else "long", calls=len(faults), stood=dict(stood), wrong=len(wrong))
    assert wrong == []


@SIZES
def test_a_kill_where_folders_cannot_be_exchanged(tmp_path: Path, drawn: Path, share: int | None) -> None:
    """There the output is a link from the first build on, and the link is replaced."""
    need_strace()
    log = tmp_path / "log"
    scene = make_scene(tmp_path, drawn, *under_strace(log, WRITING, *NO_EXCHANGE))
    assert scene.output.is_symlink()
    calls = [call for call in scene.trace(log, *NO_EXCHANGE) if not call.opens_to_read and call.name != "renameat2"]
    faults = chosen([(call, "signal=KILL") for call in calls], share and 2)
    stood, wrong = suffer(scene, log, faults, *NO_EXCHANGE)
    note("kills-link", "short" if share else "long", calls=len(calls), stood=dict(stood), wrong=len(wrong))
    assert wrong == []


def test_the_disk_is_told_before_the_switch_and_after_it(scene: Scene, tmp_path: Path) -> None:
    """All is written, then synced, then exchanged, then the names are synced; only then the old site is removed."""
    need_strace()
    calls = scene.trace(tmp_path / "log")
    names = [call.name for call in calls]
    synced, exchanged, settled = (names.index(name) for name in ("syncfs", "renameat2", "fsync"))
    staged = [i for i, call in enumerate(calls) if call.name in ("linkat", "mkdir") and ".out.staging-" in call.line]
    written = [i for i, call in enumerate(calls) if call.name == "write" and ".out.staging-" in call.line]
    removed = [i for i, call in enumerate(calls) if call.name == "unlinkat" and ".out.staging-" in call.line]
    assert staged
    assert written
    assert removed
    assert max(*staged, *written) < synced < exchanged < settled < min(removed)
    assert str(scene.output.parent) in calls[settled].line


@pytest.mark.parametrize("count", [12, pytest.param(500, marks=pytest.mark.slow)], ids=["short", "long"])
def test_kills_at_random_moments(scene: Scene, count: int) -> None:
    scene.restore()
    build_site(scene.site, scene.output, cache=scene.cache / "sitegen")
    command = [sys.executable, "-m", "tests.reliability.random_kills", str(scene.folder), str(count)]
    ran = subprocess.run(
        command, cwd=ROOT, env=environment(scene.cache), capture_output=True, text=True, check=False, timeout=3000
    )
    assert ran.returncode == 0, ran.stderr
    figures = json.loads(ran.stdout)
    note("random-kills", "short" if count < 100 else "long", **figures)
    assert figures["wrong"] == 0
    assert figures["kills"] == count
    assert figures["killed"] > count // 4


@pytest.mark.parametrize("what", ["full", "read-only", "checkout"])
def test_a_full_or_read_only_file_system(what: str, tmp_path: Path, drawn: Path) -> None:
    """On a small file system of its own, mounted in a namespace of its own."""
    own = ["unshare", "--map-root-user", "--mount"]
    probe = [*own, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if shutil.which("unshare") is None or subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        pytest.skip("file systems cannot be mounted here; a full disk was not tested")
    shutil.copytree(drawn / "sitegen" / "figures", tmp_path / "cache" / "figures")
    command = [*own, sys.executable, "-m", "tests.reliability.small_disk", what, str(tmp_path)]
    ran = subprocess.run(
        command, cwd=ROOT, env=environment(tmp_path / "cache"), capture_output=True, text=True, check=False, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    figures = json.loads(ran.stdout)
    note(f"disk-{what}", "short", **figures)
    assert figures["wrong"] == 0
