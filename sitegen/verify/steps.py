"""What was checked of a report, step by step, in sentences for its page."""

from __future__ import annotations

from sitegen.measure.scorecard import Scorecard
from sitegen.verify.evidence import Evidence
from sitegen.verify.verified import Level, Step

_LEVELS = {
    "numbers": "Outcomes follow from the transcripts; success or miss is as stated, since the metric is not one that"
    " sitegen ships and was not run.",
    "re-scored": "Every answered task was scored again with the sealed metric, which is byte-identical to one that"
    " sitegen ships.",
    "re-scored by the publisher": "The publisher ran the sealed metric over these transcripts again and got the stated"
    " outcomes; the receipt names all three digests.",
    "judge-recorded": "Success or miss is the recorded verdict of a judge, which cannot be repeated.",
}


_ABSENT = (
    "Outcomes are as the report states them. The transcripts are kept elsewhere; evidence.yaml names their address and"
    " their digest, which is the one in the report."
)


def _ledger(evidence: Evidence) -> str:
    source = evidence.report.rescored_from
    if source is None:
        return (
            "The seal, the start and the end of this run are in the ledger, in this order; each event has the digest"
            " that it is named by."
        )
    return (
        f"The answers were given under {source.protocol_id}, whose ledger holds the start of the run {source.run_id};"
        " the end in this ledger names that start. All that the solver saw under either protocol has the same digests."
    )


def steps_of(evidence: Evidence, card: Scorecard, level: Level) -> tuple[Step, ...]:
    """Return the steps that held, with what was counted."""
    sealed = len(evidence.protocol.files)
    files = len(evidence.folder.files)
    each = "One row" if evidence.absent else "One transcript and one row"
    return (
        Step(
            name="Sealed files",
            result=f"{sealed} files hashed; each has the digest in protocol.sums, whose digest the seal names.",
        ),
        Step(name="Ledger", result=_ledger(evidence)),
        Step(
            name="Evidence",
            result=f"{files} files of the run hashed; manifest and solver are those named at the start, the report is"
            " the one named at the end.",
        ),
        Step(
            name="Tasks",
            result=f"{each} for each of {card.success.n} ordinary tasks, {card.abstention.n} negative controls and"
            f" {len(card.null_rows)} null-pack rows.",
        ),
        Step(name="Outcomes", result=_ABSENT if evidence.absent else _LEVELS[level]),
        Step(
            name="Null pack",
            result=f"{card.null_passed} of {len(card.null_rows)} rows did what their class asks.",
        ),
        Step(
            name="Numbers",
            result="Counts, rates, intervals and covariates were computed from the rows and equal those that the report"
            " states.",
        ),
    )
