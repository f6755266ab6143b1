"""Close a run: score its transcripts, write the report, record the end. It fails closed: no number without a null pack.

The order is: the null pack; the route; the outcomes; the verifier, asked of the run as it would stand; transcripts and
report on the disk; the end event, which names them. What was interrupted between the last two can be closed again, to
the same bytes; what the verifier refuses changes nothing, and the run is still open.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import sitegen
from sitegen.digests import Digest, canonical_json, sha256
from sitegen.harness.closable import end_fields, find_closing_faults
from sitegen.harness.disk import write_file
from sitegen.harness.ledgering import append_event
from sitegen.harness.marking import Marker
from sitegen.harness.opening import OpenRun
from sitegen.measure.scorecard import Scorecard, claims_of, scorecard_of
from sitegen.measure.scoring import limits_of, observation, outcome_of, satisfied, settled, stated_row
from sitegen.read.library import VERDICTS_NAME
from sitegen.read.report import (
    REPORT_NAME,
    SCHEMA,
    Counts,
    Digests,
    MadeBy,
    NegativeCounts,
    NullRowStated,
    Observed,
    OrdinaryCounts,
    Report,
    TaskStated,
    report_value,
)
from sitegen.read.salting import with_salt
from sitegen.read.tasks import Task
from sitegen.read.transcript import TRANSCRIPTS_NAME, Transcript, with_task_id, write_transcript
from sitegen.read.verdicts import write_verdict
from sitegen.refusals import Refusal, Refused, hardest_first
from sitegen.verify.commitments import SALT_LENGTH
from sitegen.verify.evidence import transcript_faults

TOOL = f"sitegen {sitegen.__version__}"
How = Literal["run", "score", "rescore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """How a run ended: with a report (``card``), or with a reason and the rows that it concerns."""

    run_id: str
    report_sha256: Digest | None = None
    card: Scorecard | None = field(default=None, repr=False)
    channel: str
    reason: str | None = None
    rows: tuple[str, ...] = ()


def close_run(
    run: OpenRun, transcripts: Sequence[Transcript], made_by: MadeBy, marker: Marker, data: bytes | None = None
) -> Closed:
    """Score ``transcripts`` (true ids), write what belongs into the run's folder, and record the end.

    ``data`` are the bytes that the transcripts were read from, where these very bytes must be kept.

    Raises:
        Refused: the transcripts do not cover the pack, leave abstention unknown in a scored run, or the metric failed;
            everything for which a build would refuse the report. The run stays open.
        OSError: a file cannot be written.
    """
    if data is None and run.protocol.publish.evidence != "full":
        transcripts = [with_salt(row, secrets.token_hex(SALT_LENGTH // 2)) for row in transcripts]
    dataset, null_pack = _by_task(run, transcripts)
    data = b"".join(write_transcript(row) for row in transcripts) if data is None else data
    null_rows = observe_null_pack(run, null_pack, marker)
    failed = tuple(row.id for row in null_rows if not satisfied(row.expected_class, row.observed))
    if failed:
        return _end_unreported(run, "null-pack-failed", failed, data)
    strangers = tuple(t.task_id for t in transcripts if t.route is not None and t.route not in run.manifest.names)
    if strangers:
        return _end_unreported(run, "route-changed", strangers[:1], data)
    rows = _score(run, dataset, marker)
    clusters = run.pack.clusters(run.protocol.dataset.cluster)
    card = scorecard_of(rows, null_rows, run.protocol.publish.ci_method, clusters)
    evidence = {TRANSCRIPTS_NAME: data, **_verdicts(marker)}
    report = canonical_json(report_value(_report(run, card, rows, evidence, made_by)))
    _put(run, transcripts, {**evidence, REPORT_NAME: report})
    if run.start_sha256 is not None:
        _append_end(run, report_sha256=sha256(report), transcripts_sha256=sha256(data))
    return Closed(run_id=run.run_id, report_sha256=sha256(report), card=card, channel=run.channel)


def _put(run: OpenRun, transcripts: Sequence[Transcript], files: Mapping[str, bytes]) -> None:
    """Write ``files`` into the run's folder, or refuse all of them where the closed run would be refused."""
    found = find_closing_faults(run, transcripts, files)
    if found:
        raise Refused(hardest_first(found))
    for name, data in files.items():
        write_file(run.run_folder / name, data)


def observe_null_pack(run: OpenRun, transcripts: Mapping[str, Transcript], marker: Marker) -> tuple[NullRowStated, ...]:
    """Return what was observed of each null-pack row, in the pack's order. ``transcripts`` are by true id.

    Raises:
        Refused: ``metric-failed``.
    """
    observed: list[NullRowStated] = []
    for row in run.pack.null_pack:
        transcript = transcripts[row.id]
        asked = partial(marker.verdict, row, transcript.artifact or "")
        seen: Observed | None = settled(partial(observation, row, transcript), asked)
        assert seen is not None  # a verdict tells
        observed.append(NullRowStated(id=row.id, expected_class=row.expected_class or "must_pass", observed=seen))
    return tuple(observed)


