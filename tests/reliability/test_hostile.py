"""Hostile input: whatever the bytes, a reader returns or refuses, soon, in little memory, and reads nothing else."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from sitegen.digests import sha256
from sitegen.pipeline.build import build_site
from sitegen.present import prose
from sitegen.present.prose import MOST_BYTES, find_note_faults, notes_html
from sitegen.read.files import SourceFile, Tree
from sitegen.read.library import UnitFiles, gather_unit, parse_unit
from sitegen.read.published import read_history
from sitegen.read.settings import read_settings
from sitegen.refusals import Refused
from sitegen.verify.verified import VerifiedUnit
from sitegen.verify.verifier import verify_unit
from tests.pace import least_seconds
from tests.reliability.readers import FOREIGN_NAMES, READERS, import_once, in_a_folder, offer
from tests.reliability.scenes import ROOT, environment, is_whole, make_site, note, run_build
from tests.reliability.test_mutation import sources, with_bytes
from tests.reliability.tracing import calls_of, need_strace, under_strace
from tests.sites import tree_of


@pytest.mark.parametrize("text", ["[[[", 'title = "a\x00"', "a = " + "[" * 5000, "\ufeffa = 1"])
def test_settings_return_or_refuse(text: str, tmp_path: Path) -> None:
    (tmp_path / "sitegen.toml").write_text(text, encoding="utf-8")
    with Tree(tmp_path) as tree, pytest.raises(Refused):
        read_settings(tree)


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"[" * 100_000, b'{"schema": "agent-bench-site/v1"}', b"\xff"])
def test_a_hostile_history_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "site.json").write_bytes(data)
    with pytest.raises(Refused):
        read_history(str(tmp_path))


def alias_bomb() -> bytes:
    lines = ['a0: &a0 ["lol", "lol", "lol", "lol", "lol", "lol", "lol", "lol", "lol"]']
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    return ("\n".join(lines) + "\n").encode()


BOMBS: dict[str, bytes] = {
    "aliases": alias_bomb(),
    "merge keys": b"a: &a {b: 1}\nc: {<<: *a}\n",
    "deep arrays": b"[" * 200_000 + b"]" * 200_000 + b"\n",
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n",
    "deep blocks": b"".join(b" " * i + b"a:\n" for i in range(1_500)),
    "a long number": b'{"n": ' + b"9" * 1_000_000 + b"}\n",
    "a long exponent": b'{"n": 1e' + b"9" * 10_000 + b"}\n",
    "a long string": b'{"schema": "' + b"a" * 4_000_000 + b'"}\n',
    "many keys": json.dumps({f"k{i}": i for i in range(60_000)}).encode() + b"\n",
    "many rows": b"{}\n" * 60_000,
    "many bad rows": b"{\n" * 60_000,
    "one key often": b"{" + b'"a":1,' * 60_000 + b'"a":1}\n',
    "a tag": b"!!python/object/apply:os.system [id]\n",
    "control characters": bytes(range(32)) * 1_000,
    "nothing but zeros": bytes(1_000_000),
    "utf-16": '{"schema": "x"}'.encode("utf-16"),
    "a lone surrogate": b'{"schema": "\\ud800"}\n',
    "NaN": b'{"mean": NaN}\n',
}
SECONDS_A_FILE = 1.0
seconds_of = partial(least_seconds, SECONDS_A_FILE)
BYTES_OF_MEMORY = 64 << 20
TIMES_THE_FILE = 60


def judged(files: UnitFiles) -> VerifiedUnit:
    return verify_unit(parse_unit(files))


def refused_or_read(foreign: str, source: SourceFile) -> None:
    with contextlib.suppress(Refused):
        in_a_folder(foreign, import_once)(source)


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_in_any_file_is_refused_soon_and_in_little_memory(name: str, tmp_path: Path) -> None:
    bomb = BOMBS[name]
    with Tree(make_site(tmp_path)) as tree:
        files = gather_unit(tree, "demo.v1")
    slowest = 0.0
    for source in sources(files):
        changed = with_bytes(files, source, bomb)
        slowest = max(slowest, seconds_of(judged, changed))
        unit = judged(changed)
        assert unit.all_refusals, source.path
        assert not unit.reports
    for reader in READERS:
        slowest = max(slowest, seconds_of(offer, reader, bomb))
    for foreign in FOREIGN_NAMES:
        source = SourceFile(path=foreign, data=bomb, sha256=sha256(bomb))
        slowest = max(slowest, seconds_of(refused_or_read, foreign, source))
    tracemalloc.start()
    for reader in READERS:
        offer(reader, bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    note(f"bomb-{name.replace(' ', '-')}", "short", bytes=len(bomb), seconds=round(slowest, 2), memory=peak)
    assert slowest < SECONDS_A_FILE
    assert peak < BYTES_OF_MEMORY + TIMES_THE_FILE * len(bomb)


def deep(site: Path) -> None:
    place = os.open(site / "protocols/demo.v1", os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("d", dir_fd=place)
        deeper = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = deeper
    os.close(place)


def unix_socket(site: Path) -> None:
    listening = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(site / "protocols/demo.v1")  # such a path may not be long
    try:
        listening.bind("socket")
    finally:
        os.chdir(here)
        listening.close()


def linked_folder(site: Path) -> None:
    run = next(path for path in (site / "reports/demo.v1").iterdir() if path.name != "ledger")
    run.rename(site / "elsewhere")
    run.symlink_to(site / "elsewhere")


def replaced(path: str, make: Callable[[Path], None]) -> Callable[[Path], None]:
    def change(site: Path) -> None:
        target = next(site.glob(path))
        shutil.rmtree(target) if target.is_dir() else target.unlink()
        make(target)

    return change


PLACES: dict[str, Callable[[Path], None]] = {
    "a pipe for a report": replaced("reports/demo.v1/*/report.json", os.mkfifo),
    "a pipe for the ledger": replaced("reports/demo.v1/ledger", os.mkfifo),
    "a pipe for the settings": lambda site: os.mkfifo(site / "sitegen.toml"),
    "a pipe for the protocols": replaced("protocols", os.mkfifo),
    "a socket": unix_socket,
    "a device by a link": replaced("protocols/demo.v1/tasks.jsonl", lambda path: path.symlink_to("/dev/zero")),
    "a folder for a report": replaced("reports/demo.v1/*/report.json", Path.mkdir),
    "a link in a circle": replaced("protocols/demo.v1/metric.py", lambda path: path.symlink_to(path.name)),
    "a link to a run": linked_folder,
    "a link to all reports": replaced("reports", lambda path: path.symlink_to("protocols")),
    "a link for the settings": lambda site: (site / "sitegen.toml").symlink_to("/etc/passwd"),
    "folders too deep": deep,
    "a name that is no text": lambda site: (site / "protocols/demo.v1" / os.fsdecode(b"\xff")).touch(),
    "a name with a line feed": lambda site: (site / "protocols/demo.v1/a\nb").touch(),
    "a protocol with a strange name": lambda site: (site / "protocols/a\x1b[2J").mkdir(),
    "a name in another case": lambda site: (site / "protocols/demo.v1/Tasks.jsonl").touch(),
}


@pytest.fixture
def remembered(drawn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(drawn))


@pytest.fixture
def swept(tmp_path: Path) -> Iterator[Path]:
    """A site that is removed in the end by a program for which nothing is too deep, as it would be for pytest."""
    yield tmp_path / "site"
    subprocess.run(["rm", "-rf", str(tmp_path / "site")], check=True)


@pytest.mark.parametrize("what", PLACES)
def test_what_is_no_plain_file_is_refused(
    what: str, swept: Path, tmp_path: Path, remembered: None, capfd: pytest.CaptureFixture[str]
) -> None:
    site = make_site(swept)
    PLACES[what](site)
    for command in (["verify", str(site)], ["build", str(site), "-o", str(tmp_path / "out")]):
        assert main([*command, "--format", "json"]) == 1
        said = capfd.readouterr()
        slugs = {json.loads(line)["slug"] for line in said.out.splitlines()}
        assert slugs
        assert "internal-error" not in slugs, said.out
        assert "Traceback" not in said.err
        assert "root:" not in said.out + said.err
    assert not (tmp_path / "out").exists()
    note(f"place-{what.replace(' ', '-')}", "short", wrong=0)


SECRET = b"the-neighbours-secret"


class Swapper(threading.Thread):
    """Lets a folder of the inputs be itself and a link to somebody else's folder by turns."""

    def __init__(self, place: Path, target: Path) -> None:
        super().__init__(daemon=True)
        self.place, self.target = place, target
        self.swaps = 0
        self.stop = threading.Event()

    def run(self) -> None:
        aside, link = self.place.with_name("aside"), self.place.parent.parent.parent / "link"
        while not self.stop.is_set():
            self.place.rename(aside.parent.parent.parent / "aside")
            link.symlink_to(self.target)
            link.rename(self.place)
            time.sleep(0.001)
            self.place.unlink()
            (aside.parent.parent.parent / "aside").rename(self.place)
            self.swaps += 1
            time.sleep(0.001)


