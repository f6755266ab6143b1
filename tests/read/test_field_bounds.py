"""The ends of every range that a field may be in: the last value inside is read, the first one outside is refused."""

from __future__ import annotations

from typing import Any, get_type_hints

import pytest

from sitegen.read.ledger import Reason
from sitegen.read.manifest import Manifest
from sitegen.read.protocol import Budget, Publish
from sitegen.read.report import Bucket, Report, Size
from sitegen.read.schema import Count, DigestText, Identifier, Rate, Seconds, TaskId, Time, typed
from sitegen.read.settings import Colour, Line, Signer, WebAddress
from sitegen.refusals import Refused


def of(record: type, field: str) -> Any:
    """The declared type of a record's field, bounds included."""
    return get_type_hints(record, include_extras=True)[field]


A_WEB = "https://a.example/"
DAY = "2026-11-30T09:32:00Z"
BOUNDS: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "a reason": (Reason, ["x", "x" * 2000], ["", "x" * 2001]),
    "a task's id": (TaskId, ["x", "x" * 200], ["", "x" * 201]),
    "a count": (Count, [0], [-1]),
    "seconds": (Seconds, [0, 0.5], [-0.1]),
    "a rate": (Rate, [0, 1], [-0.0001, 1.0001]),
    "a slice's size": (Size, [0], [-1]),
    "a bucket": (Bucket, [0], [-1]),
    "a digest": (DigestText, ["0" * 64, "f" * 64], ["0" * 63, "0" * 65, "F" * 64, "g" * 64, "0" * 64 + "\n"]),
    "an identifier": (Identifier, ["a", "0" + "a" * 99], ["", ".a", "-a", "A", "a" * 101, "a/b", "a\n"]),
    "a time": (Time, [DAY], [DAY + "\n", " " + DAY, DAY[:-1], DAY.replace("T", " "), "2026-13-30T09:32:00Z"]),
    "a line": (Line, ["x", "x" * 200], ["", "x" * 201]),
    "a signer": (Signer, ["x", "x" * 4000], ["", "x" * 4001, "x\ny", "x\r"]),
    "an address": (WebAddress, [A_WEB, A_WEB.ljust(2000, "x")], ["http://", f"x{A_WEB}", A_WEB.ljust(2001, "x")]),
    "a colour": (Colour, ["#0aF9cc"], ["#0aF9c", "#0aF9ccc", "#0aF9cg", "0aF9cc", "#0aF9cc\n"]),
    "a command": (of(Manifest, "command"), [["x"]], [[]]),
    "a limit of time": (of(Budget, "timeout_sec"), [0.001], [0, -1]),
    "a floor": (of(Publish, "min_n"), [1], [0, -1]),
    "a floor of the negative control": (of(Publish, "min_n_negative"), [1], [0, -1]),
    **{
        f"the effective size, {prefix or 'success'}": (of(Report, f"{prefix}n_eff"), [0.001], [0, -1])
        for prefix in ("", "false_abstention_", "abstention_", "invalid_completion_")
    },
}


OUT_OF_RANGE = {"field-range", "digest-form", "time-form", "protocol-id-form", "link-unsafe"}


@pytest.mark.parametrize("name", BOUNDS)
def test_a_field_ends_where_its_range_ends(name: str) -> None:
    kind, inside, outside = BOUNDS[name]
    for value in inside:
        typed(value, kind, "x.json")
    for value in outside:
        with pytest.raises(Refused) as caught:
            typed(value, kind, "x.json")
        assert {refusal.slug for refusal in caught.value.refusals} <= OUT_OF_RANGE, value