def end_run(run: OpenRun, reason: str, rows: Sequence[str] = (), transcripts: Digest | None = None) -> Closed:
    """Record that a run ended without a report, with the reason and the ids of the rows that it concerns.

    Raises:
        OSError: the event cannot be written.
    """
    if run.start_sha256 is not None:
        _append_end(run, reason=reason, rows=tuple(rows) or None, transcripts_sha256=transcripts)
    return Closed(run_id=run.run_id, channel=run.channel, reason=reason, rows=tuple(rows))


def _end_unreported(run: OpenRun, reason: str, rows: Sequence[str], transcripts: bytes) -> Closed:
    write_file(run.run_folder / TRANSCRIPTS_NAME, transcripts)
    return end_run(run, reason, rows, sha256(transcripts))


def true_ids(run: OpenRun, transcripts: Sequence[Transcript]) -> tuple[list[Transcript], Literal["opaque", "visible"]]:
    """Return transcripts under the true ids, and whether the solver saw opaque ids or these.

    An id that is neither is kept: the check of coverage names it.
    """
    true = {opaque: task_id for task_id, opaque in run.opaque.items()}
    opaque = all(row.task_id in true for row in transcripts)
    mapped = [with_task_id(row, true.get(row.task_id, row.task_id)) for row in transcripts]
    return mapped, "opaque" if opaque else "visible"


def _by_task(run: OpenRun, transcripts: Sequence[Transcript]) -> tuple[dict[str, Transcript], dict[str, Transcript]]:
    file, scored = TRANSCRIPTS_NAME, run.channel == "scored"
    faults = list(transcript_faults(run.pack, transcripts, file, scored=scored))
    for number, row in enumerate(transcripts, start=1):
        if scored and row.route is None and row.status == "ok":
            place, expected = f"line {number}/route", "the name that answered"
            faults.append(Refusal(slug="route-unnamed", file=file, path=place, expected=expected, found="null"))
    if faults:
        raise Refused(faults)
    packs: dict[str, dict[str, Transcript]] = {"dataset": {}, "null_pack": {}}
    for row in transcripts:
        packs[row.pack][row.task_id] = row
    return packs["dataset"], packs["null_pack"]


def _score(run: OpenRun, transcripts: Mapping[str, Transcript], marker: Marker) -> list[TaskStated]:
    limits = limits_of(run.protocol.budget, run.manifest)

    def row(task: Task) -> TaskStated:
        transcript, kind = transcripts[task.id], task.kind or "ordinary"
        asked = partial(marker.verdict, task, transcript.artifact or "")
        outcome = settled(partial(outcome_of, kind, transcript, limits), asked)
        return stated_row(task, transcript, outcome or "miss")

    return [row(task) for task in run.pack.dataset]


def _report(
    run: OpenRun, card: Scorecard, rows: Sequence[TaskStated], evidence: Mapping[str, bytes], made_by: MadeBy
) -> Report:
    return Report(
        schema=SCHEMA,
        protocol_id=run.protocol.protocol_id,
        protocol_sha256=run.protocol_sha256,
        run_id=run.run_id,
        start_sha256=run.start_sha256,
        channel=run.channel,
        route=run.manifest.route,
        digests=Digests(
            dataset=run.protocol.dataset.sha256,
            metric=run.protocol.metric.sha256,
            null_pack=run.protocol.null_pack.sha256,
            manifest=run.manifest_sha256,
            solver=run.solver_sha256,
            transcripts=sha256(evidence[TRANSCRIPTS_NAME]),
            verdicts=sha256(evidence[VERDICTS_NAME]) if VERDICTS_NAME in evidence else None,
        ),
        ci_method=run.protocol.publish.ci_method,
        **claims_of(card),
        counts=Counts(ordinary=OrdinaryCounts(**card.ordinary), negative=NegativeCounts(**card.negative)),
        null_pack="pass",
        null_pack_rows=card.null_rows,
        covariates=card.covariates,
        made_by=made_by,
        tasks=tuple(rows),
        rescored_from=run.rescored_from,
    )


def _verdicts(marker: Marker) -> dict[str, bytes]:
    """Return a judge's verdicts by the name of their file; nothing where there was no judge."""
    data = b"".join(write_verdict(verdict) for verdict in marker.verdicts)
    return {VERDICTS_NAME: data} if data else {}


def _append_end(run: OpenRun, **fields: Any) -> Digest:
    return append_event(run.root, run.protocol.protocol_id, **end_fields(run, **fields))
