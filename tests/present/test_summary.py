"""Summaries: picklable, in the order of rows, refused runs without an end."""

from __future__ import annotations

import pickle

from sitegen.present.summary import summarise
from sitegen.verify.verified import VerifiedUnit


def test_a_summary_survives_pickling(unit: VerifiedUnit) -> None:
    summary = summarise(unit)
    assert pickle.loads(pickle.dumps(summary)) == summary


def test_reports_stand_by_success_then_route(unit: VerifiedUnit) -> None:
    orders = [report.order for report in summarise(unit).reports]
    assert orders == sorted(orders)
    assert len(orders) == 5


def test_what_happened_tells_no_end_of_a_refused_run(unit: VerifiedUnit) -> None:
    summary = summarise(unit)
    ended = {happening.run_id for happening in summary.happenings if happening.kind == "end"}
    assert ended == {report.run_id for report in summary.reports}
    assert [happening.kind for happening in summary.happenings].count("withdraw") == 1
    assert list(summary.withdrawn) == [run.run_id for run in unit.refused if run.withdrawn]
    assert summary.started == 8
