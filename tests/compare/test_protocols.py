"""Two versions of an exam: every kind of change, and the verdict that follows from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from sitegen.compare.changes import FieldChange, RowsChange
from sitegen.compare.protocols import FIELDS, ProtocolDifference, compare_protocols
from sitegen.compare.versions import ProtocolVersion, version_of
from sitegen.compare.wording import as_object
from sitegen.read.protocol import SealedProtocol
from tests.sites import NULL_ROWS, Row, judge, make_protocol, negative_tasks, ordinary_tasks

TASKS = [*ordinary_tasks(20), *negative_tasks(10)]


def version(root: Path, protocol_id: str, **made: Any) -> ProtocolVersion:
    make_protocol(root, protocol_id, **made)
    protocol = judge(root, protocol_id).protocol
    assert protocol is not None
    return version_of(protocol)


def difference(root: Path, old: dict[str, Any] | None = None, **new: Any) -> ProtocolDifference:
    return compare_protocols(version(root, "demo.v1", **(old or {})), version(root, "demo.v2", **new))


def replaced(index: int, **fields: Any) -> list[Row]:
    return [{**row, **fields} if i == index else row for i, row in enumerate(TASKS)]


def null_rows(**fields: Any) -> list[Row]:
    return [{**NULL_ROWS[0], **fields}, *NULL_ROWS[1:]]


OTHER_METRIC = 'def score(result, oracle_path):\n    return {"pass": True, "metric": "all pass"}\n'

CASES: list[tuple[str, dict[str, Any], str, set[str]]] = [
    ("only the label", {"changes": {"title": "Another title"}}, "same", {"label"}),
    ("rows in another order", {"tasks": [*TASKS[1:], TASKS[0]]}, "same", {"label"}),
    ("another oracle", {"tasks": replaced(0, oracle="one")}, "re-score", {"label", "answer"}),
    ("another kind", {"tasks": [*replaced(19, kind="negative")]}, "re-score", {"label", "answer", "publishing"}),
    ("another metric", {"metric": OTHER_METRIC}, "re-score", {"label", "metric"}),
    ("a helper of the metric", {"files": {"tables.py": "A = 1\n"}}, "re-score", {"label", "metric"}),
    ("another interval", {"changes": {"publish": {"ci_method": "bootstrap"}}}, "re-score", {"label", "interval"}),
    ("another floor", {"changes": {"publish": {"min_n": 5}}}, "re-score", {"label", "publishing"}),
    ("another null oracle", {"null_rows": null_rows(oracle="aye")}, "re-score", {"label", "answer"}),
    ("another question", {"tasks": replaced(0, prompt="Say 1, please.")}, "re-run", {"label", "question"}),
    ("a task more", {"tasks": [*TASKS, *ordinary_tasks(1, first=99)]}, "re-run", {"label", "added"}),
    ("a task less", {"tasks": TASKS[1:]}, "re-run", {"label", "removed", "publishing"}),
    ("another budget", {"changes": {"budget": {"timeout_sec": 30}}}, "re-run", {"label", "budget"}),
    ("a budget of files", {"changes": {"budget": {"max_files_touched": 3}}}, "re-run", {"label", "budget"}),
    ("another artifact", {"changes": {"dataset": {"artifact": "workspace-diff"}}}, "re-run", {"label", "artifact"}),
    ("another null question", {"null_rows": null_rows(prompt="Say aye.")}, "re-run", {"label", "question"}),
    (
        "other tasks altogether",
        {"tasks": [*ordinary_tasks(20, first=50), *negative_tasks(10, first=50)]},
        "not comparable",
        {"label", "added", "removed"},
    ),
]


@pytest.mark.parametrize(("made", "verdict", "kinds"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_change_has_its_kind_and_its_verdict(
    tmp_path: Path, made: dict[str, Any], verdict: str, kinds: set[str]
) -> None:
    found = difference(tmp_path, {"tasks": TASKS}, **{"tasks": TASKS, **made})
    assert found.verdict == verdict
    assert {change.kind for change in found.changes} == kinds


def test_every_kind_of_change_is_met_by_a_case() -> None:
    met = {kind for case in CASES for kind in case[3]} | {"rules"}
    assert met == {kind.kind for base in (FieldChange, RowsChange) for kind in base.__subclasses__()}


def test_rules_change_with_the_class_of_a_row(tmp_path: Path) -> None:
    old = [*NULL_ROWS, {"id": "NP-X", "expected_class": "must_fail", "prompt": "Say x.", "oracle": "y"}]
    new = [*NULL_ROWS, {"id": "NP-X", "expected_class": "must_pass", "prompt": "Say x.", "oracle": "y"}]
    found = difference(tmp_path, {"null_rows": old}, null_rows=new)
    assert {change.kind for change in found.changes} == {"label", "rules", "answer"}
    assert found.verdict == "re-score"


def test_files_that_a_task_names_are_part_of_its_question(tmp_path: Path) -> None:
    tasks = replaced(0, files=["fixtures/a.txt", "fixtures/deep"])
    files = {"fixtures/a.txt": "one\n", "fixtures/deep/b.txt": "two\n", "fixtures/unused.txt": "three\n"}
    old = {"tasks": tasks, "files": files}
    changed = difference(tmp_path / "a", old, tasks=tasks, files={**files, "fixtures/deep/b.txt": "2\n"})
    assert changed.dataset.asked == ("T-001",)
    assert changed.verdict == "re-run"
    unused = difference(tmp_path / "b", old, tasks=tasks, files={**files, "fixtures/unused.txt": "3\n"})
    assert unused.dataset.asked == ()
    assert unused.verdict == "re-score"


def test_the_dataset_is_counted_as_added_removed_changed_and_same(tmp_path: Path) -> None:
    new = [*replaced(1, prompt="Say two.")[1:], *ordinary_tasks(3, first=70)]
    found = difference(tmp_path, {"tasks": TASKS}, tasks=new)
    assert (len(found.dataset.added), found.dataset.removed) == (3, ("T-001",))
    assert found.dataset.changed == ("T-002",)
    assert len(found.dataset.same) == 28
    assert as_object(found)["dataset"]["added"] == ["T-070", "T-071", "T-072"]


def leaves(record: type[Any], prefix: str = "") -> set[str]:
    """Dotted paths of all fields of a sealed protocol that hold a value and not a record."""
    found = set()
    for field in msgspec.structs.fields(record):
        kinds = [part for part in (field.type, *get_args(field.type)) if isinstance(part, type)]
        inner = next((part for part in kinds if issubclass(part, msgspec.Struct)), None)
        found |= leaves(inner, f"{prefix}{field.name}.") if inner else {f"{prefix}{field.name}"}
    return found


def test_no_sealed_field_escapes_the_comparison() -> None:
    sealed = {path for path in leaves(SealedProtocol) if not path.startswith("seal.")} - {"schema"}
    assert sealed == {path for _, path in FIELDS}
