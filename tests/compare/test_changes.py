"""Every kind of change has a name, a need and a reason of its own."""

from __future__ import annotations

from sitegen.compare.changes import NEEDS, FieldChange, RowsChange

KINDS = [*FieldChange.__subclasses__(), *RowsChange.__subclasses__()]


def test_kinds_are_told_apart_by_name_and_by_reason() -> None:
    assert len({kind.kind for kind in KINDS}) == len(KINDS)
    assert len({kind.why for kind in KINDS}) == len(KINDS)
    assert all(kind.needs in NEEDS for kind in KINDS)


def test_what_a_solver_could_notice_asks_for_a_new_run_and_nothing_else_does() -> None:
    noticed = {kind.kind for kind in KINDS if kind.needs == "re-run"}
    assert noticed == {"artifact", "budget", "added", "removed", "question"}
