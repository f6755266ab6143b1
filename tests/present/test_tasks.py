from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sitegen.present.tasks import PER_PAGE, anchor, null_views, pages_of, task_views
from sitegen.verify.verified import VerifiedUnit


@given(st.text(min_size=1, max_size=200), st.text(min_size=1, max_size=200))
def test_anchors_are_stable_distinct_and_plain(one: str, other: str) -> None:
    assert (anchor(one) == anchor(other)) == (one == other)
    assert anchor(one).isascii()
    assert not set(anchor(one)) & set(' "<>#%\n')


def test_every_task_and_row_is_there_in_order(unit: VerifiedUnit) -> None:
    assert unit.protocol is not None
    for report in unit.reports:
        views = task_views(unit.protocol, report)
        assert [(view.id, view.outcome) for view in views] == [(row.id, row.outcome) for row in report.rows]
        assert all(view.question and view.difference for view in views)
        assert [view.outcome for view in null_views(unit.protocol, report)] == ["passed", "failed", "refused"]
        assert all(view.good for view in null_views(unit.protocol, report))


def test_pages_hold_every_task_once(unit: VerifiedUnit) -> None:
    assert unit.protocol is not None
    views = task_views(unit.protocol, unit.reports[0]) * 20
    chunks = list(pages_of(views))
    assert [len(chunk) for chunk in chunks[:-1]] == [PER_PAGE] * (len(chunks) - 1)
    assert [view for chunk in chunks for view in chunk] == views
