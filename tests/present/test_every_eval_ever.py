"""The Every Eval Ever record: valid by that project's own package where it is installed, and whole everywhere."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import pytest

from sitegen.present.every_eval_ever import SCHEMA_VERSION, every_eval_ever
from tests.sites import judge, make_protocol, make_run


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    root = tmp_path_factory.mktemp("root")
    make_protocol(root, "demo.v1")
    make_run(root, "demo.v1", "alpha", wrong=("T-001",), invalid=("N-001",))
    unit = judge(root, "demo.v1")
    assert unit.protocol is not None
    made = every_eval_ever(unit.reports[0], unit.protocol, "An organisation")
    assert made == every_eval_ever(unit.reports[0], unit.protocol, "An organisation")
    value: dict[str, Any] = json.loads(made)
    return value


def test_every_rate_stands_with_its_samples_and_its_interval(record: dict[str, Any]) -> None:
    scores = {result["metric_config"]["metric_id"]: result["score_details"] for result in record["evaluation_results"]}
    assert {name: details["score"] for name, details in scores.items()} == {
        "sitegen.task_success": 0.95,
        "sitegen.abstention_accuracy": 0.9,
        "sitegen.invalid_completion": 0.1,
        "sitegen.false_abstention": 0.0,
    }
    for details in scores.values():
        uncertainty = details["uncertainty"]
        interval = uncertainty["confidence_interval"]
        assert interval["lower"] <= details["score"] <= interval["upper"]
        assert interval["lower"] < interval["upper"]
        assert interval["method"] == "wilson"
        assert uncertainty["num_samples"] == int(details["details"]["n"])


def test_the_record_leads_back_to_the_evidence(record: dict[str, Any]) -> None:
    trust = record["source_metadata"]["additional_details"]
    assert {"protocol_sha256", "report_sha256", "transcripts_sha256", "verification_level", "witness"} <= set(trust)
    assert record["source_metadata"]["source_type"] == "evaluation_run"


def test_the_projects_own_package_accepts_it(record: dict[str, Any]) -> None:
    if importlib.util.find_spec("every_eval_ever") is None or importlib.util.find_spec("jsonschema") is None:
        pytest.skip("every_eval_ever is not installed (it needs Python 3.12); its schema was not asked")
    import jsonschema
    from every_eval_ever.eval_types import EvaluationLog
    from every_eval_ever.schema import get_schema_version, schema_json

    assert get_schema_version() == SCHEMA_VERSION
    jsonschema.validate(record, schema_json())
    EvaluationLog.model_validate(record)
