"""Refusals of drift and evidence: bytes that are not the sealed ones, or that do not carry the claim."""

from __future__ import annotations

from sitegen.refusals.kinds.kind import group

_RESTORE = "Restore the file from version control, or seal a new protocol id."

GROUP = group(
    "Drift and evidence",
    1,
    {
        "dataset-drift": ("The dataset is not the sealed one.", _RESTORE),
        "metric-drift": ("The metric module is not the sealed one.", _RESTORE),
        "null-pack-drift": ("The null pack is not the sealed one.", _RESTORE),
        "file-drift": ("A sealed file (an oracle, or anything else the seal covers) is not the sealed one.", _RESTORE),
        "manifest-drift": (
            "The manifest is not the one that was locked by digest before the first call.",
            "Restore the manifest; another manifest is another experiment and needs its own run.",
        ),
        "evidence-missing": (
            "A file that the report rests on (manifest, solver, transcripts, verdicts) is not there.",
            "Restore it from where the run was made; `sitegen verify --fetch` gets transcripts that evidence.yaml keeps elsewhere.",
        ),
        "evidence-mismatch": (
            "A file of the run does not have the digest that the report or the ledger states.",
            "Restore the file as it was when the run ended.",
        ),
        "evidence-unlisted": (
            "The run's folder holds a file that the report does not account for.",
            "Remove it; working files belong in logs/, which is never read.",
        ),
        "task-missing": (
            "A task of the sealed pack has no transcript or no row in the report. Nothing may leave a denominator.",
            "Score the complete transcripts; a task that was not run has the status `not_run`.",
        ),
        "task-unknown": (
            "A transcript or a row is of a task that the sealed pack does not have.",
            "Score the transcripts of this protocol, with this protocol's ids.",
        ),
        "outcome-duplicate": (
            "A task has two transcripts or two rows.",
            "Keep the run's own; a task is attempted once.",
        ),
        "outcome-unknown": (
            "An outcome is not one of those that its slice has.",
            "Let `sitegen score` write the report.",
        ),
        "outcome-disagrees": (
            "Scoring the transcripts again gives another outcome than the report states.",
            "Score the run again with `sitegen score`; the report was edited or made by another rule.",
        ),
        "abstention-disagrees": (
            (
                "A row counts as an abstention though its transcript shows an artifact, a touched file or no abstention, or the"
                " other way round."
            ),
            "Score the run again; abstention is what the transcript says, not what the report would like.",
        ),
        "evidence-secret": (
            "What would be published holds what looks like a key or a token. The text itself is not shown.",
            "Revoke the key, remove it at its source, and seal or run again; or add a reviewed entry to the allow list.",
        ),
        "report-misplaced": (
            "Folder, `protocol_id` and `run_id` do not agree, so the report may be another run's.",
            "Move the folder to reports/<protocol_id>/<run_id>/ as the report itself says.",
        ),
        "evidence-commitment": (
            "A hidden file is not committed to, or the file that is there now does not open the commitment to it.",
            "Bring the bytes and the salt that were committed to, or the `commitments.sums` that sealing wrote.",
        ),
        "evidence-level": (
            "The protocol asks for a verification level that this report cannot reach.",
            "Re-score the run with `sitegen verify --rescore`, or seal a new version with another `require_level`.",
        ),
        "rescore-mismatch": (
            (
                "A re-scored report names a source run that is not there, whose contestant saw other inputs, or whose files and"
                " start are not those of the report."
            ),
            "Let `sitegen rescore` write the report; where the solver saw something else, run the contestant again.",
        ),
    },
)
