"""Refusals of sealing: an exam that is not complete, not fixed, or not itself."""

from __future__ import annotations

from sitegen.refusals.kinds.kind import group

GROUP = group(
    "Sealing",
    5,
    {
        "seal-missing": (
            "Reports stand under a protocol that was never sealed, so nothing fixes which exam they belong to.",
            "Seal before the first run. Where runs are there already, seal under a new id and run again: a late seal proves nothing.",
        ),
        "seal-pending": (
            "A sealed protocol still says PENDING_SEAL where a digest belongs.",
            "Let `sitegen seal` write protocol.sealed.yaml; never edit it by hand.",
        ),
        "seal-incomplete": (
            (
                "The seal does not cover what it must: protocol.sums, a digest or the `seal` block is missing or does not list"
                " a file of the folder."
            ),
            "Restore protocol.sealed.yaml and protocol.sums as they were sealed.",
        ),
        "digest-form": (
            "A digest is not exactly 64 lower-case hexadecimal characters.",
            "Copy the digest from the tool that made it, without prefix or spaces.",
        ),
        "protocol-drift": (
            (
                "protocol.sealed.yaml is not the file that the ledger's seal event names, or the draft beside it says something"
                " else."
            ),
            "Restore the sealed file; a change is a new protocol id.",
        ),
        "protocol-id-form": (
            "An id or a family does not match `[a-z0-9][a-z0-9._-]{0,99}`, or a protocol's id is not the name of its folder.",
            "Use a-z, 0-9, `.`, `_` and `-`, a letter or digit first; a protocol's id and its folder have the same name.",
        ),
        "protocol-id-reused": (
            "One protocol id has two seals, so a reader cannot know which exam a number is of. Neither is shown.",
            "Keep the seal that was published; give the other exam an id of its own.",
        ),
        "protocol-id-resealed": (
            "This id was sealed before with other bytes.",
            "Take a new protocol_id and name the old one in `follows`.",
        ),
        "protocol-id-confusable": (
            "Two protocol ids differ only in characters that are easily taken for each other.",
            "Rename one of the two before it is sealed.",
        ),
        "seal-after-run": (
            "The ledger has a start that does not descend from the protocol's seal: the run began before the exam was fixed.",
            "Run the contestant again under the sealed protocol.",
        ),
        "rules-contradict": (
            (
                "`null_pack.rules` and the rows disagree: an id is in two classes, in none, or the row's `expected_class` says"
                " otherwise; or a path or a publishing rule contradicts another: a task gives its solver a file that holds answers,"
                " a field is forbidden without which no report is complete, the cluster field leaves no interval, or a protocol"
                " follows itself."
            ),
            "Mend what is named; of the null pack, each row stands in exactly one class, the one that it states.",
        ),
        "task-id-duplicate": ("Two tasks or null-pack rows have the same id.", "Give each its own id."),
        "task-kind-unknown": (
            "A task's `kind` is neither `ordinary` nor `negative`.",
            "Write one of the two; an unknown kind is never counted as ordinary.",
        ),
        "oracle-missing": (
            (
                "An ordinary task or a must_pass row has no oracle, an empty one, or one whose file is not there; an empty oracle"
                " would equal an empty artifact."
            ),
            "Add the oracle, or make the task a negative control.",
        ),
        "pack-below-min-n": (
            "The pack has fewer ordinary tasks or negative controls than `publish` asks for.",
            "Add tasks, or lower the floor before sealing; the scorecard then says so.",
        ),
        "no-negative-controls": (
            "The pack has no negative control, so abstention cannot be measured.",
            "Add tasks whose required input is missing, at least as many as `min_n_negative`.",
        ),
        "pack-content-duplicate": (
            "Two tasks are the same but for their id, so one outcome would be counted twice.",
            "Remove one of them, or make them differ.",
        ),
    },
    recorded={
        "protocol-draft": (
            "The protocol is a draft: it is not sealed and has no reports. It is listed by name only.",
            "`sitegen seal protocols/ID` when it is ready.",
        ),
        "protocol-withdrawn": (
            "The owner withdrew this protocol; its page and those of its reports stay with the date and the reason, their rows do not.",
            "Nothing is to be done; a new version is a new id.",
        ),
    },
)
