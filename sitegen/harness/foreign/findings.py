"""What an import found: counted while the rows pass, shown as a table and as JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from sitegen.harness.foreign.choices import Slice
from sitegen.harness.foreign.sample import Importer
from sitegen.read.transcript import Transcript
from sitegen.refusals.message import escape

MOST_EXAMPLES = 3
_COVARIATES = (
    "route", "retries", "tool_calls", "tools_used", "wall_clock_sec", "files_touched",
    "started", "tokens_in", "tokens_out", "cost_usd",
)  # fmt: skip
_of_covariates = attrgetter(*_COVARIATES)
_PUBLISHED = ("retries", "tool_calls", "wall_clock_sec")


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
        results: rows that became transcripts; ``not_run`` is not among them.
        statuses: transcripts by status, ``not_run`` included.
        slices: slice → what its transcripts hold (``artifact``, ``abstained``, ``no artifact``, ``error``, ``timeout``,
            ``unknown abstention``): the raw material of the published counts.
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
    results: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    slices: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    verdicts: Counter[str] = field(default_factory=Counter)
    dropped: dict[str, Tally] = field(default_factory=dict)
    flagged: dict[str, Tally] = field(default_factory=dict)
    chosen: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    signals: tuple[str, ...] = ()
    _present: Counter[tuple[bool, ...]] = field(default_factory=Counter)

    @property
    def recorded(self) -> Counter[str]:
        """Transcript field → rows that have it."""
        table = dict.fromkeys(_COVARIATES, 0)
        for present, count in self._present.items():
            for name, there in zip(_COVARIATES, present, strict=True):
                table[name] += count if there else 0
        return Counter(table)

    def count(self, transcript: Transcript, where: Slice | None) -> None:
        """Count one transcript into its slice; ``where`` is ``None`` when no plan says the slice."""
        self.statuses[transcript.status] += 1
        self.slices[where or "all tasks"][_bucket(transcript)] += 1
        if transcript.status == "not_run":
            return
        self.results += 1
        self._present[tuple([value is not None for value in _of_covariates(transcript)])] += 1

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


def _bucket(transcript: Transcript) -> str:
    if transcript.status == "timeout":
        return "timeout"
    if transcript.status != "ok":
        return "error"
    if transcript.abstained is None:
        return "unknown abstention"
    artifact = "artifact" if transcript.artifact else "no artifact"
    if not transcript.abstained:
        return artifact
    return "abstained, but with an artifact" if transcript.artifact else "abstained"


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
