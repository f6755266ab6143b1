from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.present import tasks
from sitegen.present.tasks import PER_PAGE, TaskViews, anchor, outcomes_of, pages_of
from sitegen.verify.verified import VerifiedUnit


@given(st.text(min_size=1, max_size=200), st.text(min_size=1, max_size=200))
def test_anchors_are_stable_distinct_and_plain(one: str, other: str) -> None:
    assert (anchor(one) == anchor(other)) == (one == other)
    assert anchor(one).isascii()
    assert not set(anchor(one)) & set(' "<>#%\n')


def test_every_task_and_row_is_there_in_order(unit: VerifiedUnit) -> None:
    assert unit.protocol is not None
    made = TaskViews(unit.protocol)
    for report in unit.reports:
        views = made.of(report)
        assert [(view.shown.id, view.shown.outcome) for view in views] == [(row.id, row.outcome) for row in report.rows]
        assert [view.wall_clock for view in views] == [row.wall_clock_sec for row in report.rows]
        assert all(view.shown.question and view.shown.difference for view in views)
        assert [view.shown.outcome for view in made.null_pack_of(report)] == ["passed", "failed", "refused"]
        assert all(view.shown.good for view in made.null_pack_of(report))
        assert set(outcomes_of(views)) == {row.outcome for row in report.rows}


def test_what_two_runs_answered_alike_is_shown_by_one_record_and_nothing_else_is(
    unit: VerifiedUnit, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert unit.protocol is not None
    made = TaskViews(unit.protocol)
    by_record = {}
    for report in unit.reports:
        for view in (*made.of(report), *made.null_pack_of(report)):
            task = view.shown
            answer = report.transcripts.get(task.id) or report.null_transcripts[task.id]
            told = (task.id, task.outcome, answer.artifact, answer.status, answer.files_touched)
            assert by_record.setdefault(id(task), told) == told
    assert len(set(by_record.values())) == len(by_record) < len(unit.reports) * len(unit.reports[0].rows)
    for most, long in ((7, 8000), (4096, 0)):  # few are kept; and none that holds a character
        monkeypatch.setattr(tasks, "_MOST_KEPT", most)
        monkeypatch.setattr(tasks, "_LONG", long)
        few = TaskViews(unit.protocol)
        for report in unit.reports:
            kept, forgotten = made.of(report), few.of(report)
            assert [(view.shown.id, view.shown.outcome) for view in kept] == [
                (view.shown.id, view.shown.outcome) for view in forgotten
            ]


def test_pages_hold_every_task_once(unit: VerifiedUnit) -> None:
    assert unit.protocol is not None
    views = TaskViews(unit.protocol).of(unit.reports[0]) * 20
    chunks = list(pages_of(views))
    assert [len(chunk) for chunk in chunks[:-1]] == [PER_PAGE] * (len(chunks) - 1)
    assert [view for chunk in chunks for view in chunk] == views
