"""The exam's document: a draft and a sealed protocol are two types, and every fault of form has its place."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.harness.yaml_text import yaml_text
from sitegen.read.files import SourceFile
from sitegen.read.protocol import DraftProtocol, SealedProtocol, read_draft, read_sealed
from tests.read.sources import faults, source

DIGEST = "0" * 64


def document(**changes: Any) -> dict[str, Any]:
    return {
        "schema": "agent-bench-protocol/v1",
        "protocol_id": "demo.v1",
        "dataset": {"path": "./tasks.jsonl", "sha256": "PENDING_SEAL"},
        "metric": {"module": "./metric.py", "sha256": "PENDING_SEAL"},
        "budget": {"timeout_sec": 90},
        "null_pack": {
            "path": "./null.jsonl",
            "sha256": "PENDING_SEAL",
            "rules": {"must_pass": ["a"], "must_fail": ["b"], "must_refuse": ["c"]},
        },
        "publish": {"min_n": 40},
        **changes,
    }


def file(name: str = "protocol.yaml", **changes: Any) -> SourceFile:
    value = {key: part for key, part in document(**changes).items() if part is not None}
    return source(yaml_text(value), f"protocols/demo.v1/{name}")


def sealed(**changes: Any) -> SourceFile:
    parts = document()
    filled = {name: {**parts[name], "sha256": DIGEST} for name in ("dataset", "metric", "null_pack")}
    seal = {"sums_sha256": DIGEST, "n": 40, "n_negative": 10, "n_null_pack": 3}
    return file("protocol.sealed.yaml", **{**filled, "seal": seal, **changes})


def test_a_draft_has_the_defaults_of_the_format() -> None:
    draft = read_draft(file())
    assert type(draft) is DraftProtocol
    publish = draft.publish
    assert (publish.min_n_negative, publish.require_ci, publish.ci_method) == (10, True, "wilson")
    assert (publish.require_level, publish.evidence) == ("numbers", "full")
    assert publish.forbidden_fields == ("single_percentage_only",)
    assert publish.same_conditions == ("retry_limit", "tool_whitelist")
    assert (draft.metric.deterministic, draft.budget.max_files_touched) == (True, None)
    assert (draft.family_name, draft.heading) == ("demo", "demo.v1")


@pytest.mark.parametrize(
    ("changes", "family", "heading"),
    [
        ({"family": "other"}, "other", "demo.v1"),
        ({"title": "Say a number"}, "demo", "Say a number"),
        ({"title": ""}, "demo", "demo.v1"),
    ],
)
def test_a_family_and_a_title_are_as_stated(changes: dict[str, Any], family: str, heading: str) -> None:
    draft = read_draft(file(**changes))
    assert (draft.family_name, draft.heading) == (family, heading)


@pytest.mark.parametrize("path", ["protocols/demo.v1/protocol.yaml", "demo.v1/protocol.yaml", "protocol.yaml"])
def test_an_id_is_its_folders_name_where_there_is_a_folder(path: str) -> None:
    assert read_draft(source(file().data, path)).protocol_id == "demo.v1"
    assert faults(read_draft, source(file().data, "demo.v2/protocol.yaml")) == [("protocol-id-form", "/protocol_id")]


def test_oracles_are_paths_in_a_file_of_tasks_and_inline_in_a_folder() -> None:
    assert read_draft(file()).dataset_oracle == "path"
    assert read_draft(file(dataset={"path": "tasks", "sha256": DIGEST})).dataset_oracle == "inline"
    inline = read_draft(file(dataset={"path": "./t.jsonl", "sha256": DIGEST, "oracle": "inline"}))
    assert inline.null_pack_oracle == "inline"


def test_a_sealed_protocol_is_another_type_with_the_digest_of_its_bytes() -> None:
    found = read_sealed(sealed())
    assert type(found.protocol) is SealedProtocol
    assert found.sha256 == sealed().sha256


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"schema": "agent-bench-protocol/v2"}, ("schema-unknown", "/schema")),
        ({"protocol_id": "demo.v2"}, ("protocol-id-form", "/protocol_id")),
        ({"protocol_id": "Demo"}, ("protocol-id-form", "/protocol_id")),
        ({"budget": {"timeout_sec": 0}}, ("field-range", "/budget/timeout_sec")),
        ({"budget": {"timeout_sec": 90, "max_file_touched": 1}}, ("field-unknown", "/budget/max_file_touched")),
        ({"publish": {"min_n": 0}}, ("field-range", "/publish/min_n")),
        ({"publish": {"min_n": 40, "min_n_negative": 0}}, ("field-range", "/publish/min_n_negative")),
        ({"publish": {"min_n": 40, "require_ci": False}}, ("field-range", "/publish/require_ci")),
        ({"publish": {"min_n": 40, "ci_method": "normal"}}, ("field-range", "/publish/ci_method")),
        ({"follows": "demo.v1"}, ("rules-contradict", "/follows")),
        ({"metric": None}, ("field-missing", "/metric")),
        ({"metric": {"module": "../m.py", "sha256": "PENDING_SEAL"}}, ("path-unsafe", "/metric/module")),
        ({"metric": {"module": "./m.py", "sha256": "pending"}}, ("digest-form", "/metric/sha256")),
        ({"dataset": {"path": "./tasks/", "sha256": "PENDING_SEAL"}}, ("path-unsafe", "/dataset/path")),
        ({"dataset": {"path": "./t.jsonl", "sha256": "pending"}}, ("digest-form", "/dataset/sha256")),
        ({"null_pack": {**document()["null_pack"], "sha256": "pending"}}, ("digest-form", "/null_pack/sha256")),
    ],
)
def test_a_fault_of_the_draft_has_its_place(changes: dict[str, Any], fault: tuple[str, str]) -> None:
    assert faults(read_draft, file(**changes)) == [fault]


def test_a_draft_may_state_digests_that_must_turn_out_right() -> None:
    assert read_draft(file(metric={"module": "./m.py", "sha256": DIGEST})).metric.sha256 == DIGEST


def test_a_sealed_document_has_no_pending_digest_and_a_seal() -> None:
    assert faults(read_sealed, sealed(seal=None)) == [("seal-incomplete", "/seal")]
    assert faults(read_sealed, file("protocol.sealed.yaml")) == [("seal-incomplete", "/seal")]
    pending = sealed(dataset={"path": "./tasks.jsonl", "sha256": "PENDING_SEAL"})
    assert faults(read_sealed, pending) == [("seal-pending", "/dataset/sha256")]
    null_pack = {**document()["null_pack"], "sha256": "PENDING_SEAL"}
    assert faults(read_sealed, sealed(null_pack=null_pack)) == [("seal-pending", "/null_pack/sha256")]
    capitals = sealed(dataset={"path": "./tasks.jsonl", "sha256": "A" * 64})
    assert faults(read_sealed, capitals) == [("digest-form", "/dataset/sha256")]


def test_what_is_no_object_is_refused() -> None:
    for read in (read_draft, read_sealed):
        assert faults(read, source("- a\n", "protocols/demo.v1/protocol.yaml")) == [("field-type", "")]
