"""What was checked of a report, step by step, in sentences for its page."""

from __future__ import annotations

from sitegen.measure.scorecard import Scorecard
from sitegen.verify.evidence import Evidence
from sitegen.verify.verified import Level, Step, VerifiedProtocol
from sitegen.verify.withheld import withheld_note

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
_HIDDEN = (
    "Outcomes are as the report states them. Tasks or transcripts are withheld, as the protocol says; the report and"
    " the ledger name the digest of the transcripts."
)


def _sealed(protocol: VerifiedProtocol) -> str:
    note = withheld_note(protocol)
    if note is not None:
        return f"{len(protocol.files)} files hashed; {note}."
    return f"{len(protocol.files)} files hashed; each has the digest in protocol.sums, whose digest the seal names."


def _outcomes(evidence: Evidence, level: Level) -> str:
    if not evidence.absent:
        return _LEVELS[level]
    return _ABSENT if evidence.protocol.level == "full" else _HIDDEN


def _ledger(evidence: Evidence) -> str:
    source = evidence.report.rescored_from
    if source is None:
        return (
            "The seal, the start and the end of this run are in the ledger, in this order; each event has the digest"
            " that it is named by."
        )
    seen = (
        "All that the solver saw under either protocol has the same digests."
        if evidence.exposure_seen
        else "That the solver saw the same under either protocol is not checked, since tasks are withheld."
    )
    return (
        f"The answers were given under {source.protocol_id}, whose ledger holds the start of the run {source.run_id};"
        f" the end in this ledger names that start. {seen}"
    )


def steps_of(evidence: Evidence, card: Scorecard, level: Level) -> tuple[Step, ...]:
    """Return the steps that held, with what was counted."""
    files = len(evidence.folder.files)
    each = "One row" if evidence.absent else "One transcript and one row"
    return (
        Step(name="Sealed files", result=_sealed(evidence.protocol)),
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
        Step(name="Outcomes", result=_outcomes(evidence, level)),
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
