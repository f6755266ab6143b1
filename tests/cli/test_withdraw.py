"""`sitegen withdraw`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sitegen.cli import main
from tests.sites import make_protocol, make_run


def test_a_report_and_then_its_protocol_are_withdrawn(tmp_path: Path, capsys: Any) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    closed = make_run(tmp_path, "demo.v1")
    root = ["--root", str(tmp_path), "--reason", "the wrong model"]
    assert main(["withdraw", closed.run_id, *root[:-1], "\udcff"]) == 2
    assert main(["withdraw", "protocols/demo.v1", *root[:-1], "\udcff"]) == 2
    assert main(["withdraw", f"reports/demo.v1/{closed.run_id}/report.json", *root]) == 0
    assert f"{closed.run_id}  withdrawn, recorded in event" in capsys.readouterr().out
    assert main(["withdraw", closed.run_id, *root]) == 2
    assert main(["withdraw", "protocols/demo.v1/", *root]) == 0
    for nothing in ("nowhere", "", "protocols/", "."):
        assert main(["withdraw", nothing, *root]) == 2
    assert main(["verify", str(tmp_path)]) == 0
