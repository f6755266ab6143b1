"""Transcripts: what the solver did with each task, one JSON object a line."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from sitegen.read.decoding import decoded_lines
from sitegen.read.files import SourceFile
from sitegen.read.schema import Amount, Count, DigestText, Format, Seconds, TaskId, Time

TRANSCRIPTS_NAME = "transcripts.jsonl"
Pack = Literal["dataset", "null_pack"]
Status = Literal["ok", "error", "timeout", "blocked", "unparseable", "not_run"]

_OPTIONAL = ("started", "tokens_in", "tokens_out", "cost_usd", "trace_sha256", "extra")


class Transcript(Format, frozen=True, kw_only=True, omit_defaults=True):
    """What the solver did with one task.

    ``abstained`` is null (unknown) only in exploratory transcripts. ``artifact`` null and ``""`` are both no artifact.
    Covariates that were not recorded are null, never 0: retries and tool calls are counts, ``wall_clock_sec`` seconds.
    ``extra`` is free and never rendered as a rate.
    """

    task_id: TaskId
    pack: Pack
    status: Status
    abstained: bool | None
    artifact: str | None
    route: str | None
    retries: Count | None
    tool_calls: Count | None
    tools_used: tuple[str, ...] | None = None
    wall_clock_sec: Seconds | None
    files_touched: Count | None = None
    started: Time | None = None
    tokens_in: Count | None = None
    tokens_out: Count | None = None
    cost_usd: Amount | None = None
    trace_sha256: DigestText | None = None
    extra: dict[str, Any] | None = None

    @property
    def has_artifact(self) -> bool:
        """Whether there is an artifact: null and the empty string are none."""
        return bool(self.artifact)

    @property
    def touched(self) -> bool:
        """Whether the solver is known to have touched a file."""
        return bool(self.files_touched)


_encode = msgspec.json.Encoder().encode
_Line: Any = msgspec.defstruct(
    "_Line",
    [(name, Any, None) if name in _OPTIONAL else (name, Any) for name in Transcript.__struct_fields__],
    omit_defaults=True,
)  # a transcript as it is written: what is no optional field stands there even where it is null


def read_transcripts(source: SourceFile) -> tuple[Transcript, ...]:
    """Return the transcripts in ``source``, in order.

    Raises:
        Refused: every fault of form.
    """
    return decoded_lines(source.data, Transcript, source.path)


def write_transcript(transcript: Transcript) -> bytes:
    """Return ``transcript`` as one line, in the order of the format; optional fields without a value are left out."""
    return _encode(_Line(*msgspec.structs.astuple(transcript))) + b"\n"


def with_task_id(transcript: Transcript, task_id: str) -> Transcript:
    """Return ``transcript`` under another id."""
    return msgspec.structs.replace(transcript, task_id=task_id)
