"""How the run was done: channel, route, order in time."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.refusals import Refusal
from sitegen.verify.chain import event_path
from sitegen.verify.evidence import Evidence

_HIDDEN = "the run was started as scored: a scored run that went badly is withdrawn with a reason, not renamed"


def find_conduct_faults(evidence: Evidence) -> list[Refusal]:
    """Return every way in which the run's conduct is not the one that its start and its manifest fixed."""
    return [*channel(evidence), *route(evidence), *order_in_time(evidence)]


def channel(evidence: Evidence) -> Iterator[Refusal]:
    """Yield ``channel-relabelled`` where the ledger, or else the manifest, knows the run as of the other channel."""
    stated = evidence.report.channel
    for source, opened in (("the ledger", evidence.start), ("the manifest", evidence.manifest)):
        if opened is not None and opened.channel != stated:
            found = f"{stated}, though {source} says {opened.channel}"
            hint = _HIDDEN if stated == "exploratory" else None
            yield Refusal(
                slug="channel-relabelled",
                file=evidence.report_path,
                path="/channel",
                expected=opened.channel,
                found=found,
                hint=hint,
            )
            return


def route(evidence: Evidence) -> Iterator[Refusal]:
    """Yield ``route-changed`` for the first name outside ``served_as``, and where the report names another route.

    Nothing is said where the manifest cannot be read.
    """
    manifest, start = evidence.manifest, evidence.history.start
    if manifest is None:
        return
    stated = [(evidence.report_path, evidence.report.route)]
    if start is not None and start[1].route is not None:
        stated.append((event_path(evidence.protocol.protocol_id, start[0]), start[1].route))
    for file, name in stated:
        if name != manifest.route:
            yield Refusal(slug="evidence-mismatch", file=file, path="/route", expected=manifest.route, found=name)
    names = manifest.names
    others = [head for head in evidence.heads if head.route not in names]
    for transcript in sorted(others, key=lambda head: head.pack != "null_pack"):
        place = f"task {transcript.task_id}"
        if transcript.route is None and transcript.status == "ok":
            expected = "the name that answered"
            file = evidence.transcripts_path
            yield Refusal(slug="route-unnamed", file=file, path=place, expected=expected, found="null")
            return
        if transcript.route is not None:
            yield Refusal(
                slug="route-changed",
                file=evidence.transcripts_path,
                path=place,
                expected=" or ".join(names),
                found=transcript.route,
            )
            return


def order_in_time(evidence: Evidence) -> Iterator[Refusal]:
    """Yield where claimed times run backwards: a task before the null pack was done, or before the start."""
    started = [(row.started, row.task_id, row.pack) for row in evidence.heads if row.started is not None]
    gate = [time for time, _, pack in started if pack == "null_pack"]
    tasks = [(time, task_id) for time, task_id, pack in started if pack == "dataset"]
    file = evidence.transcripts_path
    if gate and tasks and min(tasks)[0] < max(gate):
        first, task_id = min(tasks)
        expected = f"not before {max(gate)}, when the last null-pack row began"
        yield Refusal(slug="null-pack-late", file=file, path=f"task {task_id}", expected=expected, found=first)
    start = evidence.start
    if start is not None and started and min(started)[0] < start.time:
        expected = f"not before {start.time}, when the run was opened"
        yield Refusal(slug="time-order", file=file, expected=expected, found=min(started)[0])
