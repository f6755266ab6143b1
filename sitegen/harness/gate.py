"""The null pack as a gate: what was observed of each row while the run still can be stopped."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.harness.closing import observe_null_pack
from sitegen.harness.marking import Marker
from sitegen.harness.opening import OpenRun
from sitegen.measure.scoring import satisfied
from sitegen.read.report import NullRowStated
from sitegen.read.transcript import Transcript

_ASKS = {
    "must_pass": "the metric to pass its answer",
    "must_fail": "an answer that the metric fails, or an abstention",
    "must_refuse": "an explicit abstention, with no artifact and no file touched",
}
_SEEN = {
    "passed": "the metric passed its answer",
    "failed": "the metric did not pass its answer",
    "refused": "it abstained",
    "answered": "it answered, or touched a file",
    "error": "it ended in an error",
    "timeout": "it ran into the deadline",
}


def failed_rows(run: OpenRun, rows: Sequence[Transcript], marker: Marker) -> tuple[NullRowStated, ...]:
    """Return the null-pack rows that did not do what their class asks.

    Raises:
        Refused: ``metric-failed``.
    """
    transcripts = {row.task_id: row for row in rows if row.pack == "null_pack"}
    observed = observe_null_pack(run, transcripts, marker)
    return tuple(row for row in observed if not satisfied(row.expected_class, row.observed))


def reason_of(row: NullRowStated, transcript: Transcript) -> str:
    """Return in words why a row fails its class."""
    why = (transcript.extra or {}).get("why")
    seen = _SEEN[row.observed] + (f" ({why})" if why else "")
    return f"{row.id} is {row.expected_class} and asks for {_ASKS[row.expected_class]}; {seen}"
