"""Other harnesses' logs → transcripts, one row at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sitegen.harness.disk import write_parts
from sitegen.harness.foreign.abstention import decide
from sitegen.harness.foreign.choices import Choices, Slice
from sitegen.harness.foreign.findings import Findings
from sitegen.harness.foreign.gate import Gate, Warn, gated
from sitegen.harness.foreign.registry import recognise
from sitegen.harness.foreign.sample import Reading, Sample
from sitegen.harness.foreign.selecting import Selection
from sitegen.harness.foreign.source import Source, write_source
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.harness.foreign.values import all_whole, carried
from sitegen.read.transcript import Transcript, write_transcript
from sitegen.refusals import Misuse, Refusal, Refused

LONGEST_ID = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """An import under way.

    Attributes:
        transcripts: read once, lazily; raises :class:`Refused` as soon as a fault is met.
        findings: the report, complete when ``transcripts`` is exhausted.
        sha256: digest of every source file.
    """

    transcripts: Iterator[Transcript]
    findings: Findings
    sha256: tuple[str, ...]

    def source(self) -> Source:
        """Return what the sidecar holds; call it when ``transcripts`` is exhausted."""
        return Source(
            format=self.findings.importer.name, source_sha256=self.sha256, limits=tuple(self.findings.limits())
        )


def import_files(format: str | None, files: Sequence[Path], choices: Choices) -> Imported:  # noqa: A002
    """Open foreign ``files`` and return their transcripts.

    Args:
        format: an importer's name, or ``None`` to tell it by content and by name.
        files: one log, or the files that belong to one run.
        choices: what the user chose.

    Raises:
        Refused: a file that cannot be read, is of no known format, or holds no transcripts.
        Misuse: an unknown format.
    """
    opened = [ForeignFile(path) for path in files]
    importer, parts = recognise(format, opened)
    if not importer.called and any(signal.kind == "no-call" for signal in choices.abstain_when):
        raise Misuse(f"--abstain-when no-call: the answer of {importer.name} is a text, not a tool call")
    reading = importer.read(parts, choices)
    findings = Findings(
        importer=importer,
        files=[{"name": file.name, "part": part, "sha256": file.sha256} for part, file in parts],
        notes=reading.notes,
        source_limits=(*importer.limits, *reading.limits),
        signals=tuple(signal.text for signal in choices.abstain_when),
    )
    transcripts = _Import(reading, choices, findings, opened[0].shown).transcripts()
    return Imported(transcripts=transcripts, findings=findings, sha256=tuple(file.sha256 for file in opened))


def write_import(imported: Imported, path: Path, gate: Gate, warn: Warn) -> None:
    """Write the transcripts to ``path`` and their source beside it; either whole or, on a refusal, not at all.

    Raises:
        Refused: whatever is wrong with the source, or what ``gate`` found.
    """
    lines = map(partial(_line, imported.findings), imported.transcripts)
    write_parts(path, gated(lines, path.name, gate, warn))
    write_source(path, imported.source())


def _line(findings: Findings, transcript: Transcript) -> bytes:
    """Return a transcript as it is written; no importer should hand on text that UTF-8 does not have, and none may."""
    try:
        return write_transcript(transcript)
    except UnicodeEncodeError:
        findings.flag("half of a surrogate pair, written as its escape", transcript.task_id)
        parts = {name: all_whole(getattr(transcript, name)) for name in Transcript.__struct_fields__}
        return write_transcript(Transcript(**parts))


class _Import:
    """Turns rows into transcripts: chosen, renamed, held against the plan, and counted."""

    def __init__(self, reading: Reading, choices: Choices, findings: Findings, file: str) -> None:
        self._reading, self._choices, self._findings, self._file = reading, choices, findings, file
        self._done: set[str] = set()

    def transcripts(self) -> Iterator[Transcript]:
        for sample, scorer, score in Selection(self._choices, self._findings, self._file).chosen(self._reading.samples):
            task_id = self._choices.ids.get(sample.id, sample.id)
            if self._choices.plan is not None and task_id not in self._choices.plan:
                self._findings.drop("not a task of the plan that was given", task_id)
                continue
            self._check_id(task_id, sample.place)
            where = self._slice(task_id)
            transcript = self._transcript(task_id, where, sample, scorer, score)
            self._flag(transcript)
            self._findings.count(transcript, where)
            yield transcript
        yield from self._not_run()
        if not self._done:
            raise Refused([self._refusal("import-unsupported", "", "at least one row with a result", "none")])

    def _transcript(
        self, task_id: str, where: Slice | None, sample: Sample, scorer: str | None, score: Any
    ) -> Transcript:
        abstained, artifact, said = decide(sample, self._choices.abstain_when, score)
        extra = {name: carried(value) for name, value in sample.extra.items()}
        if said:
            extra["answer"] = said
        if scorer is not None and score is not None:
            extra["source_score"] = {"scorer": scorer, "value": carried(score)}
            self._findings.verdicts[f"{scorer}: {str(score)[:40]}"] += 1
        return Transcript(
            task_id=task_id,
            pack="null_pack" if where == "null_pack" else "dataset",
            status=sample.status,
            abstained=abstained,
            artifact=artifact,
            route=sample.route or self._choices.route,
            retries=sample.retries,
            tool_calls=sample.tool_calls,
            tools_used=None if sample.tools is None else tuple(dict.fromkeys(sample.tools)),
            wall_clock_sec=sample.wall_clock_sec,
            files_touched=sample.files_touched,
            started=sample.started,
            tokens_in=sample.tokens_in,
            tokens_out=sample.tokens_out,
            cost_usd=sample.cost_usd,
            extra=extra or None,
        )

    def _not_run(self) -> Iterator[Transcript]:
        """Emit every planned task that has no result: it stays in the denominator."""
        renamed = self._choices.ids
        source = (renamed.get(task_id, task_id) for task_id in self._reading.planned or ())
        for task_id in self._choices.plan if self._choices.plan is not None else source:
            if task_id not in self._done:
                self._check_id(task_id, "")
                where = self._slice(task_id)
                transcript = Transcript(
                    task_id=task_id,
                    pack="null_pack" if where == "null_pack" else "dataset",
                    status="not_run",
                    abstained=False,
                    artifact=None,
                    route=None,
                    retries=None,
                    tool_calls=None,
                    wall_clock_sec=None,
                )
                self._findings.count(transcript, where)
                yield transcript

    def _slice(self, task_id: str) -> Slice | None:
        return self._choices.plan.get(task_id) if self._choices.plan is not None else None

    def _check_id(self, task_id: str, place: object) -> None:
        if not 0 < len(task_id) <= LONGEST_ID:
            found = f"{len(task_id)} characters"
            raise Refused(
                [self._refusal("field-range", str(place), f"a task id of 1 to {LONGEST_ID} characters", found)]
            )
        if task_id in self._done:
            hint = "give the files of one run only, or name another id with --id-field"
            raise Refused([self._refusal("import-ambiguous", place, "one result a task", f"{task_id} twice", hint)])
        self._done.add(task_id)

    def _flag(self, transcript: Transcript) -> None:
        for reason in _suspicions(transcript):
            self._findings.flag(reason, transcript.task_id)

    def _refusal(self, slug: str, place: object, expected: str, found: str, hint: str | None = None) -> Refusal:
        return Refusal(slug=slug, file=self._file, path=str(place), expected=expected, found=found, hint=hint)


def _suspicions(transcript: Transcript) -> Iterator[str]:
    """Yield what looks wrong: zeros that a harness may have written for "not recorded", and answers that are none."""
    cost, seconds = transcript.cost_usd, transcript.wall_clock_sec
    tokens_in, tokens_out = transcript.tokens_in, transcript.tokens_out
    text = transcript.artifact or (transcript.extra is not None and transcript.extra.get("answer"))
    if 0 in (cost, tokens_in, tokens_out, seconds):
        if cost == 0 and (tokens_in or tokens_out or text):
            yield "cost of 0 beside tokens or text"
        if tokens_out == 0 and text:
            yield "0 tokens out beside text"
        if tokens_in == 0 and text:
            yield "0 tokens in beside text"
        if seconds == 0:
            yield "0 seconds"
    if not text and transcript.status == "ok" and not transcript.tool_calls:
        yield "an answer without text"
