"""Transcripts of any size are verified in the memory that small ones take, and say the same."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from sitegen.read import source
from tests.sites import judge, make_protocol, make_run

PEAK = (
    "import sys; from sitegen.cli import main; code = main(sys.argv[1:]);"
    "print(*[line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')]); sys.exit(code)"
)


def peak_of(command: str, root: Path, *more: str) -> int:
    """The most memory, in KiB, that a command took."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(root.parent / "cache")}
    called = [sys.executable, "-c", PEAK, command, str(root), "--quiet", *more]
    return int(subprocess.check_output(called, timeout=120, env=environment))


def peak_of_a_build(root: Path) -> int:
    """The same of a build that finds its figures drawn, as their drawing takes more than all the rest."""
    output = root.parent / f"{root.name}-out"
    peak_of("build", root, "-o", str(output))
    shutil.rmtree(output)
    shutil.rmtree(root.parent / "cache" / "sitegen" / "units")
    return peak_of("build", root, "-o", str(output))


def site(root: Path, tasks: int) -> int:
    """Write a site with one run whose answers have half a megabyte each; return the KiB of its transcripts."""
    make_protocol(root, "demo.v1", ordinary=tasks, negative=2)
    make_run(root, "demo.v1", answers={f"T-{number:03}": "x" * 500_000 for number in range(1, tasks + 1)})
    return sum(path.stat().st_size for path in root.rglob("transcripts.jsonl")) >> 10


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of memory is read from /proc")
def test_memory_does_not_grow_with_the_transcripts(tmp_path: Path) -> None:
    less, more = site(tmp_path / "less", 40), site(tmp_path / "more", 100)
    assert source.LARGE >> 10 < less < more - 20_000
    for peak in (partial(peak_of, "verify"), peak_of_a_build):
        assert peak(tmp_path / "more") - peak(tmp_path / "less") < (more - less) / 5, peak
    (published,) = (tmp_path / "more-out").rglob("transcripts.jsonl")
    (verified,) = (tmp_path / "more").rglob("transcripts.jsonl")
    assert filecmp.cmp(published, verified, shallow=False)


def test_a_large_file_is_judged_as_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_protocol(tmp_path, ordinary=4, negative=2)
    make_run(tmp_path, "demo.v1", "alpha", wrong=["T-001"])
    make_run(tmp_path, "demo.v1", "beta", abstained=["T-002"], rows={"T-003": {"route": "another"}})
    before = judge(tmp_path, "demo.v1")
    monkeypatch.setattr(source, "LARGE", -1)
    after = judge(tmp_path, "demo.v1")
    assert [report.card for report in after.reports] == [report.card for report in before.reports]
    assert [run.refusals for run in after.refused] == [run.refusals for run in before.refused]
    assert dict(after.reports[0].transcripts) == before.reports[0].transcripts