@pytest.mark.parametrize("builds", [15, pytest.param(500, marks=pytest.mark.slow)], ids=["short", "long"])
def test_a_link_that_is_swapped_in_is_never_followed(builds: int, tmp_path: Path, drawn: Path) -> None:
    site, output = make_site(tmp_path / "site"), tmp_path / "www" / "out"
    build_site(site, output, cache=drawn / "sitegen")
    run = next(path for path in (site / "reports/demo.v1").iterdir() if path.name != "ledger")
    stranger = shutil.copytree(run, tmp_path / "stranger")
    for path in stranger.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes() + SECRET)
    swapper = Swapper(run, stranger)
    swapper.start()
    outcomes: Counter[str] = Counter()
    wrong = 0
    for _ in range(builds):
        try:
            build_site(site, output, publish_accepted=True, cache=drawn / "sitegen")
            outcomes["published"] += 1
        except Refused:
            outcomes["refused"] += 1
        tree = tree_of(output)
        wrong += not is_whole(tree) or any(SECRET in data for data in tree.values())
    swapper.stop.set()
    swapper.join(timeout=30)
    form = "short" if builds < 100 else "long"
    note("swapped-links", form, builds=builds, swaps=swapper.swaps, outcomes=dict(outcomes), wrong=wrong)
    assert wrong == 0
    assert swapper.swaps > 0


