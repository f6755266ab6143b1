from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sitegen.harness.foreign.choices import Choices
from sitegen.harness.foreign.findings import Findings
from sitegen.harness.foreign.registry import IMPORTERS
from sitegen.harness.foreign.sample import Sample
from sitegen.harness.foreign.selecting import Selection
from sitegen.refusals import Misuse


def rows(*labels: dict[Any, str], **fields: Any) -> Iterator[Sample]:
    return (Sample(id=str(n), place="", labels=label, **fields) for n, label in enumerate(labels))


def selected(samples: Iterator[Sample], **choices: Any) -> tuple[list[str], Findings]:
    findings = Findings(importer=IMPORTERS["tau"], files=[])
    chosen = Selection(Choices(**choices), findings, "log").chosen(samples)
    return [sample.id for sample, _, _ in chosen], findings


def test_one_value_needs_no_choice_and_is_recorded() -> None:
    ids, findings = selected(rows({"attempt": "3"}, {"attempt": "3"}))
    assert ids == ["0", "1"]
    assert findings.chosen == {"attempt": ("3", ["3"])}


def test_several_values_are_refused_with_every_one_named(refused: Callable[..., Any]) -> None:
    faults = refused(selected, rows({"provider": "a", "attempt": "1"}, {"provider": "b"}, {"attempt": "2"}))
    assert [(fault.slug, fault.expected, fault.found) for fault in faults] == [
        ("import-ambiguous", "one attempt", "2: 1, 2"),
        ("import-ambiguous", "one provider", "2: a, b"),
    ]
    assert "--provider 'a'" in (faults[1].hint or "")


def test_a_choice_takes_its_rows_and_counts_the_others() -> None:
    ids, findings = selected(rows({"filter": "a"}, {"filter": "b"}, {"filter": "a"}), filter="b")
    assert (ids, findings.rows) == (["1"], 3)
    assert findings.chosen["filter"] == ("b", ["a", "b"])
    assert findings.dropped["another filter was chosen"].count == 2


def test_choices_nest_so_that_a_left_out_provider_raises_no_question() -> None:
    ids, _ = selected(
        rows({"provider": "a"}, {"provider": "b", "attempt": "1"}, {"provider": "b", "attempt": "2"}), provider="a"
    )
    assert ids == ["0"]


def test_a_choice_that_is_not_there_is_a_misuse() -> None:
    with pytest.raises(Misuse, match="which has: 1"):
        selected(rows({"attempt": "1"}), attempt="7")


def test_several_scorers_must_be_chosen(refused: Callable[..., Any]) -> None:
    both = {"f1": 0.5, "exact": 1}
    assert refused(selected, rows({}, scores=both))[0].found == "2: f1, exact"
    findings = Findings(importer=IMPORTERS["tau"], files=[])
    chosen = list(Selection(Choices(scorer="exact"), findings, "log").chosen(rows({}, scores=both)))
    assert [(scorer, score) for _, scorer, score in chosen] == [("exact", 1)]
