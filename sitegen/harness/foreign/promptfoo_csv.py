"""promptfoo's CSV: variables in the first columns, then one column for each provider and prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.sample import Sample
from sitegen.harness.foreign.sources import ForeignFile

_HEAD = re.compile(r"\[(?P<provider>[^\]]+)\] (?P<prompt>.*)", re.DOTALL)
_CELL = re.compile(r"\[(?P<verdict>PASS|FAIL|ERROR)\](?: \((?P<score>[^)]*)\))?\s*(?P<rest>.*)", re.DOTALL)
_REASON = re.compile(r"(?P<answer>.*)\n\n[ \t]*(?:Pass|Fail) Reason: (?P<reason>.*)", re.DOTALL)


def is_export(file: ForeignFile) -> bool:
    """Tell whether a CSV file has at least one column of outputs."""
    rows = file.table()
    head, first = next(rows, []), next(rows, [])
    return any(_HEAD.match(name) and _CELL.match(cell) for name, cell in zip(head, first, strict=False))


def table_samples(file: ForeignFile, choices: Choices) -> Iterator[Sample]:
    """Yield one row for each test and output column."""
    rows = file.table()
    head = next(rows)
    outputs = [(index, match) for index, name in enumerate(head) if (match := _HEAD.fullmatch(name))]
    for number, row in enumerate(rows):
        place = f"record {number + 2}"
        if len(row) != len(head):
            file.refuse("import-unsupported", f"{len(head)} columns", f"{len(row)}", where=place)
        task_id = str(number) if choices.id_field is None else _named(file, head, row, choices.id_field)
        for index, match in outputs:
            yield _sample(file, place, task_id, row[index], match)


def _named(file: ForeignFile, head: Sequence[str], row: Sequence[str], field: str) -> str:
    name = field.removeprefix("vars.")
    if name not in head:
        file.refuse("field-missing", f"a column called {name}", ", ".join(head[:10]))
    return row[head.index(name)]


def _sample(file: ForeignFile, place: str, task_id: str, cell: str, column: re.Match[str]) -> Sample:
    match = _CELL.fullmatch(cell)
    if match is None:
        file.refuse("import-unsupported", "a cell that begins with [PASS], [FAIL] or [ERROR]", cell[:40], where=place)
    verdict, text, reason = match["verdict"], match["rest"], None
    if verdict != "ERROR" and (parts := _REASON.fullmatch(text)):
        text, reason = parts["answer"], parts["reason"]  # the last one; which of the two does not follow the verdict
    failed = verdict == "ERROR"
    return Sample(
        id=task_id,
        place=f"{file.shown} {place}",
        status="error" if failed else "ok",
        answer=None if failed else text,
        route=column["provider"],
        scores={"success": verdict == "PASS"},
        labels={"provider": column["provider"], "prompt": column["prompt"]},
        extra={"error": text} if failed else ({"reason": reason} if reason else {}),
    )
