"""Refusals of the ledger and of history: something was left out, cut off or rewritten."""

from __future__ import annotations

from sitegen.refusals.kinds.kind import group

GROUP = group(
    "Ledger and history",
    0,
    {
        "ledger-start-missing": (
            (
                "A scored report, or a run's folder, has no start in the ledger, or names another one; so nothing shows that"
                " the run was recorded before its result was known."
            ),
            "Use `sitegen start` or `sitegen run`; a report without a start cannot be made one afterwards.",
        ),
        "ledger-broken": (
            (
                "An event of the ledger is altered, does not have the digest it is named by, names a parent that is not there,"
                " or contradicts the run it belongs to."
            ),
            "Restore the ledger's folder from version control; events are never edited or deleted.",
        ),
        "ledger-shortened": (
            "The last published site knows an event that is not in the ledger now.",
            "Restore the missing events; what was published is not forgotten.",
        ),
        "ledger-forked": (
            "The ledger does not contain the heads that were published, but a history of its own beside them.",
            "Merge: restore the published events, so that new ones descend from them.",
        ),
        "ledger-unpublished": (
            "The ledger says that a scored run ended with a report, but the report is gone.",
            "Restore the report, or withdraw it with a reason: `sitegen withdraw`.",
        ),
        "history-removed": (
            "The last published site has a protocol or a report that is not there now and was not withdrawn.",
            "Restore it, or withdraw it with a reason: `sitegen withdraw`.",
        ),
        "history-changed": (
            "A report of the last published site now has another digest under the same run id.",
            "Restore the published bytes; a corrected number is a new run.",
        ),
        "history-unreadable": (
            "The last published site cannot be read, or is not whole, so nothing can be said about what changed since.",
            "Give the address or folder of a whole published site, or leave `history` out.",
        ),
        "report-duplicate": (
            "Two runs have the same transcripts, so that one run would be counted twice.",
            "Hand in what this run made; of two reports withdraw the one whose run did not make them: `sitegen withdraw`.",
        ),
        "signature-missing": (
            "The site's settings ask for a signature on this seal or event, and there is none.",
            "`sitegen sign --key KEY` signs every seal and head that has no signature.",
        ),
        "signature-invalid": (
            "A signature does not verify against the allowed signers, or a timestamp against the named authorities.",
            "Remove it and make it anew, or correct `signers` or `timestamp_authorities` in sitegen.toml.",
        ),
    },
    recorded={
        "run-open": (
            "The run was started and has no end yet. It is shown so that no run can be started and forgotten.",
            "Finish it (`sitegen run --run RUN_ID`), or end it with a reason (`sitegen end RUN_ID --reason …`).",
        ),
        "run-ended": (
            "The run ended without a report, with the reason that is given.",
            "Nothing is to be done; start a new run if you wish.",
        ),
        "report-withdrawn": (
            "The owner withdrew this run; its page stays with the date and the reason, and no table has a row of it.",
            "Nothing is to be done; a corrected number is a new run.",
        ),
    },
)
