"""What is not published: every reason with its remedy, digests where they are digests, and never a figure."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sitegen.harness.opening import open_run
from sitegen.harness.records import end_open_run, withdraw
from sitegen.pipeline.build import build_site
from sitegen.present.page import Page
from sitegen.present.page_check import find_page_faults
from sitegen.present.refused import refusal_lines, refused_subjects
from sitegen.present.summary import summarise
from sitegen.refusals import KINDS, Refusal
from sitegen.verify.verified import VerifiedUnit
from tests.sites import judge, make_contestant, make_protocol, make_run


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


def test_the_rows_of_a_failed_null_pack_are_named_and_the_slug_is_not_said_twice(
    built: Path, unit: VerifiedUnit
) -> None:
    (stub,) = [subject for subject in refused_subjects(summarise(unit)) if subject.route == "stub-1.0"]
    assert (stub.rows, stub.gated, stub.reason) == (("NP-REFUSE",), True, None)
    text = (built / "refused/index.html").read_text(encoding="utf-8")
    assert "Null-pack rows that did not do what their class asks: <code><bdi>NP-REFUSE</bdi></code>." in text
    assert "Stated reason" in text  # of the withdrawn run
    assert not re.search(r"Stated reason[^:]*: <bdi>null-pack-failed", text.replace("\n", " "))


def test_a_reason_that_no_slug_says_is_shown_although_it_looks_like_one(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    opened = open_run(tmp_path, "demo.v1", make_contestant(tmp_path, "alpha"))
    end_open_run(tmp_path, opened.run_id, "metric-failed")
    (subject,) = refused_subjects(summarise(judge(tmp_path, "demo.v1")))
    assert ([line.slug for line in subject.lines], subject.reason) == (["run-ended"], "metric-failed")


def test_what_stands_between_backticks_is_code(built: Path) -> None:
    text = (built / "refused/index.html").read_text(encoding="utf-8")
    assert "`" not in text
    assert "Finish it (<code>sitegen run --run RUN_ID</code>), or end it" in text


def test_the_list_says_how_much_is_in_it(built: Path, parse: Any) -> None:
    (heading,) = [element for element in parse(built / "refused/index.html").iter("h2") if element.get("id") == "list"]
    assert heading.text == "3 runs and 1 protocol without figures"


def test_a_withdrawn_protocol_says_why_and_when(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    withdraw(tmp_path, "demo.v1", "T-001 has a wrong oracle")
    (subject,) = refused_subjects(summarise(judge(tmp_path, "demo.v1")))
    assert (subject.run_id, subject.reason) == (None, "T-001 has a wrong oracle")
    assert subject.time is not None


def test_a_refused_protocol_has_a_page_with_its_reasons_and_no_figure(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    closed = make_run(tmp_path, "demo.v1")
    (tmp_path / "protocols/demo.v1/tasks.jsonl").write_text("", encoding="utf-8")
    build_site(tmp_path, tmp_path / "_site", publish_accepted=True)
    page = tmp_path / "_site/protocols/demo.v1/index.html"
    text = page.read_text(encoding="utf-8")
    assert 'href="../../refused/index.html#dataset-drift"' in text
    assert closed.run_id in text
    assert "data-k" not in text
    assert find_page_faults(Page(path="protocols/demo.v1/index.html", data=page.read_bytes())) == []


def test_every_reason_is_explained(built: Path) -> None:
    text = (built / "refused/index.html").read_text()
    for slug in KINDS:
        assert f'id="{slug}"' in text