def is_ours(path: Path, site: Path, output: Path, cache: Path) -> bool:
    """Whether a path is of the inputs, of the output and its kin beside it, of the cache, of Python or the system."""
    python = [Path(place).resolve() for place in (sys.prefix, sys.base_prefix, ROOT / "sitegen", ROOT / "templates")]
    system = [Path(place) for place in ("/usr", "/lib", "/lib64", "/proc", "/sys", "/dev", "/etc/ssl")]
    single = [Path(path) for path in ("/etc/ld.so.cache", "/etc/localtime", "/etc/locale.alias")]
    return (
        any(path.is_relative_to(place) for place in (site, output, cache, *python, *system))
        or str(path).startswith(f"{output.parent}/.{output.name}.")
        or path in (*single, output.parent, ROOT)
    )


def test_no_file_outside_the_tree_is_opened(tmp_path: Path, drawn: Path) -> None:
    """Of a site that names its neighbour's files in every field that takes a path; every open is traced."""
    need_strace()
    private = tmp_path / "private"
    private.mkdir()
    for name in ("tasks.jsonl", "metric.py", "three.txt", "logo.svg", "notes.md"):
        (private / name).write_bytes(SECRET)
    site = make_site(tmp_path / "site")
    protocol = site / "protocols/demo.v1"
    shutil.copytree(protocol, site / "protocols/climbs.v1")
    draft = site / "protocols/climbs.v1/protocol.sealed.yaml"
    text = draft.read_text().replace("demo.v1", "climbs.v1").replace("./", "../../../private/")
    draft.write_text(text)
    rows = (protocol / "tasks.jsonl").read_text().replace('"oracle": "1"', f'"oracle": "{private}/three.txt"')
    (protocol / "tasks.jsonl").write_text(rows)
    (protocol / "notes.md").write_text("![x](../../../private/logo.svg) [y](file:///etc/passwd) <img src=/etc/x>\n")
    (protocol / "more.jsonl").symlink_to(private / "tasks.jsonl")
    (protocol / "folder").symlink_to(private)
    (site / "protocols/linked.v1").symlink_to(private)
    log = tmp_path / "log"
    names = ("open", "openat", "openat2", "readlink", "readlinkat", "linkat")
    ran = run_build(site, tmp_path / "out", drawn, "--publish-accepted", before=under_strace(log, names))
    assert ran.returncode in (1, 4), ran.stderr
    opened = [call for call in calls_of(log) if call.name.startswith("open") and "= -1" not in call.line]
    paths = {Path(found[1]) for call in opened if (found := re.search(r"= \d+<(/.*)>$", call.line))}
    below = [path for path in paths if path.is_relative_to(site)]
    outside = sorted(path for path in paths if not is_ours(path, site, tmp_path / "out", drawn))
    note("outside-opens", "short", opens=len(opened), inputs=len(below), outside=len(outside))
    assert below
    assert [str(path) for path in outside] == []
    assert not (tmp_path / "out").exists() or not any(SECRET in data for data in tree_of(tmp_path / "out").values())


