"""How the run was done: channel, route, order in time."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.refusals import Refusal
from sitegen.verify.chain import event_path
from sitegen.verify.evidence import Evidence


def find_conduct_faults(evidence: Evidence) -> list[Refusal]:
    """Return every way in which the run's conduct is not that of a scored run under its manifest."""
    return [*channel(evidence), *route(evidence), *order_in_time(evidence)]


def channel(evidence: Evidence) -> Iterator[Refusal]:
    """Yield ``channel-relabelled`` where manifest or ledger know the run as exploratory."""
    for source, stated in (
        ("the manifest", evidence.manifest.channel),
        ("the ledger", evidence.start[1].channel),
    ):
        if stated == "exploratory":
            found = f"scored, though {source} says exploratory"
            yield Refusal(
                slug="channel-relabelled", file=evidence.report_path, path="/channel", expected=stated, found=found
            )
            return


def route(evidence: Evidence) -> Iterator[Refusal]:
    """Yield ``route-changed`` for the first name outside ``served_as``, and where the report names another route."""
    manifest = evidence.manifest
    stated = [(evidence.report_path, evidence.report.route)]
    digest, start = evidence.start
    if start.route is not None:
        stated.append((event_path(evidence.protocol.protocol_id, digest), start.route))
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
    opened = evidence.start[1].time
    if started and min(started)[0] < opened:
        expected = f"not before {opened}, when the run was opened"
        yield Refusal(slug="time-order", file=file, expected=expected, found=min(started)[0])
