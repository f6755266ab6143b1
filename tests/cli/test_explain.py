"""`sitegen explain`."""

from __future__ import annotations

import json
from typing import Any

from sitegen.cli import main
from sitegen.refusals import KINDS


def test_one_slug_is_explained(capsys: Any) -> None:
    assert main(["explain", "dataset-drift"]) == 0
    assert capsys.readouterr().out.startswith("dataset-drift  (Drift and evidence; a fault: exit 1)\n")
    assert main(["explain", "run-open"]) == 0
    assert "an honest outcome" in capsys.readouterr().out


def test_all_slugs_are_explained(capsys: Any) -> None:
    assert main(["explain", "--format", "json"]) == 0
    assert [entry["slug"] for entry in json.loads(capsys.readouterr().out)] == list(KINDS)


def test_a_misspelt_slug_is_told_its_nearest(capsys: Any) -> None:
    assert main(["explain", "dataset-drfit"]) == 2
    assert "did you mean dataset-drift?" in capsys.readouterr().err
    assert main(["explain", "\x1b[31m"]) == 2
    assert "\x1b" not in capsys.readouterr().err
