"""``report.json``: claims that are only compared, and read without a gap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import canonical_json
from sitegen.read.files import Tree
from sitegen.read.protocol import read_draft
from sitegen.read.report import fields_always_stated, read_report, read_within, report_value
from sitegen.refusals import Refused
from tests.read.sources import faults, source
from tests.sites import make_protocol, make_run


@pytest.fixture(scope="module")
def stated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    root: Path = tmp_path_factory.mktemp("site")
    make_protocol(root, ordinary=3, negative=1)
    closed = make_run(root, "demo.v1", wrong=("T-002",))
    value: dict[str, Any] = json.loads((root / "reports" / "demo.v1" / closed.run_id / "report.json").read_bytes())
    return value


def without(value: dict[str, Any], path: str) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(value))
    *parents, last = path.strip("/").split("/")
    place = copy
    for parent in parents:
        place = place[parent]
    del place[last]
    return copy


def test_a_report_is_read_and_written_alike(stated: dict[str, Any]) -> None:
    data = canonical_json(stated)
    assert canonical_json(report_value(read_report(source(data)))) == data


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        *((f"/{name}", "headline-alone") for name in ("mean", "ci95", "n", "n_negative", "abstention_accuracy")),
        *((f"/{name}", "headline-alone") for name in ("abstention_ci95", "invalid_completion_rate")),
        *((f"/{name}", "headline-alone") for name in ("false_abstention_rate", "false_abstention_ci95")),
        ("/counts", "slice-missing"),
        ("/counts/ordinary", "slice-missing"),
        ("/counts/negative/no_answer", "slice-missing"),
        ("/covariates", "covariate-missing"),
        ("/covariates/wall_clock_sec", "covariate-missing"),
        ("/covariates/retries/table", "field-missing"),
        ("/null_pack_rows", "field-missing"),
        ("/digests/solver", "field-missing"),
        ("/made_by", "field-missing"),
    ],
)
def test_what_is_left_out_is_refused_by_what_it_is(path: str, slug: str, stated: dict[str, Any]) -> None:
    assert faults(read_report, source(canonical_json(without(stated, path)))) == [(slug, path)]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"mean": 1.5}, ("field-range", "/mean")),
        ({"mean": "0.9"}, ("field-type", "/mean")),
        ({"ci95": [0.1]}, ("field-type", "/ci95")),
        ({"ci95": [0.1, 1.2]}, ("field-range", "/ci95/1")),
        ({"n": True}, ("field-type", "/n")),
        ({"null_pack": "passed"}, ("field-range", "/null_pack")),
        ({"channel": "public"}, ("field-range", "/channel")),
        ({"schema": "agent-bench-report/v2"}, ("schema-unknown", "/schema")),
        ({"run_id": "../x"}, ("protocol-id-form", "/run_id")),
        ({"percentage": 98}, ("field-unknown", "/percentage")),
    ],
)
def test_a_wrong_field_is_refused(changes: dict[str, Any], fault: tuple[str, str], stated: dict[str, Any]) -> None:
    assert faults(read_report, source(canonical_json({**stated, **changes}))) == [fault]


@pytest.mark.parametrize("name", ["single_percentage_only", "a/b", 'quo"te', "été"])
def test_a_forbidden_field_is_found_at_any_depth(name: str, stated: dict[str, Any]) -> None:
    deep = {**stated, "made_by": {**stated["made_by"], "source": {"x": [{name: 1}]}}}
    for ascii_only in (True, False):
        data = json.dumps(deep, ensure_ascii=ascii_only)
        found = faults(read_report, source(data), (name,))
        assert ("forbidden-field", f"/made_by/source/x/0/{name.replace('/', '~1')}") in found


@pytest.mark.parametrize("place", ["/percentage", "/made_by/percentage", "/tasks/0/score/x"])
def test_a_field_too_much_does_not_hide_the_others(place: str, stated: dict[str, Any]) -> None:
    value: Any = json.loads(json.dumps(stated))
    part = value
    *parents, last = place.split("/")[1:]
    for key in parents:
        part = part[int(key)] if isinstance(part, list) else part.setdefault(key, {})
    part[last] = 98
    whole = source(canonical_json(value))
    with pytest.raises(Refused) as caught:
        read_report(whole, ("percentage", "x"))
    assert read_within(whole, caught.value.refusals) == read_report(source(canonical_json(stated)))


def test_a_field_of_the_format_that_is_forbidden_is_read(stated: dict[str, Any]) -> None:
    whole = source(canonical_json(stated))
    with pytest.raises(Refused) as caught:
        read_report(whole, ("mean",))
    assert read_within(whole, caught.value.refusals) == read_report(whole)


def test_a_report_with_another_fault_is_not_read(stated: dict[str, Any]) -> None:
    for changes in ({"percentage": 98, "mean": "0.9"}, {"mean": 2}):
        whole = source(canonical_json({**stated, **changes}))
        with pytest.raises(Refused) as caught:
            read_report(whole)
        assert read_within(whole, caught.value.refusals) is None


def test_a_forbidden_name_as_a_value_is_no_field(stated: dict[str, Any]) -> None:
    value = {**stated, "route": "single_percentage_only"}
    assert read_report(source(canonical_json(value)), ("single_percentage_only",)).route == "single_percentage_only"


def test_a_field_of_the_format_may_be_forbidden_and_other_faults_are_named_beside_it(stated: dict[str, Any]) -> None:
    whole = source(canonical_json(stated), "report.json")
    assert faults(read_report, whole, ("mean",)) == [("forbidden-field", "/mean")]
    broken = source(canonical_json({**stated, "score": 1, "channel": "other"}), "report.json")
    assert sorted(faults(read_report, broken, ("score",))) == [
        ("field-range", "/channel"),
        ("forbidden-field", "/score"),
    ]


OPTIONAL = {"ids", "source", "source_sha256", "limits", "isolation", "jobs", "interruptions"}
"""Fields of some reports only, as far as the ones below have them."""
CLUSTERED = {"dataset": {"cluster": "prompt"}}
JUDGE = """
def score(result, oracle_path):
    return {"pass": result == open(oracle_path).read(), "metric": "judge", "reply": result}
"""


def names_in(value: Any) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(names_in, value))
    if not isinstance(value, dict):
        return set()
    return {name for name in value if not name.isdigit()}.union(*map(names_in, value.values()))


@pytest.mark.parametrize(
    ("exam", "more"),
    [
        ({}, set()),
        ({"metric": JUDGE, "changes": {"metric": {"deterministic": False}}}, {"verdicts"}),
        ({"changes": CLUSTERED}, {"clusters", "n_eff", "ci95_method", "invalid_completion_clusters"}),
    ],
)
def test_what_is_always_stated_is_what_a_report_holds(exam: dict[str, Any], more: set[str], tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=2, **exam)
    closed = make_run(tmp_path, "demo.v1", wrong=("T-002",))
    with Tree(tmp_path) as tree:
        draft = read_draft(tree.read("protocols/demo.v1/protocol.yaml"))
        data = tree.read(f"reports/demo.v1/{closed.run_id}/report.json").data
    always = fields_always_stated(draft)
    assert always == names_in(json.loads(data)) - OPTIONAL
    assert more <= always
    assert {"mean", "artifact_sha256", "start_sha256", "over_budget", "q1"} <= always
