"""What was checked of a report, in sentences with what was counted."""

from __future__ import annotations

from pathlib import Path

from tests.audit.hidden import hidden
from tests.sites import judge, make_protocol, make_run


def test_the_steps_say_what_was_counted(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1", wrong=("T-002",))
    (report,) = judge(tmp_path, "demo.v1").reports
    steps = {step.name: step.result for step in report.steps}
    assert list(steps) == ["Sealed files", "Ledger", "Evidence", "Tasks", "Outcomes", "Null pack", "Numbers"]
    assert steps["Sealed files"].startswith("4 files hashed")
    assert "3 ordinary tasks, 1 negative controls and 3 null-pack rows" in steps["Tasks"]
    assert steps["Null pack"].startswith("3 of 3 rows")
    assert "byte-identical to one that sitegen ships" in steps["Outcomes"]


def test_the_steps_say_what_is_withheld(tmp_path: Path) -> None:
    run_id = hidden(tmp_path, "outcomes")
    (tmp_path / "protocols" / "demo.v1" / "tasks.jsonl").unlink()
    (tmp_path / "reports" / "demo.v1" / run_id / "transcripts.jsonl").unlink()
    (report,) = judge(tmp_path, "demo.v1").reports
    steps = {step.name: step.result for step in report.steps}
    assert steps["Sealed files"].startswith("24 files hashed; sealed files withheld: 1 of 25.")
    assert steps["Tasks"].startswith("One row for each of 20 ordinary tasks")
    assert "Tasks or transcripts are withheld, as the protocol says" in steps["Outcomes"]
