"""lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, and ``results_<date>.json`` for the model and the plan."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.sample import Importer, Label, Reading, Sample
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.values import Fields

MOST_PLANNED = 1_000_000
_NAME = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d{2}-\d{2}T[\d.\-:]+)?\.jsonl?")
_INVALID = "[invalid]"  # what lm-eval's regex filters leave where nothing matched


def _part(file: ForeignFile) -> str | None:
    first = file.first
    if not isinstance(first, dict):
        return None
    if {"doc_id", "resps", "filtered_resps"} <= first.keys():
        return "samples"
    return "results" if {"results", "configs", "versions"} <= first.keys() else None


def _read(files: Sequence[tuple[str, ForeignFile]], choices: Choices) -> Reading:
    results = [Fields(file.document, file.shown, "") for part, file in files if part == "results"]
    samples = [file for part, file in files if part == "samples"]
    if not samples:
        found = "a results file: aggregate scores without samples"
        hint = "run lm-eval with --log_samples and give the samples_*.jsonl with it"
        files[0][1].refuse("import-unsupported", "samples_*.jsonl", found, hint=hint)
    model = next((name for name in (result.text("model_name") for result in results) if name), None)
    tasks = [_task(file) for file in samples]
    return Reading(
        samples=(sample for file in samples for sample in _samples(file, model, choices)),
        planned=_planned(results, choices.task or tasks[0], choices),
        notes=() if results else ("without results_*.json neither the model nor the planned tasks are known",),
    )


def _planned(results: Sequence[Fields], task: str, choices: Choices) -> list[str] | None:
    """Return the planned document ids: lm-eval numbers the documents it evaluates from 0."""
    if choices.id_field is not None:
        return None
    for result in results:
        number = result.object("n-samples").object(task).count("effective")
        if number is not None and number <= MOST_PLANNED:
            return [str(index) for index in range(number)]
    return None


def _task(file: ForeignFile) -> str:
    match = _NAME.fullmatch(file.name)
    return match["task"] if match else file.name


def _samples(file: ForeignFile, model: str | None, choices: Choices) -> Iterator[Sample]:
    task = _task(file)
    for row in file.rows():
        labels: dict[Label, str] = {"task": task}
        if (name := row.text("filter")) is not None:
            labels["filter"] = name
        answers = _answers(row)
        for number, answer in enumerate(answers, start=1):
            attempt: dict[Label, str] = {"attempt": str(number)} if len(answers) > 1 else {}
            yield _sample(row, answer, model, labels | attempt, choices)


def _sample(row: Fields, answer: str | None, model: str | None, labels: dict[Label, str], choices: Choices) -> Sample:
    return Sample(
        id=_identifier(row, choices),
        place=row,
        status="unparseable" if answer == _INVALID else "ok",
        answer=None if answer == _INVALID else answer,
        route=model,
        scores={str(name): row.any(str(name)) for name in row.items("metrics")},
        labels=labels,
        metadata=row.object("doc").value,
        extra={"doc_hash": row.any("doc_hash")} if row.any("doc_hash") is not None else {},
    )


def _identifier(row: Fields, choices: Choices) -> str:
    if choices.id_field is None:
        return row.identifier("doc_id")
    return row.identified(choices.id_field)


def _answers(row: Fields) -> list[str | None]:
    """Return the answer of every repeat, after the filter: a text, or the number of the likeliest choice."""
    filtered = row.items("filtered_resps")
    if len(filtered) > 1 and all(isinstance(item, list) for item in filtered):
        return [_likeliest(filtered, row)]
    if len(filtered) != 1:
        _refuse(row, "one filtered response, or one a choice", f"{len(filtered)}")
    answers = filtered[0] if isinstance(filtered[0], list) else filtered
    if not all(isinstance(answer, str) or answer is None for answer in answers) or _is_likelihood(answers):
        _refuse(row, "a text that the model wrote", "log-likelihoods: no answer was generated")
    return answers or [None]


def _is_likelihood(pair: Sequence[Any]) -> bool:
    return len(pair) == 2 and str(pair[1]) in ("True", "False")


def _likeliest(pairs: Sequence[Any], row: Fields) -> str:
    """Return the index of the choice with the greatest log-likelihood, the first of equals, as lm-eval does."""
    try:
        values = [float(pair[0]) for pair in pairs]
    except (TypeError, ValueError, IndexError):
        _refuse(row, "a log-likelihood a choice", "something else")
    if any(math.isnan(value) for value in values):
        _refuse(row, "a log-likelihood a choice", "NaN")
    return str(values.index(max(values)))


def _refuse(row: Fields, expected: str, found: str) -> NoReturn:
    row.refuse("import-unsupported", expected, found, "filtered_resps")


IMPORTER = Importer(
    name="lm-eval",
    title="lm-evaluation-harness samples",
    part=_part,
    read=_read,
    fields={
        "task_id": "doc_id, or the field named by --id-field (doc.…)",
        "status": "the filter's [invalid]",
        "artifact": "filtered_resps; for multiple choice the index of the likeliest choice",
        "route": "model_name in results_*.json",
    },
    limits=(
        "lm-eval records neither time nor tokens a document",
        "inference errors end an lm-eval run, so none can be among its samples",
    ),
)
