"""Edits that mean something, each made by somebody who knows the formats: all are refused.

The first kind leaves the ledger alone. The second makes every digest right again, up to the last event; that such a
forgery happened can be seen only beside the last published site, so it is judged with it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.pipeline.build import build_site
from sitegen.refusals import Refused
from tests.corpus_builder.site import Site
from tests.reliability.scenes import make_site, note
from tests.sites import make_run, tree_of

Edit = Callable[[Path], None]


def runs(root: Path) -> list[Path]:
    return sorted(path for path in (root / "reports/demo.v1").iterdir() if path.name != "ledger")


def swap(first: Path, second: Path) -> None:
    aside = first.with_name("aside")
    first.rename(aside)
    second.rename(first)
    aside.rename(second)


def change_lines(path: Path, change: Callable[[list[str]], Any]) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    change(lines)
    path.write_text("".join(lines), encoding="utf-8")


def change_json(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n", encoding="utf-8")


def in_runs(name: str) -> Edit:
    return lambda root: swap(runs(root)[0] / name, runs(root)[1] / name)


def in_report(change: Callable[[dict[str, Any]], Any]) -> Edit:
    return lambda root: change_json(runs(root)[0] / "report.json", change)


def in_rows(name: str, change: Callable[[list[str]], Any]) -> Edit:
    return lambda root: change_lines(root / "protocols/demo.v1" / name, change)


def in_transcripts(change: Callable[[list[str]], Any]) -> Edit:
    return lambda root: change_lines(runs(root)[0] / "transcripts.jsonl", change)


def swap_first_two(rows: list[str]) -> None:
    rows[0], rows[1] = rows[1], rows[0]


def swap_ids(rows: list[str]) -> None:
    first, second = json.loads(rows[-1]), json.loads(rows[-2])
    first["task_id"], second["task_id"] = second["task_id"], first["task_id"]
    rows[-2:] = [json.dumps(second) + "\n", json.dumps(first) + "\n"]


def miss_becomes_success(report: dict[str, Any]) -> None:
    """The row, the bucket, the mean and its interval, all in agreement."""
    next(row for row in report["tasks"] if row["outcome"] == "miss")["outcome"] = "success"
    report["counts"]["ordinary"].update(success=3, miss=0)
    report.update(mean=1.0, ci95=[0.4385, 1.0])


def drop_a_task(report: dict[str, Any]) -> None:
    """The missed task is gone from the rows and from every number."""
    report["tasks"] = [row for row in report["tasks"] if row["outcome"] != "miss"]
    report["counts"]["ordinary"].update(miss=0)
    report.update(n=2, mean=1.0, ci95=[0.3423, 1.0])


def remove_event(kind: str) -> Edit:
    def edit(root: Path) -> None:
        for path in (root / "reports/demo.v1/ledger").iterdir():
            if json.loads(path.read_bytes())["event"] == kind:
                path.unlink()
                return

    return edit


def forget_beta(root: Path) -> None:
    """The losing run and all that the ledger says of it: a tip that is cut off."""
    shutil.rmtree(runs(root)[1])
    for path in list((root / "reports/demo.v1/ledger").iterdir()):
        if "beta" in path.read_text(encoding="utf-8"):
            path.unlink()


OPEN_EDITS: dict[str, Edit] = {
    "two reports change places": in_runs("report.json"),
    "two transcripts change places": in_runs("transcripts.jsonl"),
    "two manifests change places": in_runs("manifest.yaml"),
    "two solvers change places": in_runs("solver"),
    "two run folders change places": lambda root: swap(*runs(root)),
    "a run is renamed": lambda root: runs(root)[0].rename(runs(root)[0].with_name("better-0a0b0c")) and None,
    "a run is copied": lambda root: shutil.copytree(runs(root)[0], runs(root)[0].with_name("again-0a0b0c")) and None,
    "a report is deleted": lambda root: (runs(root)[1] / "report.json").unlink(),
    "a run is deleted": lambda root: shutil.rmtree(runs(root)[1]),
    "a miss becomes a success, mean and interval too": in_report(miss_becomes_success),
    "a task is dropped from the report": in_report(drop_a_task),
    "the route is another": in_report(lambda value: value.update(route="better-2.0")),
    "the run id is another": in_report(lambda value: value.update(run_id="better-0a0b0c")),
    "rows of the dataset change places": in_rows("tasks.jsonl", swap_first_two),
    "a task is dropped from the dataset": in_rows("tasks.jsonl", lambda rows: rows.pop(1)),
    "a task stands twice": in_rows("tasks.jsonl", lambda rows: rows.append(rows[0])),
    "a null-pack row is dropped": in_rows("null_pack.jsonl", lambda rows: rows.pop()),
    "an oracle is what was answered": in_rows(
        "tasks.jsonl", lambda rows: rows.__setitem__(1, rows[1].replace('"oracle": "2"', '"oracle": "wrong"'))
    ),
    "rows of the transcripts change places": in_transcripts(swap_first_two),
    "two answers change their tasks": in_transcripts(swap_ids),
    "an answer is dropped": in_transcripts(lambda rows: rows.pop()),
    "an answer is the right one": in_transcripts(
        lambda rows: rows.__setitem__(slice(None), [row.replace('"wrong"', '"2"') for row in rows])
    ),
    "the seal event is deleted": remove_event("seal"),
    "a start is deleted": remove_event("start"),
    "an end is deleted": remove_event("end"),
    "a losing run is forgotten": forget_beta,
}
"""Of a site with two runs, judged by itself or beside the last published one."""


def right_answer(site: Site) -> None:
    site.transcripts(lambda rows: [row.update(artifact="2") for row in rows if row["artifact"] == "wrong"])
    site.rebind(report=miss_becomes_success)


REBOUND_EDITS: dict[str, Callable[[Site], None]] = {
    "an answer was made right": right_answer,
    "a report was scored better": lambda site: site.report(miss_becomes_success),
    "an oracle was changed": lambda site: (
        site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[1].update(oracle="wrong")),
        site.rebind(),
    )[1],
    "a task was dropped from exam and report": lambda site: (
        site.rows(site.protocol / "tasks.jsonl", lambda rows: rows.pop(1)),
        site.transcripts(lambda rows: rows.pop(next(i for i, r in enumerate(rows) if r["task_id"] == "T-002"))),
        site.draft(lambda value: value["publish"].update(min_n=2)),
        site.rebind(report=drop_a_task),
    )[3],
    "the start was earlier": lambda site: site.rebind(start=lambda event: event.update(time="2026-11-30T09:00:30Z")),
    "the budget is another": lambda site: (
        site.draft(lambda value: value["budget"].update(timeout_sec=600)),
        site.rebind(),
    )[1],
}
"""Of a site with one run, every digest made right again, and judged beside the last published site."""


@pytest.fixture
def caches(drawn: Path) -> Path:
    return drawn / "sitegen"


def refused_slugs(root: Path, before: Path, cache: Path) -> set[str]:
    """Build beside the last published site, which may not change, and return what was refused."""
    old = tree_of(before)
    try:
        build_site(root, before, previous=str(before), cache=cache)
    except Refused as refused:
        assert tree_of(before) == old
        return {refusal.slug for refusal in refused.refusals}
    return set()


def test_every_edit_is_refused(tmp_path: Path, caches: Path) -> None:
    two, one = make_site(tmp_path / "two", runs=2), make_site(tmp_path / "one")
    for site in (two, one):
        build_site(site, site / "_site", cache=caches)
    edits = [(two, name, edit) for name, edit in OPEN_EDITS.items()]
    edits += [(one, name, lambda root, edit=edit: edit(Site(root))) for name, edit in REBOUND_EDITS.items()]
    slugs: dict[str, set[str]] = {}
    for base, name, edit in edits:
        root = tmp_path / "edited"
        shutil.copytree(base, root)
        edit(root)
        assert tree_of(root) != tree_of(base), name
        slugs[name] = refused_slugs(root, root / "_site", caches)
        shutil.rmtree(root)
    accepted = [name for name, found in slugs.items() if not found]
    note("semantic", "short", tried=len(edits), refused=len(edits) - len(accepted), wrong=len(accepted))
    assert accepted == []


def test_the_edits_would_not_be_refused_without_their_change(tmp_path: Path, caches: Path) -> None:
    """An honest run more is published beside the same last site."""
    site = make_site(tmp_path, runs=2)
    build_site(site, site / "_site", cache=caches)
    make_run(site, "demo.v1", "delta")
    assert refused_slugs(site, site / "_site", caches) == set()
