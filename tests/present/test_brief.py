"""What the pages over all protocols keep of one: names, places and digests, and figures only as whole records."""

from __future__ import annotations

import json

from sitegen.pipeline.cache import pack
from sitegen.present.brief import brief_of
from sitegen.present.summary import summarise
from sitegen.verify.verified import VerifiedUnit


def test_a_brief_names_every_published_run_and_counts_the_others(unit: VerifiedUnit) -> None:
    brief = brief_of(summarise(unit))
    assert {run.run_id: run.sha256 for run in brief.runs} == {run.run_id: run.sha256 for run in unit.reports}
    assert brief.refused + brief.withdrawn == len(unit.refused)
    assert brief.withdrawn == sum(run.withdrawn for run in unit.refused) > 0
    assert {subject.run_id for subject in brief.subjects} >= {run.run_id for run in unit.refused}


def test_the_records_are_those_of_the_export(unit: VerifiedUnit) -> None:
    records = json.loads(b"[" + brief_of(summarise(unit)).records + b"]")
    assert [record["run_id"] for record in records] == [run.run_id for run in brief_of(summarise(unit)).runs]
    assert all(record["task_success"]["n"] for record in records)


def test_a_brief_is_small(unit: VerifiedUnit) -> None:
    """All briefs of a site are at hand at once; summaries are not."""
    summary = summarise(unit)
    assert len(pack(brief_of(summary))) < len(pack(summary)) / 2
