from __future__ import annotations

from typing import get_args

import pytest

from sitegen.present import wording
from sitegen.read.protocol import CiMethod


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "not recorded"),
        (0, "0.00 s"),
        (0.004, "<0.01 s"),
        (0.005, "0.01 s"),
        (9.994, "9.99 s"),
        (1234.56, "1,234.6 s"),
    ],
)
def test_seconds_are_never_zero_unless_they_are(value: float | None, text: str) -> None:
    assert wording.seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "not recorded"), (0, "0"), (1.5, "1.5"), (12000, "12,000"), (2.0, "2")]
)
def test_amounts(value: float | None, text: str) -> None:
    assert wording.amount(value) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1780, "1.78 kB"), (807_427, "807 kB"), (2.5e9, "2.5 GB")]
)
def test_sizes_are_decimal(count: int, text: str) -> None:
    assert wording.size(int(count)) == text


def test_digests_stand_in_groups_of_four() -> None:
    digest = "0123456789abcdef" * 4
    assert wording.grouped(digest).replace(" ", "") == digest
    assert {len(group) for group in wording.grouped(digest).split()} == {4}
    assert wording.short(digest) == "0123 4567…"


def test_words() -> None:
    assert wording.counted(1, "run") == "1 run"
    assert wording.counted(2, "run") == "2 runs"
    assert wording.in_words(4) == "four"
    assert wording.in_words(40) == "40"
    assert wording.listed([]) == "none"
    assert wording.signed(-0.25) == "−0.250"
    assert wording.signed(0.25) == "+0.250"
    assert [wording.signed(value) for value in (0.0, -0.0)] == ["0.000", "0.000"]
    assert [wording.signed(value) for value in (0.0004, -0.0004)] == ["<+0.001", ">−0.001"]


def test_every_sealed_interval_method_has_a_name_for_people() -> None:
    assert [wording.interval_method(name) for name in get_args(CiMethod)] == [
        "Wilson",
        "Clopper–Pearson",
        "bootstrap (exact limit)",
    ]
