"""`sitegen end`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sitegen.cli import main
from sitegen.harness.opening import open_run
from tests.sites import make_contestant, make_protocol


def test_an_open_run_is_ended_with_a_reason(tmp_path: Path, capsys: Any) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    run = open_run(tmp_path, "demo.v1", make_contestant(tmp_path, "alpha"))
    command = ["end", f"reports/demo.v1/{run.run_id}", "--root", str(tmp_path), "--reason"]
    assert main([*command, " "]) == 2
    assert main([*command, "\udcff"]) == 2  # as Python gives an argument that is not UTF-8
    assert "UTF-8" in capsys.readouterr().err
    assert main([*command, "out of money"]) == 0
    assert f"{run.run_id}  ended, recorded in event" in capsys.readouterr().out
    assert main([*command, "again"]) == 2
    assert main(["verify", str(tmp_path)]) == 0
    assert main(["end", "nowhere", "--root", str(tmp_path), "--reason", "x"]) == 2
    assert main(["end", run.run_id]) == 2
