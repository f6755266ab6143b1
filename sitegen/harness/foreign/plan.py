"""The exam's own list of tasks, so that an import leaves none of them out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sitegen.harness.foreign.choices import Slice
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.values import Fields


def read_plan(paths: Sequence[Path]) -> dict[str, Slice]:
    """Return every task of the given task files and null packs (JSON Lines), with its slice, in order.

    Raises:
        Refused: a row without an id, or an id that stands twice (``outcome-duplicate``).
    """
    plan: dict[str, Slice] = {}
    for path in paths:
        file = ForeignFile(path)
        for row in file.rows():
            task_id = row.identifier("id")
            if task_id in plan:
                file.refuse("outcome-duplicate", "each task once", task_id, where=row.where)
            plan[task_id] = _slice(row)
    return plan


def read_ids(path: Path) -> dict[str, str]:
    """Return a JSON object of the source's id → the exam's id.

    Raises:
        Refused: it is not an object of texts, or two ids become one.
    """
    file = ForeignFile(path)
    table = Fields(file.document, file.shown, "")
    ids = {name: table.text(name) or "" for name in table.value}
    if "" in ids.values() or len(set(ids.values())) != len(ids):
        file.refuse("field-range", "a different, non-empty id for each", "an empty or repeated one")
    return ids


def _slice(row: Fields) -> Slice:
    if row.any("expected_class") is not None:
        return "null_pack"
    return "negative" if row.text("kind") == "negative" else "ordinary"
