"""`sitegen rescore`: the whole scorecard of the new report, and wrong usage."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.cli import main
from tests.sites import make_protocol, make_run, negative_tasks, ordinary_tasks

TASKS = [*ordinary_tasks(20), *negative_tasks(10)]


def test_the_command_says_the_whole_scorecard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_protocol(tmp_path, "demo.v1", tasks=TASKS)
    make_protocol(tmp_path, "demo.v2", tasks=[{**TASKS[0], "oracle": "one"}, *TASKS[1:]])
    run = make_run(tmp_path, "demo.v1")
    monkeypatch.chdir(tmp_path)
    assert main(["rescore", f"reports/demo.v1/{run.run_id}/report.json", "--under", "protocols/demo.v2"]) == 0
    out, err = capsys.readouterr()
    assert "19/20" in out
    assert "abstention accuracy" in out
    assert f"{run.run_id} scored again under demo.v2" in err
    for named in (run.run_id, f"reports/demo.v1/{run.run_id}/"):
        assert main(["rescore", named, "--under", "demo.v2"]) == 2
        assert "already" in capsys.readouterr().err
    assert main(["rescore", run.run_id, "--under", "reports/demo.v2"]) == 2
    assert main(["rescore", "2026-01-01-none-aaaaaa", "--under", "demo.v2"]) == 2


def test_a_version_that_asks_something_else_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_protocol(tmp_path, "demo.v1", tasks=TASKS)
    make_protocol(tmp_path, "demo.v2", tasks=[{**TASKS[0], "prompt": "Say one."}, *TASKS[1:]])
    run = make_run(tmp_path, "demo.v1")
    monkeypatch.chdir(tmp_path)
    assert main(["rescore", run.run_id, "--under", "demo.v2"]) == 1
    assert "rescore-mismatch" in capsys.readouterr().err
