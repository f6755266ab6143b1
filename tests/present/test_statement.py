"""The in-toto statement: made of verified reports only, whole, and about the published bytes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from sitegen.present.statement import STATEMENT_TYPE, statement
from sitegen.verify.verified import VerifiedReport
from tests.sites import judge, make_protocol, make_run


def test_subjects_are_the_published_bytes_and_the_scorecard_is_whole(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    closed = make_run(tmp_path, "demo.v1", "alpha", wrong=("T-001",), invalid=("N-001",))
    unit = judge(tmp_path, "demo.v1")
    assert unit.protocol is not None
    made = statement(unit.reports[0], unit.protocol)
    assert made == statement(unit.reports[0], unit.protocol)
    value = json.loads(made)
    assert value["_type"] == STATEMENT_TYPE
    subjects = {subject["name"]: subject["digest"]["sha256"] for subject in value["subject"]}
    run = tmp_path / "reports" / "demo.v1" / closed.run_id
    for name in ("report.json", "transcripts.jsonl", "manifest.yaml"):
        assert subjects[name] == hashlib.sha256((run / name).read_bytes()).hexdigest()
    card = value["predicate"]["scorecard"]
    report = json.loads((run / "report.json").read_bytes())
    for name in ("n", "mean", "ci95", "n_negative", "abstention_accuracy", "invalid_completion_rate", "counts"):
        assert card[name] == report[name]
    assert {"retries", "tool_calls", "wall_clock_sec"} == set(card["covariates"])
    assert value["predicate"]["verification"]["level"] == "re-scored"


def test_there_is_none_without_the_verifier() -> None:
    with pytest.raises(TypeError):
        VerifiedReport()  # type: ignore[call-arg]
