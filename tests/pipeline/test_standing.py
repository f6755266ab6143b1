"""What was published is known to stand as it was until any file of it is touched, added or removed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.digests import sha256
from sitegen.pipeline.cache import Memory
from sitegen.pipeline.standing import WHOLE, Part, names_of, note_site, standing_site, unit_state, whole_state

KEY = sha256(b"key")
IDS = ("one.v1", "two.v1")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    for path in ("index.html", *(f"{at}/{name}" for name in IDS for at in ("protocols", "evidence"))):
        file = root / path if path == "index.html" else root / path / "file"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"one")
    (root / "data").mkdir()
    for name in IDS:
        (root / "data" / f"{name}.csv").write_bytes(b"one")
    return root


def named(name: str) -> bytes:
    return names_of(name, (f"protocols/{name}/file", f"evidence/{name}/file", f"data/{name}.csv"))


def note(site: Path, memory: Memory) -> None:
    parts = {name: Part(key=KEY, state=unit_state(site, named(name)), count=3) for name in IDS}
    parts[WHOLE] = Part(key=KEY, state=whole_state(site, IDS), count=1)
    note_site(site, parts, memory)


def rewrite(path: Path) -> None:
    """Other bytes of the same size, and the old times put back: the time of the change still tells."""
    status = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


TOUCHED: dict[str, tuple[Callable[[Path], object], set[str]]] = {
    "a page": (lambda site: rewrite(site / "protocols/one.v1/file"), {"one.v1"}),
    "evidence": (lambda site: rewrite(site / "evidence/two.v1/file"), {"two.v1"}),
    "a table": (lambda site: rewrite(site / "data/two.v1.csv"), {"two.v1"}),
    "a table gone": (lambda site: (site / "data/two.v1.csv").unlink(), {"two.v1"}),
    "a file more": (lambda site: (site / "evidence/one.v1/more").touch(), {"one.v1"}),
    "a folder more": (lambda site: (site / "protocols/two.v1/more").mkdir(), {"two.v1"}),
    "another name": (lambda site: (site / "evidence/two.v1/file").rename(site / "evidence/two.v1/b"), {"two.v1"}),
    "a folder gone": (lambda site: shutil.rmtree(site / "protocols/one.v1"), {"one.v1"}),
    "a link": (lambda site: (site / "evidence/one.v1/more").symlink_to("file"), {"one.v1"}),
    "home": (lambda site: rewrite(site / "index.html"), {WHOLE}),
    "a stray file": (lambda site: (site / "protocols/stray").touch(), {WHOLE}),
    "another protocol": (lambda site: ((site / "data/x").mkdir(), (site / "data/x/file").touch()), {WHOLE}),
    "nothing": (lambda site: None, set()),
}


@pytest.mark.parametrize(("touch", "changed"), TOUCHED.values(), ids=TOUCHED)
def test_a_part_holds_until_it_is_touched(
    touch: Callable[[Path], object], changed: set[str], site: Path, tmp_path: Path
) -> None:
    memory = Memory(tmp_path / "cache")
    note(site, memory)
    touch(site)
    old = standing_site(site, memory)
    held = {name for name in IDS if old.holds(name, KEY, named(name))} | (
        {WHOLE} if old.holds_whole(IDS, KEY) else set()
    )
    assert held == {*IDS, WHOLE} - changed


def test_a_part_of_something_else_does_not_hold(site: Path, tmp_path: Path) -> None:
    memory = Memory(tmp_path / "cache")
    note(site, memory)
    old = standing_site(site, memory)
    assert not old.holds("one.v1", sha256(b"other"), named("one.v1"))
    assert not old.holds("three.v1", KEY, named("three.v1"))
    assert not old.holds_whole(IDS[:1], KEY)  # the other protocol's files are strays then


def test_nothing_stands_where_nothing_was_noted(site: Path, tmp_path: Path) -> None:
    assert not standing_site(site, Memory(None)).parts
    assert not standing_site(tmp_path / "nowhere", Memory(tmp_path)).parts


@pytest.mark.parametrize("place", ["protocols/draft.v1", "evidence/draft.v1", "data/draft.v1.csv"])
def test_what_appears_where_a_protocol_had_nothing_is_noticed(place: str, site: Path, tmp_path: Path) -> None:
    """It is in the protocol's own place, so that the rest of the site does not look there."""
    memory, ids, names = Memory(tmp_path / "cache"), (*IDS, "draft.v1"), names_of("draft.v1", ())
    part, whole = unit_state(site, names), whole_state(site, ids)
    note_site(
        site, {"draft.v1": Part(key=KEY, state=part, count=0), WHOLE: Part(key=KEY, state=whole, count=1)}, memory
    )
    old = standing_site(site, memory)
    assert old.holds("draft.v1", KEY, names)
    assert old.holds_whole(ids, KEY)
    (site / place).touch()
    assert not (old.holds("draft.v1", KEY, names) and old.holds_whole(ids, KEY))
