"""Builds beside each other, inputs that change under them, readers in between: always one generation, whole.

Every published number belongs to the digest beside it: each site that a reader sees is complete by its own list, and
every page of it is byte for byte one that a build of unchanging inputs publishes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.pipeline.build import build_site
from sitegen.refusals import Refused
from sitegen.write.listing import MARKER
from tests.reliability.scenes import (
    build_command,
    environment,
    is_whole,
    leftovers,
    make_site,
    note,
    second_generation,
)
from tests.sites import tree_of


@pytest.mark.parametrize("count", [2, 5])
def test_builds_into_one_output(count: int, published: tuple[Path, Path], drawn: Path) -> None:
    """One at least publishes; every other says that the output is busy, or publishes the same after it."""
    site, output = published
    command = [part for part in build_command(site, output, "--format", "json") if part != "--quiet"]
    processes = [
        subprocess.Popen(command, env=environment(drawn), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    codes: Counter[int] = Counter()
    for process in processes:
        said, noted = process.communicate(timeout=120)
        codes[process.returncode] += 1
        assert "Traceback" not in noted
        if process.returncode != 0:
            assert [json.loads(line)["slug"] for line in said.splitlines()] == ["output-busy"]
    assert codes[0] >= 1
    assert set(codes) <= {0, 3}
    assert is_whole(tree_of(output))
    assert leftovers(output) == []
    note(f"builds-{count}", "short", published=codes[0], busy=codes[3], wrong=0)


def generation_seen(output: Path) -> dict[str, bytes] | None:
    """Read the site as a server that holds its folder does; ``None`` where it was replaced meanwhile."""
    try:
        folder = os.open(output, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        opener = lambda path, flags: os.open(path, flags, dir_fd=folder)  # noqa: E731 (the form that open() asks for)
        tree = {}
        with open(MARKER, "rb", opener=opener) as file:
            tree[MARKER] = file.read()
        for listed in json.loads(tree[MARKER])["files"]:
            with open(listed["path"], "rb", opener=opener) as file:
                tree[listed["path"]] = file.read()
    except FileNotFoundError:
        return None
    finally:
        os.close(folder)
    return tree


class Flipper(threading.Thread):
    """Puts one of two generations of inputs in place, file by file, again and again, as an editor or git does."""

    def __init__(self, site: Path, generations: list[Path]) -> None:
        super().__init__(daemon=True)
        self.site, self.generations = site, generations
        self.flips = 0
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.is_set():
            self.put(self.generations[self.flips % 2])
            self.flips += 1
            time.sleep(0.02)

    def put(self, generation: Path) -> None:
        wanted = {path.relative_to(generation) for path in generation.rglob("*") if path.is_file()}
        for path in sorted(wanted):
            target = self.site / path
            target.parent.mkdir(parents=True, exist_ok=True)
            data = (generation / path).read_bytes()
            if not target.exists() or target.read_bytes() != data:
                target.write_bytes(data)  # in place, so that a reader may find half of it
        for path in [path for path in self.site.rglob("*") if path.is_file()]:
            if path.relative_to(self.site) not in wanted:
                path.unlink()


class Reader(threading.Thread):
    """Reads the published site in a loop and keeps every generation that it saw whole, and all that were not."""

    def __init__(self, output: Path) -> None:
        super().__init__(daemon=True)
        self.output = output
        self.seen = self.replaced = self.wrong = 0
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.is_set():
            tree = generation_seen(self.output)
            if tree is None:
                self.replaced += 1
            else:
                self.seen += 1
                self.wrong += not is_whole(tree)


def started_runs(first: Path, second: Path, folder: Path) -> Iterator[Path]:
    """Yield the second generation with its run started and not ended: what a flip passes through, and no fault."""
    (run,) = {path.parent for path in second.rglob("report.json")} - {
        second / path.parent.relative_to(first) for path in first.rglob("report.json")
    }
    events = {path: path.read_text(encoding="utf-8") for path in second.rglob("ledger/*.json")}
    (end,) = (path for path, text in events.items() if '"event":"end"' in text and run.name in text)
    gone = [run / "report.json", end], [run / "transcripts.jsonl"], [run / "manifest.yaml", run / "solver"]
    before = second
    for number, paths in enumerate(gone):
        state = folder / f"started-{number}"
        shutil.copytree(before, state)
        for path in paths:
            there = state / path.relative_to(second)
            shutil.rmtree(there) if there.is_dir() else there.unlink()
        yield state
        before = state


@pytest.mark.parametrize("builds", [12, pytest.param(200, marks=pytest.mark.slow)], ids=["short", "long"])
def test_inputs_that_flip_while_a_reader_reads(builds: int, tmp_path: Path, drawn: Path) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(drawn / "sitegen" / "figures", cache / "figures")
    generations = [tmp_path / "first", tmp_path / "second"]
    make_site(generations[0])
    shutil.copytree(generations[0], generations[1])
    second_generation(generations[1])
    (generations[1] / "sitegen.toml").write_text('title = "Later"\n', encoding="utf-8")
    site, output = tmp_path / "site", tmp_path / "www" / "out"
    shutil.copytree(generations[0], site)
    pages = set()
    states = [*generations, *started_runs(*generations, tmp_path)]
    for settings in generations:  # any settings with any evidence: files of two kinds, each read once
        for evidence in states:
            mixed = tmp_path / "mixed"
            shutil.copytree(evidence, mixed)
            (mixed / "sitegen.toml").unlink(missing_ok=True)
            if (settings / "sitegen.toml").exists():
                shutil.copy(settings / "sitegen.toml", mixed)
            build_site(mixed, tmp_path / "still", cache=cache)
            pages.add(frozenset(tree_of(tmp_path / "still").items()))
            shutil.rmtree(mixed)
    build_site(site, output, cache=cache)
    flipper, reader = Flipper(site, generations), Reader(output)
    flipper.start()
    reader.start()
    outcomes: Counter[str] = Counter()
    wrong: list[list[str]] = []
    for number in range(builds):
        if number % 3 == 0:
            shutil.rmtree(cache / "units", ignore_errors=True)
        try:
            build_site(site, output, cache=cache)
            outcomes["published"] += 1
        except Refused:
            outcomes["refused"] += 1
        found = frozenset(tree_of(output).items())
        if found not in pages:
            wrong.append(sorted(path for path, _ in min((found - known for known in pages), key=len)))
    for thread in (flipper, reader):
        thread.stop.set()
        thread.join(timeout=30)
    note(
        "flipping",
        "short" if builds < 100 else "long",
        builds=builds,
        flips=flipper.flips,
        outcomes=dict(outcomes),
        read=reader.seen,
        replaced_while_read=reader.replaced,
        wrong=len(wrong) + reader.wrong,
    )
    assert (wrong, reader.wrong) == ([], 0)
    assert flipper.flips > 1
    assert reader.seen > 0


def test_a_protocol_that_changes_after_its_place_was_read_is_refused(
    tmp_path: Path, drawn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its family was read from one sealed document; pages may not be made of another."""
    from sitegen.pipeline import build

    site = make_site(tmp_path / "site")
    sealed = site / "protocols/demo.v1/protocol.sealed.yaml"
    opened = build._open_look

    def meanwhile(*arguments: object) -> object:
        sealed.write_bytes(sealed.read_bytes() + b"# later\n")
        return opened(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(build, "_open_look", meanwhile)
    with pytest.raises(Refused) as refused:
        build_site(site, tmp_path / "out", cache=drawn / "sitegen")
    assert {refusal.slug for refusal in refused.value.refusals} == {"file-changed"}
