"""What is not published: every reason with its remedy, digests where they are digests, and never a figure."""

from __future__ import annotations

from pathlib import Path

from sitegen.present.refused import refusal_lines, refused_subjects
from sitegen.present.summary import summarise
from sitegen.refusals import KINDS, Refusal
from sitegen.verify.verified import VerifiedUnit


def test_every_refused_run_is_a_subject(unit: VerifiedUnit) -> None:
    subjects = list(refused_subjects(summarise(unit)))
    assert {subject.run_id for subject in subjects} >= {run.run_id for run in unit.refused}
    assert all(subject.lines for subject in subjects)


def test_expected_and_found_are_shown_where_they_are_digests_and_never_else() -> None:
    numbers = Refusal(slug="rate-mismatch", file="r.json", path="/mean", expected="0.775", found="0.8")
    digests = Refusal(slug="dataset-drift", file="d.jsonl", expected="a" * 64, found="b" * 64, hint="likely\x1b[2J")
    one, other = refusal_lines([numbers, digests])
    assert (one.expected, one.found) == (None, None)
    assert (other.expected, other.found) == ("a" * 64, "b" * 64)
    assert other.hint == "likely\\x1b[2J"


def test_every_reason_is_explained(built: Path) -> None:
    text = (built / "refused/index.html").read_text()
    for slug in KINDS:
        assert f'id="{slug}"' in text
