"""What an import found: counted while the rows pass, shown as a table and as JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from sitegen.harness.foreign.choices import Slice
from sitegen.harness.foreign.sample import Importer
from sitegen.read.transcript import Status, Transcript
from sitegen.refusals.message import escape

MOST_EXAMPLES = 3
_COVARIATES = (
    "route", "retries", "tool_calls", "tools_used", "wall_clock_sec", "files_touched",
    "started", "tokens_in", "tokens_out", "cost_usd",
)  # fmt: skip
_of_covariates = attrgetter(*_COVARIATES)
_PUBLISHED = ("retries", "tool_calls", "wall_clock_sec")

_Kind = tuple[Slice | None, Status, bool | None, bool, tuple[bool, ...]]
"""(slice, status, abstained, has an artifact, has each covariate): all that is counted of a transcript, at once."""


@dataclass(slots=True)
class Tally:
    """How many rows something is true of, and the first few of their ids."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, task_id: str) -> None:
        """Count one more row."""
        self.count += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(task_id)


@dataclass(slots=True, kw_only=True)
class Findings:
    """The report of an import; complete when its transcripts have been read to the end.

    Attributes:
        files: name, part and digest of every source file.
        notes: what is odd about the source as a whole.
        source_limits: what the source does not tell, apart from what is counted here.
        rows: rows that the source holds, before anything is chosen.
        verdicts: the source's own scores, counted by value; for checking only.
        dropped: reason → rows that did not become transcripts.
        flagged: reason → rows that are kept but look wrong.
        chosen: dimension → (the value taken, all values that the file has).
    """

    importer: Importer
    files: list[dict[str, str]]
    notes: tuple[str, ...] = ()
    source_limits: tuple[str, ...] = ()
    rows: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    dropped: dict[str, Tally] = field(default_factory=dict)
    flagged: dict[str, Tally] = field(default_factory=dict)
    chosen: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    signals: tuple[str, ...] = ()
    _kinds: Counter[_Kind] = field(default_factory=Counter)

    def count(self, transcript: Transcript, where: Slice | None) -> None:
        """Count one transcript into its slice; ``where`` is ``None`` when no plan says the slice."""
        present = tuple([value is not None for value in _of_covariates(transcript)])
        self._kinds[where, transcript.status, transcript.abstained, bool(transcript.artifact), present] += 1

    @property
    def results(self) -> int:
        """Rows that became transcripts; ``not_run`` is not among them."""
        return self.statuses.total() - self.statuses["not_run"]

    @property
    def statuses(self) -> Counter[str]:
        """Transcripts by status, ``not_run`` included."""
        table: Counter[str] = Counter()
        for (_, status, *_), count in self._kinds.items():
            table[status] += count
        return table

    @property
    def slices(self) -> dict[str, Counter[str]]:
        """Slice → what its transcripts hold: the raw material of the published counts.

        That is ``artifact``, ``abstained``, ``no artifact``, ``error``, ``timeout`` or ``unknown abstention``.
        """
        table: dict[str, Counter[str]] = defaultdict(Counter)
        for (where, status, abstained, artifact, _), count in self._kinds.items():
            table[where or "all tasks"][_bucket(status, abstained, artifact)] += count
        return table

    @property
    def recorded(self) -> Counter[str]:
        """Transcript field → rows that have it."""
        table = dict.fromkeys(_COVARIATES, 0)
        for (_, status, _, _, present), count in self._kinds.items():
            for name, there in zip(_COVARIATES, present, strict=True):
                table[name] += count if there and status != "not_run" else 0
        return Counter(table)

    def flag(self, reason: str, task_id: str) -> None:
        """Note that a row looks wrong; it is kept as it is."""
        self.flagged.setdefault(reason, Tally()).add(task_id)

    def drop(self, reason: str, task_id: str) -> None:
        """Note that a row becomes no transcript."""
        self.dropped.setdefault(reason, Tally()).add(task_id)

    def limits(self) -> tuple[str, ...]:
        """Return what a page must say of this source: what is not recorded, and what was chosen."""
        return (*self.source_limits, *self._unrecorded(), *self._choices())

    def _unrecorded(self) -> Iterator[str]:
        for name in _PUBLISHED:
            words, have = name.replace("_", " ").removesuffix(" sec"), self.recorded[name]
            if have == 0:
                yield f"{words} not recorded by this source"
            elif have < self.results:
                yield f"{words} recorded for {have} of {self.results} tasks"

    def _choices(self) -> Iterator[str]:
        for name, (value, available) in self.chosen.items():
            if len(available) > 1:
                yield f"{name} {value} chosen of {len(available)} in the source"
        yield f"abstention read from: {', '.join(self.signals)}" if self.signals else "abstention unknown"

    def as_object(self) -> dict[str, Any]:
        """Return the report as a JSON-ready object."""
        return {
            "format": self.importer.name,
            "files": self.files,
            "found": {"rows": self.rows, "results": self.results, "statuses": dict(self.statuses)},
            "slices": {name: dict(counts) for name, counts in self.slices.items()},
            "mapped": {name: {"from": source, **self._have(name)} for name, source in self.importer.fields.items()},
            "missing": [name for name in _COVARIATES if not self.recorded[name]],
            "chosen": {name: {"taken": value, "of": list(all_)} for name, (value, all_) in self.chosen.items()},
            "dropped": _tallies(self.dropped),
            "flagged": _tallies(self.flagged),
            "source_verdicts": dict(self.verdicts),
            "abstain_when": list(self.signals),
            "limits": list(self.limits()),
            "notes": list(self.notes),
        }

    def _have(self, name: str) -> dict[str, int]:
        return {"recorded": self.recorded[name], "of": self.results} if name in _COVARIATES else {}

    def as_table(self) -> str:
        """Return the report as lines for a person: one section a question."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.importer.title}: {self.rows} rows, {self.results} results"
        for file in self.files:
            yield f"  {escape(file['part']):<12} {file['sha256']}  {escape(file['name'])}"
        yield from _section("taken", {name: f"{v}, of {', '.join(a)}" for name, (v, a) in self.chosen.items()})
        yield from _section("status", dict(self.statuses))
        for name, counts in self.slices.items():
            yield from _section(f"{name.replace('_', ' ')}, as a report would count them", dict(counts))
        yield from _section("mapped", {name: self._mapped(name) for name in self.importer.fields})
        yield from _section("missing (null, never 0)", {n: "not recorded" for n in _COVARIATES if not self.recorded[n]})
        yield from _section("dropped", _shown(self.dropped) or {"nothing": ""})
        yield from _section("flagged, and kept as it is", _shown(self.flagged) or {"nothing": ""})
        yield from _section("the source's own verdicts, for checking only", dict(self.verdicts))
        yield from _section("limits that pages will show", dict.fromkeys(self.limits(), ""))
        yield from _section("notes", dict.fromkeys(self.notes, ""))

    def _mapped(self, name: str) -> str:
        have = self._have(name)
        counted = f" ({have['recorded']} of {have['of']})" if have else ""
        return f"{self.importer.fields[name]}{counted}"


def _bucket(status: Status, abstained: bool | None, artifact: bool) -> str:
    if status == "timeout":
        return "timeout"
    if status != "ok":
        return "error"
    if abstained is None:
        return "unknown abstention"
    if not abstained:
        return "artifact" if artifact else "no artifact"
    return "abstained, but with an artifact" if artifact else "abstained"


def _tallies(table: Mapping[str, Tally]) -> dict[str, Any]:
    return {reason: {"rows": tally.count, "first": tally.examples} for reason, tally in table.items()}


def _shown(table: Mapping[str, Tally]) -> dict[str, str]:
    return {reason: f"{tally.count} rows: {', '.join(tally.examples)}" for reason, tally in table.items()}


def _section(title: str, entries: Mapping[str, object]) -> Iterator[str]:
    if entries:
        yield title
    width = min(40, max((len(name) for name in entries), default=0))
    for name, value in entries.items():
        yield f"  {escape(name, 400):<{width}}  {escape(str(value), 400)}".rstrip()
