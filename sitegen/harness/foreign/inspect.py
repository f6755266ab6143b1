"""Inspect AI logs, version 2: ``.eval`` archives (stored, deflated or Zstandard members) and ``.json``.

Format: the log's own schema as published with inspect_ai (``EvalLog``, ``EvalSample``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from sitegen.harness.foreign.archive import Archive, opened_archive
from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.sample import Importer, Reading, Sample
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.values import Fields, utc_time
from sitegen.read.strict import parse_json
from sitegen.read.transcript import Status
from sitegen.refusals import Refused

VERSION = 2
_HEADERS = ("header.json", "_journal/start.json")  # the second is all that a crashed run leaves
_TIME_LIMITS = ("time", "working")
_T = TypeVar("_T")


def _part(file: ForeignFile) -> str | None:
    if file.shape == "zip":
        try:
            with opened_archive(file) as archive:
                return "eval" if any(name in _HEADERS for name in archive.names) else None
        except Refused:
            if file.name.endswith(".eval"):
                raise  # it says that it is a log, so say what is wrong with it
            return None
    document = file.first
    return "json" if isinstance(document, dict) and {"eval", "version", "status"} <= document.keys() else None


def _read(files: Sequence[tuple[str, ForeignFile]], choices: Choices) -> Reading:
    logs = [_Log(file, part) for part, file in files]
    planned = [task_id for log in logs for task_id in log.planned()]
    return Reading(
        samples=(sample for log in logs for sample in log.samples()),
        planned=dict.fromkeys(planned) if planned else None,
        notes=tuple(note for log in logs for note in log.notes()),
        limits=tuple(limit for log in logs for limit in log.limits()),
    )


class _Log:
    """One log: its header, and its samples read one at a time."""

    def __init__(self, file: ForeignFile, part: str) -> None:
        self._file, self._part = file, part
        self._header = Fields(self._read_header(), file.shown, "")
        if self._header.any("version") != VERSION:
            found = f"version {self._header.any('version')}"
            hint = "write the log again with `inspect log convert`"
            file.refuse(
                "import-unsupported", f"an Inspect log of version {VERSION}", found, where="/version", hint=hint
            )
        self._eval = self._header.object("eval")
        self._model = self._eval.text("model")

    def _read_header(self) -> Any:
        if self._part == "json":
            return self._file.document
        with opened_archive(self._file) as archive:
            name = next(name for name in _HEADERS if name in archive.names)
            return parse_json(archive.read(name), f"{self._file.shown}:{name}", any_number=True)

    def planned(self) -> list[str]:
        """Ids of the planned samples, as far as the log names them."""
        return [str(task_id) for task_id in self._eval.object("dataset").items("sample_ids")]

    def limits(self) -> Iterator[str]:
        """What the page must say of this log."""
        status = self._header.text("status") or "started"
        if status != "success":
            yield f"the source's run ended with the status {status}"

    def notes(self) -> Iterator[str]:
        """What a user should know who imports this log."""
        if not self._eval.object("dataset").items("sample_ids"):
            yield f"{self._file.name}: the log does not name its planned samples; give --plan to see what is missing"

    def samples(self) -> Iterator[Sample]:
        if self._part == "json":
            if not self._header.items("samples"):
                hint = "run Inspect with log_samples=True"
                self._file.refuse("import-unsupported", "samples", "a log without samples", where="/samples", hint=hint)
            yield from map(self._sample, self._header.objects("samples"))
            return
        with opened_archive(self._file) as archive:
            for names in archive.batches(self._members(archive)):
                rows = _together(self._row(archive, name) for name in names)
                yield from _together(map(self._sample, rows))

    def _members(self, archive: Archive) -> list[str]:
        names = [name for name in archive.names if name.startswith("samples/") and name.endswith(".json")]
        if not names:
            hint = "run Inspect with log_samples=True"
            self._file.refuse("import-unsupported", "members in samples/", "none", hint=hint)
        return names

    def _row(self, archive: Archive, name: str) -> Fields:
        shown = f"{self._file.shown}:{name}"
        return Fields(parse_json(archive.read(name), shown, any_number=True), shown, "")

    def _sample(self, row: Fields) -> Sample:
        output = row.object("output")
        tokens_in, tokens_out = self._tokens(row, output)
        limit = row.object("limit").text("type")
        retries = row.any("error_retries")
        return Sample(
            id=row.identifier("id"),
            place=row,
            status=_status(row, output, limit),
            answer=_answer(output),
            route=output.text("model") or self._model,
            retries=len(row.items("error_retries")) if retries is not None else None,
            tools=_tools(row),
            wall_clock_sec=row.seconds("total_time"),
            started=utc_time(row.text("started_at")),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            scores=_scores(row),
            labels={"attempt": str(row.count("epoch") or 1)},
            metadata=row.object("metadata").value,
            extra=_extra(row, output, limit, self._model),
        )

    def _tokens(self, row: Fields, output: Fields) -> tuple[int | None, int | None]:
        """Tokens of the evaluated model over the whole sample; else of its last output."""
        usage = row.object("model_usage")
        own = usage.object(self._model) if self._model in usage.value else output.object("usage")
        return own.count("input_tokens"), own.count("output_tokens")


def _together(items: Iterable[_T]) -> Iterator[_T]:
    """Yield ``items`` that are all made before the first is used: the same work in a row is far quicker than by turns.

    A refusal comes where it would come otherwise, after the items before it.
    """
    made: list[_T] = []
    refusal: Refused | None = None
    try:
        for item in items:
            made.append(item)
    except Refused as refused:
        refusal = refused
    yield from made
    if refusal is not None:
        raise refusal


def _scores(row: Fields) -> dict[str, Any]:
    if row.any("scores") is None and row.any("score") is not None:
        return {"score": row.object("score").any("value")}
    scores = row.object("scores")
    return {name: Fields(score, row.file, scores, name).any("value") for name, score in scores.value.items()}


def _status(row: Fields, output: Fields, limit: str | None) -> Status:
    if limit in _TIME_LIMITS:
        return "timeout"
    if row.any("error") is not None or output.text("error"):
        return "error"
    choices = output.objects("choices")
    return "blocked" if choices and choices[0].text("stop_reason") == "content_filter" else "ok"


def _answer(output: Fields) -> str | None:
    completion = output.text("completion")
    if completion is not None:
        return completion
    choices = output.objects("choices")
    message = choices[0].object("message") if choices else None
    if message is None or not isinstance(message.any("content"), list):
        return message.text("content") if message else None
    parts = [part.text("text") or "" for part in message.objects("content") if part.text("type") == "text"]
    return "\n".join(parts)


def _tools(row: Fields) -> list[str] | None:
    """Names of the tools that the assistant called, from the whole conversation; ``None`` without one."""
    if row.any("messages") is None:
        return None
    calling = [
        row.at("messages", index, message)
        for index, message in enumerate(row.items("messages"))
        if isinstance(message, dict) and message.get("role") == "assistant" and message.get("tool_calls")
    ]
    return [call.text("function") or "?" for message in calling for call in message.objects("tool_calls")]


def _extra(row: Fields, output: Fields, limit: str | None, model: str | None) -> dict[str, Any]:
    extra: dict[str, Any] = {} if model is None else {"requested_model": model}
    if limit is not None:
        extra["limit"] = limit
    error = row.any("error")
    message = (error.get("message") if isinstance(error, dict) else error) or output.any("error")
    if message is not None:
        extra["error"] = message
    return extra


IMPORTER = Importer(
    name="inspect",
    title="Inspect AI log",
    part=_part,
    read=_read,
    fields={
        "task_id": "sample id",
        "status": "error, limit (time, working), stop_reason content_filter",
        "artifact": "output.completion, else the text of the first choice",
        "route": "output.model, else eval.model",
        "retries": "length of error_retries",
        "tool_calls": "tool calls of the assistant's messages",
        "tools_used": "functions of these calls",
        "wall_clock_sec": "total_time",
        "started": "started_at",
        "tokens_in": "model_usage of the evaluated model: input_tokens",
        "tokens_out": "model_usage of the evaluated model: output_tokens",
    },
    limits=("Inspect counts retries of whole samples; retries of single model calls are not among them",),
)
