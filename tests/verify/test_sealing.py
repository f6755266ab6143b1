"""Whether an exam may be sealed: every reason against it, at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.read.names import confusable_ids
from sitegen.refusals import Refused
from sitegen.verify.sealing import reserved_names
from tests.sites import NULL_ROWS, make_protocol, negative_tasks, ordinary_tasks


def reasons(root: Path, **given: Any) -> list[str]:
    with pytest.raises(Refused) as caught:
        make_protocol(root, **given)
    return [refusal.slug for refusal in caught.value.refusals]


def test_a_complete_exam_may_be_sealed(tmp_path: Path) -> None:
    assert make_protocol(tmp_path, ordinary=3, negative=1) == "demo.v1"


def test_all_reasons_are_given_at_once(tmp_path: Path) -> None:
    first, second, third = ordinary_tasks(3)
    again = [{**first, "prompt": "?"}, {**second, "id": "T-009"}]
    tasks = [first, second, *again, {**third, "oracle": ""}, *negative_tasks(1)]
    found = reasons(tmp_path, tasks=tasks, changes={"publish": {"min_n": 40, "min_n_negative": 2}})
    assert sorted(found) == [
        "oracle-missing",
        "pack-below-min-n",
        "pack-below-min-n",
        "pack-content-duplicate",
        "task-id-duplicate",
    ]


def test_a_missing_negative_slice_is_said_once(tmp_path: Path) -> None:
    assert reasons(tmp_path, tasks=ordinary_tasks(3), changes={"publish": {"min_n": 3, "min_n_negative": 1}}) == [
        "no-negative-controls"
    ]


def test_a_task_needs_an_oracle_and_a_control_does_not(tmp_path: Path) -> None:
    (task, *rest) = ordinary_tasks(3)
    del task["oracle"]
    assert reasons(tmp_path, tasks=[task, *rest, *negative_tasks(1)]) == ["oracle-missing"]


@pytest.mark.parametrize(
    ("rules", "slugs"),
    [
        ({"must_pass": []}, ["null-pack-class", "rules-contradict"]),
        ({"must_pass": ["NP-PASS", "NP-PASS"]}, ["rules-contradict"]),
        ({"must_pass": ["NP-PASS", "NP-FAIL"]}, ["rules-contradict", "rules-contradict"]),
        ({"must_pass": ["NP-PASS", "NP-X"]}, ["null-row-unknown"]),
    ],
)
def test_rules_and_rows_agree(rules: dict[str, Any], slugs: list[str], tmp_path: Path) -> None:
    right = {"must_pass": ["NP-PASS"], "must_fail": ["NP-FAIL"], "must_refuse": ["NP-REFUSE"]}
    changes = {"null_pack": {"rules": {**right, **rules}}}
    assert reasons(tmp_path, ordinary=3, negative=1, changes=changes) == slugs


def test_a_null_row_is_no_task_of_the_exam(tmp_path: Path) -> None:
    rows = [{**NULL_ROWS[0], "prompt": "Say 2."}, *NULL_ROWS[1:]]
    assert reasons(tmp_path, ordinary=3, negative=1, null_rows=rows) == ["null-pack-overlap"]


def test_two_tasks_of_one_question_may_have_two_answers(tmp_path: Path) -> None:
    """Only what is the same in all but the id would be counted twice."""
    tasks = ordinary_tasks(2)
    tasks[1]["prompt"] = tasks[0]["prompt"]
    make_protocol(tmp_path, tasks=[*tasks, *negative_tasks(1)])


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        (["demo.v1", "dem0.v1"], ["demo.v1"]),
        (["a-l", "a-1", "a-i"], ["a-i", "a-l"]),
        (["a_b", "a.b", "a-b"], ["a.b", "a_b"]),
        (["repair.v1", "repair.v2"], []),
    ],
)
def test_ids_that_are_easily_mistaken_are_told(ids: list[str], found: list[str]) -> None:
    assert [fault.file.rsplit("/", 1)[-1] for fault in confusable_ids(ids)] == found


def test_names_that_a_site_needs_are_not_the_owners() -> None:
    names = ["ledger/x", "SHA256SUMS", "tasks/ledger", "ledger.txt"]
    assert [fault.found for fault in reserved_names("protocols/demo.v1", names)] == ["ledger/x", "SHA256SUMS"]


def test_an_exam_without_ordinary_tasks_is_under_its_floor(tmp_path: Path) -> None:
    assert "pack-below-min-n" in reasons(
        tmp_path, tasks=negative_tasks(1), changes={"publish": {"min_n": 3, "min_n_negative": 1}}
    )


def with_files(*named: str, **task: Any) -> list[dict[str, Any]]:
    first, *rest = ordinary_tasks(3)
    return [{**first, "files": list(named), **task}, *rest, *negative_tasks(1)]


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("tasks.jsonl", "tasks.jsonl (the dataset)"),
        ("./null_pack.jsonl", "null_pack.jsonl (the null pack)"),
        ("metric.py", "metric.py (the metric)"),
        ("protocol.yaml", "protocol.yaml (the protocol)"),
        ("salt", "salt (the salt)"),
        ("oracles/more.txt", "oracles/more.txt (oracles)"),
        ("oracles", "oracles (oracles)"),
        ("data/a.txt", None),
        ("data", None),
    ],
)
def test_no_solver_is_given_what_it_may_not_see(named: str, found: str | None, tmp_path: Path) -> None:
    files = {"data/a.txt": "a\n", "oracles/more.txt": "x", "salt": "0" * 64 + "\n"}
    if found is None:
        make_protocol(tmp_path, tasks=with_files("data/a.txt", named), files=files)
        return
    with pytest.raises(Refused) as caught:
        make_protocol(tmp_path, tasks=with_files("data/a.txt", named), files=files)
    assert [(one.slug, one.path, one.found) for one in caught.value.refusals] == [
        ("rules-contradict", "line 1/files/1", found)
    ]


def test_an_oracle_is_kept_back_wherever_it_lies(tmp_path: Path) -> None:
    """Of another task as of its own, and in a folder that holds it."""
    oracles = {f"answers/{i}.txt": str(i) for i in (1, 2, 3)}
    tasks = [{**task, "oracle": f"./answers/{i}.txt"} for i, task in enumerate(ordinary_tasks(3), start=1)]
    rows = [NULL_ROWS[0], {**NULL_ROWS[1], "files": ["answers/2.txt", "answers"]}, NULL_ROWS[2]]
    parts = {"dataset": {"oracle": "path"}, "null_pack": {"oracle": "inline"}}
    with pytest.raises(Refused) as caught:
        make_protocol(tmp_path, tasks=[*tasks, *negative_tasks(1)], null_rows=rows, files=oracles, changes=parts)
    assert [(one.file.rsplit("/", 1)[-1], one.path, one.found) for one in caught.value.refusals] == [
        ("null_pack.jsonl", "line 2/files/0", "answers/2.txt (an oracle)"),
        ("null_pack.jsonl", "line 2/files/1", "answers (an oracle)"),
    ]


def test_a_pack_that_is_a_folder_is_kept_back_with_all_that_lies_in_it(tmp_path: Path) -> None:
    tasks = [{**task, "oracle": "1"} for task in with_files("pack/plan.txt", "tasks.jsonl", "pack/T-001.json")]
    files = {f"pack/{task['id']}.json": json.dumps(task) for task in tasks} | {"pack/plan.txt": "x"}
    parts = {"dataset": {"path": "./pack", "oracle": "inline"}}
    with pytest.raises(Refused) as caught:
        make_protocol(tmp_path, tasks=tasks, files=files, changes=parts)
    assert [(one.slug, one.found) for one in caught.value.refusals] == [
        ("rules-contradict", "pack/plan.txt (the dataset)"),
        ("rules-contradict", "pack/T-001.json (the dataset)"),
    ]


@pytest.mark.parametrize(
    ("forbidden", "places"),
    [
        (["single_percentage_only", "headline", "isolation", "clusters"], []),
        (["mean"], [0]),
        (["headline", "artifact_sha256", "success"], [1, 2]),
    ],
)
def test_a_field_of_every_report_cannot_be_forbidden(forbidden: list[str], places: list[int], tmp_path: Path) -> None:
    changes = {"publish": {"forbidden_fields": forbidden}}
    if not places:
        make_protocol(tmp_path, ordinary=3, negative=1, changes=changes)
        return
    with pytest.raises(Refused) as caught:
        make_protocol(tmp_path, ordinary=3, negative=1, changes=changes)
    found = [(one.slug, one.path, one.found) for one in caught.value.refusals]
    assert found == [("rules-contradict", f"/publish/forbidden_fields/{at}", forbidden[at]) for at in places]


def clustered(*topics: Any) -> list[dict[str, Any]]:
    """Tasks with these values of a field ``topic``, the ordinary ones first, two negative controls last."""
    rows = [*ordinary_tasks(len(topics) - 2), *negative_tasks(2)]
    return [row if topic is None else {**row, "topic": topic} for row, topic in zip(rows, topics, strict=True)]


@pytest.mark.parametrize(
    ("topics", "method", "fault"),
    [
        (("a", "a", "b", "a", "b"), "clopper-pearson", ("rules-contradict", "/publish/ci_method", "clopper-pearson")),
        (("a", "a", "a", "a", "b"), "wilson", ("rules-contradict", "/dataset/cluster", "a")),
        (("a", "a", "b", "b", "b"), "wilson", ("rules-contradict", "/dataset/cluster", "b")),
        (("a", None, "b", "a", "b"), "wilson", ("field-missing", "line 2/topic", "nothing")),
        (("a", 7, "b", "a", "b"), "wilson", ("field-type", "line 2/topic", "7")),
        (("a", "", "b", "a", "b"), "wilson", ("field-type", "line 2/topic", "")),
    ],
)
def test_clusters_leave_an_interval(
    topics: tuple[Any, ...], method: str, fault: tuple[str, str, str], tmp_path: Path
) -> None:
    changes = {"dataset": {"cluster": "topic"}, "publish": {"ci_method": method}}
    with pytest.raises(Refused) as caught:
        make_protocol(tmp_path, tasks=clustered(*topics), changes=changes)
    assert [(refusal.slug, refusal.path, refusal.found) for refusal in caught.value.refusals] == [fault]


@pytest.mark.parametrize("form", ["path", "inline"])
def test_an_oracle_of_the_null_pack_is_a_file_only_where_the_pack_says_so(form: str, tmp_path: Path) -> None:
    """An inline oracle may read like a path, without being one."""
    rows = [{**NULL_ROWS[0], "oracle": "answers/yes.txt"}, {**NULL_ROWS[1], "oracle": "answers/no.txt"}, NULL_ROWS[2]]
    given: dict[str, Any] = {
        "tasks": with_files("answers/yes.txt"),
        "null_rows": rows,
        "files": {"answers/yes.txt": "yes", "answers/no.txt": "no"},
        "changes": {"null_pack": {"oracle": form}},
    }
    if form == "inline":
        assert make_protocol(tmp_path, **given) == "demo.v1"
        return
    with pytest.raises(Refused) as caught:
        make_protocol(tmp_path, **given)
    assert [(one.slug, one.path, one.found) for one in caught.value.refusals] == [
        ("rules-contradict", "line 1/files/0", "answers/yes.txt (an oracle)")
    ]
