"""Cases of closing: what `sitegen score` refuses before the end is recorded, so that the run stays open."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any

from sitegen.harness.opening import open_run
from sitegen.harness.sealing import prepare_seal, write_seal
from tests.corpus_builder.base import KEY, PROTOCOL_ID
from tests.corpus_builder.cases_evidence import of
from tests.corpus_builder.cases_sealing import unseal
from tests.corpus_builder.registry import case
from tests.corpus_builder.site import Object, Site
from tests.sites import make_contestant

HANDED_IN = "handed-in.jsonl"
SECOND = ("score", f"protocols/{PROTOCOL_ID}", "--run", "2026-11-30-alpha-1-0-000002", "--transcripts", HANDED_IN)
"""The command that closes the second run with the transcripts beside the site."""


def hand_in(site: Site, change: Callable[[list[Object]], Any]) -> None:
    """Start a run by the base's route, and lay transcripts beside the site: the base's, changed."""
    source = site.run / "transcripts.jsonl"
    rows: list[Object] = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    change(rows)
    open_run(site.root, PROTOCOL_ID, make_contestant(site.root, "alpha"))
    shutil.rmtree(site.root / "contestants")
    (site.root / HANDED_IN).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@case("report-duplicate", "handed-in", command=SECOND)
def _(site: Site) -> None:
    """A second run is to be closed with the very transcripts of the first."""
    hand_in(site, lambda rows: None)


@case("time-order", "handed-in", command=SECOND)
def _(site: Site) -> None:
    """A run is to be closed with a task that claims to have been started before the run was opened."""
    hand_in(site, lambda rows: of(rows, "T-003").update(started="2026-11-29T09:00:00Z"))


@case("null-pack-late", "handed-in", command=SECOND)
def _(site: Site) -> None:
    """A run is to be closed with a task that was started before the last null-pack row."""

    def times(rows: list[Object]) -> None:
        of(rows, "T-003").update(started="2026-11-30T10:00:00Z")
        of(rows, "NP-REFUSE").update(started="2026-11-30T10:00:30Z")

    hand_in(site, times)


@case("evidence-secret", "handed-in", command=SECOND)
def _(site: Site) -> None:
    """A run is to be closed with an answer that is an access key."""
    hand_in(site, lambda rows: of(rows, "T-002").update(artifact=KEY))


@case("metric-failed", "answer-without-a-name", command=SECOND)
def _(site: Site) -> None:
    """The metric says that an answer passes, and not by which name it judged."""
    metric = 'def score(result, oracle_path):\n    return {"pass": result == open(oracle_path).read()}\n'
    (site.protocol / "metric.py").write_text(metric, encoding="utf-8")
    source = site.run / "transcripts.jsonl"
    rows = source.read_bytes()
    unseal(site)
    write_seal(site.root, prepare_seal(site.root, PROTOCOL_ID))
    open_run(site.root, PROTOCOL_ID, make_contestant(site.root, "alpha"))
    shutil.rmtree(site.root / "contestants")
    (site.root / HANDED_IN).write_bytes(rows)
