"""One real site for all tests of the pages: sealed, run, refused, withdrawn."""

from __future__ import annotations

from pathlib import Path

from sitegen.harness.records import withdraw
from tests.sites import make_protocol, make_run

NOTES = """# How it was made

By hand, see [the paper](https://example.org/paper). <script>alert(1)</script> <b onclick="x()">bold</b>

| a | b |
|---|---|
| 1 | 2 |
"""


def make_gallery(root: Path) -> Path:
    """Write a site with two versions of one exam, one with a long dataset and one that keeps its tasks back.

    Under ``demo.v1`` stand published runs, one of them repeated, and one each of the refused kinds.
    """
    make_protocol(root, "demo.v1", ordinary=40, negative=12, changes={"title": "Say the number"})
    make_run(root, "demo.v1", "alpha", wrong=("T-001", "T-002"), abstained=("T-003",), title="Alpha, strict")
    make_run(root, "demo.v1", "alpha", wrong=("T-002",), title="Alpha, strict")
    make_run(root, "demo.v1", "beta", wrong=[f"T-{i:03}" for i in range(1, 31)], invalid=("N-001", "N-002"))
    make_run(root, "demo.v1", "gamma", wrong=[f"T-{i:03}" for i in range(1, 6)], invalid=("N-001",))
    slow = {"T-004": {"status": "timeout", "wall_clock_sec": 60.0}, "T-005": {"retries": 2, "tool_calls": 3}}
    make_run(root, "demo.v1", "delta", rows=slow, retry_limit=2)
    make_run(root, "demo.v1", "stub", answers={"NP-REFUSE": "always"}, wrong=[f"T-{i:03}" for i in range(1, 14)])
    make_run(root, "demo.v1", "rehearsal", wrong=[f"T-{i:03}" for i in range(1, 18)], channel="exploratory")
    gone = make_run(root, "demo.v1", "gone", wrong=[f"T-{i:03}" for i in range(1, 20)])
    withdraw(root, gone.run_id, "the wrong model was served")
    make_protocol(root, "demo.v2", ordinary=45, negative=12, changes={"follows": "demo.v1"})
    make_run(root, "demo.v2", "alpha", wrong=("T-001",))
    make_protocol(root, "long.v1", ordinary=300, negative=20)
    make_run(root, "long.v1", "alpha", wrong=("T-007", "T-280"))
    make_protocol(root, "kept.v1", changes={"publish": {"evidence": "outcomes"}})
    make_run(root, "kept.v1", "alpha", wrong=("T-007",))
    make_protocol(root, "draft.v1", seal=False)
    (root / "protocols/demo.v1/notes.md").write_text(NOTES, encoding="utf-8")
    (root / "sitegen.toml").write_text(
        'title = "Numbers of ours"\norganisation = "A laboratory"\nbase_url = "https://example.org/scores/"\n'
        'accent = {light = "#123456", dark = "#abcdef"}\nlinks = [{text = "About", href = "https://example.org/"}]\n',
        encoding="utf-8",
    )
    return root