MARKDOWN = {
    "brackets": "[",
    "closed brackets": "[]",
    "emphasis": "*a ",
    "underscores": "_a_",
    "quotes": "> ",
    "lists": "- ",
    "backticks": "`",
    "links": "[a](b",
    "images": "![",
    "html": "<a ",
    "comments": "<!--",
    "entities": "&#",
    "tables": "|",
    "headings": "# a\n",
    "rules": "---\n",
    "fences": "```\n",
    "references": "[a]: b\n",
    "blank": " \n",
    "indents": "    a\n",
    "words": "a ",
    "numbered lists": "1. ",
    "quoted lists": "> - ",
}


def shown_anew(source: SourceFile) -> None:
    """What a build does with notes; what was converted before is forgotten."""
    prose._converted.cache_clear()
    list(find_note_faults(source))
    notes_html(source)


@pytest.mark.parametrize("what", MARKDOWN)
def test_notes_take_time_in_proportion(what: str) -> None:
    """The largest notes that are accepted, of the worst kind, are done within the time of one file."""
    unit = MARKDOWN[what]
    dense = (unit * (MOST_BYTES // len(unit))).encode()[:MOST_BYTES]
    sparse = f"{unit:a<720}".encode() * 90  # just below the limits
    middle = f"{unit:a<42}".encode() * 375
    seconds = 0.0
    for data in (dense, sparse, middle):
        source = SourceFile(path="notes.md", data=data, sha256=sha256(data))
        seconds = max(seconds, seconds_of(shown_anew, source))
        faults, shown = list(find_note_faults(source)), notes_html(source)
        assert (shown is None) == any(refusal.slug == "file-too-large" for refusal in faults)
        assert shown is None or "<script" not in shown
    note(f"notes-{what.replace(' ', '-')}", "short", bytes=MOST_BYTES, seconds=round(seconds, 2))
    assert seconds < SECONDS_A_FILE


def test_larger_notes_are_refused() -> None:
    data = b"a" * (MOST_BYTES + 1)
    source = SourceFile(path="notes.md", data=data, sha256=sha256(data))
    assert [refusal.slug for refusal in find_note_faults(source)] == ["file-too-large"]
    assert notes_html(source) is None


def test_a_hostile_entry_of_the_cache_runs_nothing(tmp_path: Path, drawn: Path) -> None:
    """Entries with a right digest that name any function, or are of another shape."""
    import pickle

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "ran"),)

    site, cache = make_site(tmp_path / "site"), tmp_path / "cache"
    shutil.copytree(drawn, cache)
    assert run_build(site, tmp_path / "out", cache).returncode == 0
    expected = tree_of(tmp_path / "out")
    for data in (pickle.dumps(Evil()), pickle.dumps([1]), b"", pickle.dumps({"a": Evil()}), b"\x80\x05."):
        for entry in [path for path in (cache / "sitegen").rglob("*") if path.is_file() and path.suffix != ".svg"]:
            entry.write_bytes(sha256(data).encode() + data)
        ran = run_build(site, tmp_path / "out", cache, more=environment(cache))
        assert "Traceback" not in ran.stderr
        assert not (tmp_path / "ran").exists()
        assert ran.returncode in (0, 3)
        assert is_whole(tree_of(tmp_path / "out"))
        assert tree_of(tmp_path / "out") == expected
