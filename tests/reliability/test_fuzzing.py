"""Whatever the bytes, a reader returns or refuses: at random, from good files on, and led by what the code does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sitegen.read.files import Tree
from sitegen.read.library import UnitFiles, gather_unit, parse_unit
from sitegen.read.strict_yaml import parse_yaml
from sitegen.verify.verifier import verify_unit
from tests.reliability.readers import FOREIGN, READERS, good_files, offer
from tests.reliability.scenes import ROOT, make_site, note
from tests.reliability.test_mutation import sources, with_bytes

GUIDED_SEC = int(os.environ.get("SITEGEN_FUZZ_SECONDS", "3600"))
"""How long the guided fuzzer runs in the long form, all readers together."""
NAMES = sorted((*READERS, *FOREIGN))

ODD_TEXT = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["", "\x00", "\ufffd", "\u202e", "../..", "PENDING_SEAL", "0" * 64, "path", "inline", "scored"]),
    st.sampled_from(["2026-11-30T09:32:00Z", "must_pass", "null"]),
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), ODD_TEXT, st.sampled_from([2**53, -(2**63), 1e308, -0.0])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ODD_TEXT, inner, max_size=4), max_leaves=12
)


class Tally:
    """How many files were offered, and how many of them were refused."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def offer(self, name: str, data: bytes) -> None:
        self.counts["tried"] += 1
        self.counts["refused"] += not offer(name, data)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with one of its keys or indices."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [entry for key, inner in items for entry in [(value, key), *places(inner)]]


def documents_of(name: str, data: bytes) -> list[Any] | None:
    """Return the values that a file is made of, or ``None`` where it is of another kind."""
    try:
        if name.endswith(".yaml"):
            return [parse_yaml(data, name)]
        return [json.loads(line) for line in data.splitlines()]
    except ValueError:
        return None


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[bytes]]:
    return good_files(tmp_path_factory.mktemp("good"))


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> UnitFiles:
    with Tree(make_site(tmp_path_factory.mktemp("unit"))) as tree:
        return gather_unit(tree, "demo.v1")


def fuzz(examples: int) -> Callable[[Any], Any]:
    quiet = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=examples, deadline=None, database=None, suppress_health_check=quiet)


def run_fuzz(good: dict[str, list[bytes]], unit: UnitFiles, examples: int, tally: Tally) -> None:
    made_of = {name: [rows for data in files if (rows := documents_of(name, data))] for name, files in good.items()}
    readable = sorted(name for name, documents in made_of.items() if documents)

    @fuzz(examples)
    @given(name=st.sampled_from(NAMES), data=st.binary(max_size=200))
    @example(name="protocol.yaml", data=b"? [a]\n: b\n")
    @example(name="report.json", data=b"[" * 100_000)
    @example(name="manifest.yaml", data=b"{" * 5_000)
    def any_bytes(name: str, data: bytes) -> None:
        tally.offer(name, data)

    @fuzz(2 * examples)
    @given(data=st.data(), name=st.sampled_from(readable))
    def one_value_is_another(data: st.DataObject, name: str) -> None:
        rows = json.loads(json.dumps(data.draw(st.sampled_from(made_of[name]))))
        container, key = data.draw(st.sampled_from(places(rows)))
        if isinstance(container, dict) and data.draw(st.booleans()):
            container[data.draw(ODD_TEXT)] = container.pop(key)
        else:
            container[key] = data.draw(VALUES)
        text = "".join(json.dumps(row, ensure_ascii=data.draw(st.booleans())) + "\n" for row in rows)
        tally.offer(name, text.encode("utf-8", "surrogatepass"))

    @fuzz(examples)
    @given(data=st.data(), name=st.sampled_from(NAMES), junk=st.binary(max_size=6))
    def cut_and_spliced(data: st.DataObject, name: str, junk: bytes) -> None:
        whole = data.draw(st.sampled_from(good[name]))
        start, end = sorted(data.draw(st.tuples(st.integers(0, len(whole)), st.integers(0, len(whole)))))
        rest = whole[end:] if data.draw(st.booleans()) else whole[start + len(junk) :]
        tally.offer(name, whole[:start] + junk + rest)

    @fuzz(examples // 5)
    @given(data=st.data(), source=st.sampled_from(sources(unit)), junk=st.binary(max_size=6))
    def one_file_of_a_whole_unit(data: st.DataObject, source: Any, junk: bytes) -> None:
        start = data.draw(st.integers(0, len(source.data)))
        changed = with_bytes(unit, source, source.data[:start] + junk + source.data[start + len(junk) :])
        tally.counts["tried"] += 1
        tally.counts["refused"] += bool(verify_unit(parse_unit(changed)).all_refusals)

    any_bytes()
    one_value_is_another()
    cut_and_spliced()
    one_file_of_a_whole_unit()


@pytest.mark.parametrize("examples", [200, pytest.param(10_000, marks=pytest.mark.slow)], ids=["short", "long"])
def test_readers_return_or_refuse(examples: int, good: dict[str, list[bytes]], unit: UnitFiles) -> None:
    tally = Tally()
    run_fuzz(good, unit, examples, tally)
    form = "short" if examples < 1000 else "long"
    note("fuzz", form, readers=len(NAMES), tried=tally.counts["tried"], refused=tally.counts["refused"], tracebacks=0)


@pytest.mark.parametrize("name", NAMES)
def test_fuzzing_starts_from_files_that_are_read(name: str, good: dict[str, list[bytes]]) -> None:
    """Else a fuzzer would see no more than the first check of each reader."""
    assert good[name]
    assert all(offer(name, data) for data in good[name])


def guided(arguments: Sequence[str], seconds: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.reliability.guided", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=2 * seconds + 120)


@pytest.mark.slow
def test_a_guided_fuzzer_finds_nothing_else(tmp_path: Path) -> None:
    """Each reader for its part of the time; atheris counts which branches of the code an input reaches."""
    pytest.importorskip("atheris", reason="atheris has no wheel for this system; fuzzing was not led by coverage")
    runs, each = 0, max(1, GUIDED_SEC // len(NAMES))
    for name in NAMES:
        ran = guided([name, str(each), str(tmp_path)], each)
        assert ran.returncode == 0, ran.stderr[-4000:]
        found = re.search(r"^Done (\d+) runs", ran.stderr, re.MULTILINE)
        assert found is not None, ran.stderr[-1000:]
        runs += int(found[1])
    note("guided", "long", readers=len(NAMES), tried=runs, seconds=GUIDED_SEC, tracebacks=0)
