"""Berkeley Function Calling Leaderboard: single-turn result files of versions 3 and 4.

Beside the results may stand the possible answers (then a call that the leaderboard accepts is brought to the form of
the first accepted one, so that equal bytes mean a match), the task files (what was planned) and the score files
(verdicts).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sitegen.harness.foreign.bfcl_answers import Answer, as_accepted
from sitegen.harness.foreign.bfcl_calls import decode
from sitegen.harness.foreign.calls import Call, as_artifact
from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.sample import Importer, Reading, Sample
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.values import Fields, whole

_PARTS = ("results", "answers", "tasks", "scores")
_BROUGHT_TO_FORM = "calls that the possible answers accept were brought to the form of the first accepted one"
_NAME = re.compile(r"BFCL_v\d_(?P<category>.+)_score\.json")
_ERROR = re.compile(
    r"Error during inference\b|Error code: \d{3}\b|Traceback \(most recent call last\)"
    r"|(?:Unauthorized|Forbidden|Connection error|Request timed out|Rate limit exceeded)\.?\s*\Z"
)
"""What the runner writes in place of an answer when the call failed."""


def _part(file: ForeignFile) -> str | None:
    first = file.first
    if not isinstance(first, dict):
        return None
    if {"accuracy", "total_count"} <= first.keys():
        return "scores"
    parts = {"result": "results", "ground_truth": "answers", "question": "tasks"}
    return next((part for key, part in parts.items() if "id" in first and key in first), None)


def _read(files: Sequence[tuple[str, ForeignFile]], choices: Choices) -> Reading:
    by_part = {part: [file for kind, file in files if kind == part] for part in _PARTS}
    if not by_part["results"]:
        found = f"only {' and '.join(part for part, some in by_part.items() if some)}"
        hint = "give the BFCL_*_result.json files with it"
        files[0][1].refuse("import-unsupported", "the model's results", found, hint=hint)
    answers = {row.identifier("id"): row.items("ground_truth") for file in by_part["answers"] for row in file.rows()}
    planned = [row.identifier("id") for file in by_part["tasks"] for row in file.rows()]
    verdicts = _Verdicts(by_part["scores"])
    return Reading(
        samples=_samples(by_part["results"], answers, verdicts),
        planned=planned or None,
        limits=(_BROUGHT_TO_FORM,) if answers else (),
    )


class _Verdicts:
    """The leaderboard's verdicts: a score file names the failed tasks of its category only."""

    def __init__(self, files: Sequence[ForeignFile]) -> None:
        self._categories: set[str] = set()
        self._failed: set[str] = set()
        for file in files:
            if match := _NAME.fullmatch(file.name):
                self._categories.add(match["category"])
            for row in file.rows():
                if row.any("id") is not None:
                    self._categories.add(row.text("test_category") or "")
                    self._failed.add(row.identifier("id"))

    def of(self, task_id: str) -> dict[str, bool]:
        known = task_id.rpartition("_")[0] in self._categories
        return {"bfcl": task_id not in self._failed} if known else {}


def _samples(files: Sequence[ForeignFile], answers: Mapping[str, Answer], verdicts: _Verdicts) -> Iterator[Sample]:
    for file in files:
        route = _route(file)
        for row in file.rows():
            yield _sample(row, route, answers, verdicts)


def _route(file: ForeignFile) -> str | None:
    """Return the model's folder below ``result/``, which is the only place where BFCL names the model."""
    parts = file.path.absolute().parent.parts
    index = next((index for index in range(len(parts) - 2, -1, -1) if parts[index] == "result"), None)
    return None if index is None else whole(parts[index + 1])


def _sample(row: Fields, route: str | None, answers: Mapping[str, Answer], verdicts: _Verdicts) -> Sample:
    task_id, result = row.identifier("id"), _single_turn(row)
    failed = row.any("traceback") is not None or (isinstance(result, str) and _ERROR.match(result) is not None)
    calls, artifact = (None, None) if failed else _called(result, answers.get(task_id))
    text = result if isinstance(result, str) else str(result)
    return Sample(
        id=task_id,
        place=row,
        status="error" if failed else "ok",
        answer=text if calls is None and not failed else artifact,
        said=text if calls == [] else None,
        route=route,
        calls=None if failed else len(calls or ()),
        wall_clock_sec=row.seconds("latency"),
        files_touched=0,  # there is no file to touch: the answer to a BFCL task is a text
        tokens_in=row.count("input_token_count"),
        tokens_out=row.count("output_token_count"),
        scores=verdicts.of(task_id),
        labels={} if route is None else {"provider": route},
        extra={"error": text[:2000]} if failed else {},
    )


def _called(result: Any, answer: Answer | None) -> tuple[list[Call] | None, str | None]:
    """Return (calls, artifact): no artifact without a call; no calls (``None``) for what has no canonical form."""
    calls = decode(result)
    try:
        return calls, as_artifact(as_accepted(calls, answer)) if calls else None
    except (TypeError, ValueError, RecursionError):
        return None, None


def _single_turn(row: Fields) -> Any:
    result = row.any("result")
    texts = isinstance(result, list) and len(result) == 1 and isinstance(result[0], str)
    if texts:
        return result[0]
    single = isinstance(result, str) or (isinstance(result, list) and all(isinstance(call, dict) for call in result))
    if not single or isinstance(row.any("latency"), list):
        hint = "multi-turn and agentic categories are not imported"
        row.refuse("import-unsupported", "the answer of a single turn", result, "result", hint)
    return result


IMPORTER = Importer(
    name="bfcl",
    title="BFCL results",
    part=_part,
    read=_read,
    called=True,
    fields={
        "task_id": "id",
        "status": "a traceback, or the runner's error text in place of a result",
        "artifact": "the calls in result as canonical JSON, in the first possible answer's form where they match it",
        "route": "folder below result/",
        "tool_calls": "calls in result",
        "wall_clock_sec": "latency",
        "tokens_in": "input_token_count",
        "tokens_out": "output_token_count",
    },
    limits=("an answer in prose is one without a call: the data cannot tell a refusal from chatter",),
)
