"""A judge's recorded verdicts, and the receipt of a re-scoring: what a build cannot repeat, kept with its digest."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sitegen.read.decoding import decoded, decoded_lines
from sitegen.read.files import SourceFile
from sitegen.read.schema import DigestText, Format, Identifier, TaskId, Time
from sitegen.read.transcript import Pack


class Verdict(Format, frozen=True, kw_only=True, rename={"passed": "pass"}):
    """What the judge said of one answer: the served model's name and its raw reply."""

    task_id: TaskId
    pack: Pack
    passed: bool
    model: str | None = None
    reply: str | None = None


class Receipt(Format, frozen=True, kw_only=True):
    """Says that the publisher ran the sealed metric over the sealed transcripts and got the stated outcomes."""

    schema: Annotated[Literal["agent-bench-receipt/v1"], Meta(extra={"slug": "schema-unknown"})]
    run_id: Identifier
    report_sha256: DigestText
    metric_sha256: DigestText
    transcripts_sha256: DigestText
    tool: str
    time: Time


def read_verdicts(source: SourceFile) -> tuple[Verdict, ...]:
    """Return the verdicts in ``source``.

    Raises:
        Refused: every fault of form.
    """
    return decoded_lines(source.data, Verdict, source.path)


def write_verdict(verdict: Verdict) -> bytes:
    """Return ``verdict`` as one line."""
    return msgspec.json.encode(verdict) + b"\n"


def read_receipt(source: SourceFile) -> Receipt:
    """Return the receipt in ``source``.

    Raises:
        Refused: every fault of form.
    """
    return decoded(source.data, Receipt, source.path)
