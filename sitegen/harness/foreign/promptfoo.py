"""promptfoo exports: JSON (versions 2 and 3), JSON Lines, and CSV."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.promptfoo_csv import is_export, table_samples
from sitegen.harness.foreign.sample import Importer, Label, Reading, Sample
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.values import Fields
from sitegen.read.transcript import Status

VERSIONS = (2, 3)
_ERROR = 2  # promptfoo's failureReason: 0 none, 1 an assertion, 2 an error


def _part(file: ForeignFile) -> str | None:
    if file.shape == "csv":
        return "csv" if is_export(file) else None
    first = file.first
    if not isinstance(first, dict):
        return None
    if {"provider", "prompt", "vars", "success"} <= first.keys():
        return "rows"
    results = first.get("results")
    return "export" if isinstance(results, dict) and {"version", "results", "stats"} <= results.keys() else None


def _read(files: Sequence[tuple[str, ForeignFile]], choices: Choices) -> Reading:
    planned = [task_id for part, file in files if part == "export" for task_id in _planned(file, choices)]
    return Reading(
        samples=(sample for part, file in files for sample in _samples(part, file, choices)),
        planned=dict.fromkeys(planned) if planned else None,
        notes=() if planned else ("the export names no test without a result; give --plan to see what is missing",),
    )


def _samples(part: str, file: ForeignFile, choices: Choices) -> Iterator[Sample]:
    if part == "csv":
        return table_samples(file, choices)
    if part == "rows":
        return (_sample(row, choices, {}) for row in file.rows())
    return _exported(file, choices)


def _exported(file: ForeignFile, choices: Choices) -> Iterator[Sample]:
    results = Fields(file.document, file.shown, "").object("results")
    if (version := results.any("version")) not in VERSIONS:
        file.refuse(
            "import-unsupported", f"version {' or '.join(map(str, VERSIONS))}", str(version), where=results.where
        )
    order = _order(results)
    return (_sample(row, choices, order) for row in results.objects("results"))


def _order(results: Fields) -> dict[str, int]:
    """Version 2 does not number its tests: return the variables of each, as text → its place in the table."""
    table = results.object("table")
    names = table.object("head").items("vars")
    rows = (dict(zip(names, row.items("vars"), strict=False)) for row in table.objects("body"))
    return {_as_text(variables): index for index, variables in enumerate(rows)}


def _planned(file: ForeignFile, choices: Choices) -> Iterator[str]:
    """Yield the ids of the tests that the configuration spells out, where each is one test."""
    config = Fields(file.document, file.shown, "").object("config")
    tests = config.any("tests")
    if not isinstance(tests, list) or config.any("scenarios") or config.object("evaluateOptions").any("repeat"):
        return
    variables = [test.get("vars") if isinstance(test, dict) else None for test in tests]
    if any(not isinstance(row, dict) or any(isinstance(part, list) for part in row.values()) for row in variables):
        return  # a list of values makes several tests of one
    for index, test in enumerate(config.objects("tests")):
        yield str(index) if choices.id_field is None else test.identified(choices.id_field)


def _sample(row: Fields, choices: Choices, order: dict[str, int]) -> Sample:
    response, provider = row.object("response"), _provider(row)
    usage = response.object("tokenUsage")
    status = _status(row, response)
    error = response.any("error") or (row.any("error") if status == "error" else None)
    cost = response.number("cost")
    return Sample(
        id=_identifier(row, choices, order),
        place=row,
        status=status,
        answer=None if response.any("output") is None else _as_text(response.any("output")),
        route=provider,
        wall_clock_sec=row.seconds("latencyMs", 1000),
        tokens_in=usage.count("prompt"),
        tokens_out=usage.count("completion"),
        cost_usd=row.number("cost") if cost is None else cost,
        scores={"success": row.any("success")},
        labels=_labels(row, provider),
        metadata={**row.object("testCase").object("metadata").value, **row.object("metadata").value},
        extra={"error": str(error)} if error else {},
    )


def _provider(row: Fields) -> str | None:
    if isinstance(row.any("provider"), str):
        return row.text("provider")
    provider = row.object("provider")
    return provider.text("label") or provider.text("id")


def _labels(row: Fields, provider: str | None) -> dict[Label, str]:
    prompt = row.object("prompt")
    labels: dict[Label, str | None] = {"provider": provider, "prompt": prompt.text("label") or row.text("promptId")}
    return {name: value for name, value in labels.items() if value}


def _status(row: Fields, response: Fields) -> Status:
    failed = row.any("failureReason") == _ERROR or response.any("error") is not None
    if failed or (row.any("error") is not None and response.any("output") is None):
        return "error"
    refused = response.any("isRefusal") is True or response.object("guardrails").any("flagged") is True
    return "blocked" if refused or response.any("finishReason") == "content_filter" else "ok"


def _identifier(row: Fields, choices: Choices, order: dict[str, int]) -> str:
    if choices.id_field is not None:
        return row.identified(choices.id_field)
    if row.any("testIdx") is not None:
        return row.identifier("testIdx")
    index = order.get(_as_text(row.object("vars").value))
    return Fields({"vars": index}, row.file, row.where).identifier("vars")


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


IMPORTER = Importer(
    name="promptfoo",
    title="promptfoo export",
    part=_part,
    read=_read,
    fields={
        "task_id": "testIdx (in a CSV the row's number from 0), or the field named by --id-field (vars.…)",
        "status": "error without output or failureReason 2; isRefusal, guardrails, finishReason content_filter",
        "artifact": "response.output, JSON-encoded where it is no text",
        "route": "provider label, else provider id",
        "wall_clock_sec": "latencyMs",
        "tokens_in": "response.tokenUsage.prompt",
        "tokens_out": "response.tokenUsage.completion",
        "cost_usd": "cost",
    },
    limits=("promptfoo may answer from its cache: a time is then that of the cache",),
)
