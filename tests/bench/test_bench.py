"""The bench measures what it says: at a size of one protocol it runs whole, and its ratios are of the same rounds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.bench import hashing, loop
from tests.bench.corpus import add_run, write_corpus
from tests.bench.page import page
from tests.bench.sites import Rounds
from tests.bench.table import costs, ratios
from tests.bench.timing import Cost, ratio, spread, timed


def test_the_cost_of_a_failed_command_is_no_figure() -> None:
    with pytest.raises(RuntimeError, match=r"exit code 7(.|\n)*why"):
        timed((sys.executable, "-c", "import sys; print('why', file=sys.stderr); sys.exit(7)"))


def test_memory_of_a_child_process_counts() -> None:
    nested = f"import subprocess; subprocess.run([{sys.executable!r}, '-c', 'b = bytearray(200_000_000)'], check=True)"
    assert timed((sys.executable, "-c", nested)).peak > 190


def test_ratios_pair_rounds() -> None:
    ours = [Cost(wall=1, cpu=1, peak=1), Cost(wall=10, cpu=1, peak=1), Cost(wall=3, cpu=1, peak=1)]
    theirs = [Cost(wall=2, cpu=1, peak=1), Cost(wall=20, cpu=1, peak=1), Cost(wall=3, cpu=1, peak=1)]
    assert ratio(ours, theirs, "wall") == 0.5
    assert spread(ours)["wall"] == 3
    assert spread(ours)["most"] == 10


def test_a_run_is_added_and_the_loop_and_the_hash_see_it(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    write_corpus(corpus, protocols=2, reports=1, tasks=6, jobs=1)
    size = hashing.hash_all(str(corpus))
    assert size == sum(
        p.stat().st_size for top in ("protocols", "reports") for p in (corpus / top).rglob("*") if p.is_file()
    )
    assert loop.build(corpus, tmp_path / "loop") == 1 + 2 + 2
    add_run(corpus)
    assert loop.build(corpus, tmp_path / "loop") == 1 + 2 + 3
    assert hashing.hash_all(str(corpus)) > size


def test_one_round_is_measured_whole(tmp_path: Path) -> None:
    rounds = Rounds(protocols=2, reports=1, tasks=6, work=tmp_path)
    rounds.run(1, None)
    result = rounds.result()
    assert set(result["costs"]) == {"sitegen", "hashing", "loop"}
    assert set(result["costs"]["sitegen"]) == {"full", "no-op", "one", "verify"}
    assert result["pages"] >= 2 + 3
    assert result["figures"] > 0
    assert "sitegen ÷ loop" in ratios(result)
    assert "every figure drawn anew" in costs(result)


def test_the_manuals_page_is_made_of_the_kept_results() -> None:
    here = Path(__file__).parent
    results = json.loads((here / "results.json").read_text(encoding="utf-8"))
    written = (here.parents[1] / "templates" / "docs" / "speed.md").read_text(encoding="utf-8")
    assert written == page(results), (
        "run: python -m tests.bench.page tests/bench/results.json -o templates/docs/speed.md"
    )
