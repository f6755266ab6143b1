"""What importers make of a foreign row, before anything is chosen, and what an importer is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.read.schema import Format
from sitegen.read.transcript import Status

Label = Literal["task", "provider", "prompt", "filter", "attempt"]
"""In what rows of one file may differ, so that one value must be chosen."""

_NOTHING: Mapping[Any, Any] = MappingProxyType({})


class Sample(Format, frozen=True, kw_only=True):
    """One row of a foreign file. Made as the formats are, which is the quickest way to a hundred thousand records.

    Attributes:
        id: the source's own id of the task.
        place: where the row stands; its text is for messages.
        status: as in a transcript; a provider's refusal is ``blocked``, a malformed answer ``unparseable``.
        answer: what becomes the artifact; ``None`` or ``""`` is none.
        said: text that is no artifact (prose where a call was asked); kept in ``extra`` as ``answer``.
        route: what answered.
        tools: names of the tools that ran, one a call; ``None`` where calls are not recorded.
        calls: number of calls, where it is not the length of ``tools`` (a call that is the answer itself runs nothing).
        scores: the source's own scores by scorer: carried, never used.
        labels: what the row is one of (attempt, filter, provider, …).
        metadata: the source's own, for ``--abstain-when metadata.KEY=VALUE``.
        extra: whatever else is worth keeping; JSON-ready.
    """

    id: str
    place: object
    status: Status = "ok"
    answer: str | None = None
    said: str | None = None
    route: str | None = None
    retries: int | None = None
    tools: Sequence[str] | None = None
    calls: int | None = None
    wall_clock_sec: float | None = None
    files_touched: int | None = None
    started: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    scores: Mapping[str, Any] = _NOTHING
    labels: Mapping[Label, str] = _NOTHING
    metadata: Mapping[str, Any] = _NOTHING
    extra: Mapping[str, Any] = _NOTHING

    @property
    def tool_calls(self) -> int | None:
        """How many tool calls were made, or ``None``."""
        return len(self.tools) if self.calls is None and self.tools is not None else self.calls


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an importer read: rows as they come, and the tasks that the source says it planned.

    Attributes:
        samples: the rows; read once, lazily.
        planned: ids of every planned task, or ``None`` where the source does not say.
        notes: sentences for the report: what is odd about this source as a whole.
        limits: sentences for the page, beside the importer's own.
    """

    samples: Iterator[Sample]
    planned: Iterable[str] | None = None
    notes: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """One foreign format.

    Attributes:
        name: as typed in ``sitegen import NAME``.
        title: the harness's own name.
        part: tells which part of the format a file is (``results``, ``answers``, …), by content and by name, or
            ``None`` for a file of another format.
        read: reads files, each with its part.
        fields: transcript field → where it comes from.
        limits: what this source does not tell, as sentences for the page.
        called: whether the artifact is what the agent called, so that "made no call" means something.
    """

    name: str
    title: str
    part: Callable[[ForeignFile], str | None]
    read: Callable[[Sequence[tuple[str, ForeignFile]], Choices], Reading]
    fields: Mapping[str, str]
    limits: tuple[str, ...] = ()
    called: bool = False
