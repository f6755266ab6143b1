"""Flip any one byte of a sealed file, a report or its evidence: verify refuses, names the file and never crashes."""

from __future__ import annotations

import json
import random
import secrets
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from sitegen.harness.opening import open_run
from sitegen.harness.records import end_open_run
from tests.sites import make_contestant, make_protocol, make_run


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with a scored run, one whose null pack failed, one that is open and one that was given up."""
    made = tmp_path_factory.mktemp("site")
    make_protocol(made, ordinary=3, negative=1, files={"oracles/extra.txt": "opaque"})
    make_run(made, "demo.v1", wrong=("T-002",))
    make_run(made, "demo.v1", "beta", answers={"NP-REFUSE": "x"})
    open_run(made, "demo.v1", make_contestant(made, "gamma"))
    end_open_run(made, open_run(made, "demo.v1", make_contestant(made, "delta")).run_id, "out of money")
    return made


def every_byte(root: Path) -> list[tuple[Path, int]]:
    files = [path for top in ("protocols", "reports") for path in sorted((root / top).rglob("*")) if path.is_file()]
    return [(path, place) for path in files for place in range(path.stat().st_size)]


def unseen(root: Path, path: Path, place: int, bit: int, capsys: Any) -> str | None:
    """What is wrong with what verify says of one flipped bit; ``None`` where it is right."""
    right = path.read_bytes()
    changed = bytearray(right)
    changed[place] ^= 1 << bit
    path.write_bytes(bytes(changed))
    try:
        code = main(["verify", str(root), "--format", "json"])
    finally:
        path.write_bytes(right)
    said = capsys.readouterr()
    name = path.relative_to(root).as_posix()
    files = {json.loads(line)["file"] for line in said.out.splitlines()}
    if code != 1 or "Traceback" in said.err:
        return f"{name}@{place}^{bit}: exit {code}"
    folder = name.partition("/solver/")[0] + "/solver" if "/solver/" in name else name
    return None if files & {name, folder} else f"{name}@{place}^{bit}: names {sorted(files)}"


def test_the_site_holds_as_it_is(root: Path, capsys: Any) -> None:
    assert main(["verify", str(root)]) == 0


def test_any_flipped_byte_is_refused_and_its_file_named(root: Path, capsys: Any) -> None:
    seed = secrets.randbits(32)
    with capsys.disabled():
        print(f"\nseed of the flipped bytes: {seed}")
    chosen = random.Random(seed)
    tried = [(path, place, chosen.randrange(8)) for path, place in chosen.sample(every_byte(root), 60)]
    found = [unseen(root, *one, capsys) for one in tried]
    assert [trouble for trouble in found if trouble] == [], f"seed {seed}"


def test_the_first_and_last_byte_of_every_file_are_refused(root: Path, capsys: Any) -> None:
    ends = dict(every_byte(root))
    tried = [(path, place, 0) for path, last in ends.items() for place in (0, last)]
    assert [trouble for one in tried if (trouble := unseen(root, *one, capsys))] == []


@pytest.mark.slow
def test_every_flipped_byte_is_refused_and_its_file_named(root: Path, capsys: Any) -> None:
    found = [unseen(root, path, place, place % 8, capsys) for path, place in every_byte(root)]
    assert [trouble for trouble in found if trouble] == []
