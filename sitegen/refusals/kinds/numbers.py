"""Refusals of numbers: a stated figure that the evidence does not give."""

from __future__ import annotations

from sitegen.refusals.kinds.kind import group

_AGAIN = "Let `sitegen score` write the report; every number is recomputed from the rows."

GROUP = group(
    "Numbers",
    4,
    {
        "count-mismatch": ("A stated count, or n, is not what the rows give.", _AGAIN),
        "rate-mismatch": ("A stated rate is not k/n of the rows.", _AGAIN),
        "rate-rounding": (
            "A rate has more than 4 decimals, or is rounded in another way than half to even.",
            _AGAIN,
        ),
        "interval-mismatch": (
            "A stated interval is not the one that the sealed method gives for k of n, rounded outward to 4 decimals.",
            _AGAIN,
        ),
        "interval-method": (
            "The report uses another interval method than the protocol sealed.",
            "Use the sealed method; choosing one after seeing the result is a new protocol.",
        ),
        "below-min-n": (
            "The report has fewer ordinary tasks or negative controls than the protocol's floor.",
            "Run the whole pack.",
        ),
        "slice-missing": (
            "The report leaves out a slice or one of its buckets.",
            "State both slices, every bucket, zeros included.",
        ),
        "covariate-missing": (
            "A covariate (retries, tool calls, wall-clock) is absent from the report.",
            "State it; what was not recorded has `recorded: 0` and nulls, never a zero.",
        ),
        "covariate-mismatch": ("A stated covariate is not what the rows give.", _AGAIN),
        "headline-alone": (
            "A rate is stated without its interval, its n or the other slice.",
            "State the whole scorecard; no rate stands alone.",
        ),
        "forbidden-field": (
            "The report has a field that the protocol forbids, at some depth.",
            "Remove the field; the protocol's owner ruled it out before the run.",
        ),
    },
)
