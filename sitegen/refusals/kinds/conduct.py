"""Refusals of conduct and of the null pack: how the run was done, and whether the instrument worked."""

from __future__ import annotations

from sitegen.refusals.kinds.kind import group

GROUP = group(
    "Conduct",
    2,
    {
        "channel-relabelled": (
            "The report says scored, but the ledger opened the run as exploratory.",
            "Start a scored run; a rehearsal stays one.",
        ),
        "route-unnamed": (
            "A route is empty, or it or its last part is `auto` or `latest`: nobody can tell what answered.",
            "Name the model or program and its version.",
        ),
        "conduct-disagrees": (
            "A transcript is over a budget (time, files, retries or tools) that the report counts as within it.",
            "Score the run again; a row over budget is `over_budget` and stays in the denominator.",
        ),
        "null-pack-late": (
            "By the times in the transcripts, a task was started before the null pack was done.",
            "Run the null pack first; it gates the run.",
        ),
        "time-order": (
            "The times that the ledger's events or the rows claim run backwards.",
            "Correct the clock and run again; times are claims, but they may not contradict each other.",
        ),
        "time-form": (
            "A time is not written as `2026-11-30T09:32:00Z`.",
            "Use UTC to the second, with the Z.",
        ),
        "metric-failed": (
            "The metric raised an exception, answered in another shape, or did not answer within 30 seconds.",
            "Mend the metric in a new protocol version; a run cannot be scored by a metric that fails.",
        ),
        "solver-missing": (
            "The manifest's folder holds no file of the solver, or its command is not there.",
            "Put solve.sh beside the manifest, or name the command in it.",
        ),
        "inputs-changed": (
            "A sealed file, the manifest or the solver changed while the run was going on.",
            "Find what wrote into the folder, restore it, and start a new run.",
        ),
    },
    recorded={
        "channel-exploratory": (
            "The run was declared exploratory: a rehearsal, which never reaches a table.",
            "For a publishable run set `channel: scored` in the manifest and start anew.",
        ),
        "route-changed": (
            "A task was answered under a name outside the manifest's `served_as`: part of the run is of something else.",
            "Pin the route and run again; list a name in `served_as` beforehand if it is the same thing.",
        ),
    },
)

NULL_PACK_GROUP = group(
    "Null pack",
    3,
    {
        "null-row-missing": (
            "A null-pack row has no transcript or no row in the report.",
            "Run the whole null pack; it is the instrument check.",
        ),
        "null-row-unknown": (
            "The report or the rules name a null-pack row that the sealed pack does not have.",
            "Score the run again under the sealed protocol.",
        ),
        "null-pack-class": (
            "A null-pack row has a class that does not exist, or a class has no row.",
            "Use must_pass, must_fail and must_refuse, each with at least one row.",
        ),
        "null-pack-claim-only": (
            "The report says that the null pack passed, but its rows or transcripts do not show it.",
            "Score the run again; only the observed rows count.",
        ),
        "null-pack-overlap": (
            "A null-pack row equals a task of the dataset, so the gate would be part of the exam.",
            "Replace the row by one of its own.",
        ),
    },
    recorded={
        "null-pack-failed": (
            "The contestant failed the instrument check, so none of its figures is shown.",
            "The rows that failed are named with the refusal; mend the contestant and start a new run.",
        ),
    },
)
