"""The terminal: results on standard output, the rest on standard error, and nothing foreign raw."""

from __future__ import annotations

import json
from typing import Any

from sitegen.cli.console import Console
from sitegen.refusals import MOST_SHOWN, Refusal

HOSTILE = Refusal(slug="file-unlisted", file="a\x1b]0;x\x07\u202e\nfile=b,title=c::d%", found="x\n::error::y")


def test_results_and_notes_go_their_own_ways(capsys: Any) -> None:
    console = Console()
    console.result("a result")
    console.note("a note")
    console.error("an error")
    console.data({"not": "shown"})
    said = capsys.readouterr()
    assert (said.out, said.err) == ("a result\n", "a note\nan error\n")


def test_a_program_gets_objects_only(capsys: Any) -> None:
    console = Console("json")
    console.result("a result")
    console.data({"b": "é", "a": 1})
    console.refusals([HOSTILE])
    first, second = capsys.readouterr().out.splitlines()
    assert first == '{"a": 1, "b": "\\u00e9"}'
    assert json.loads(second)["slug"] == "file-unlisted"


def test_quiet_says_results_and_refusals_only(capsys: Any) -> None:
    console = Console(quiet=True)
    console.note("a note")
    console.result("a result")
    console.refusals([HOSTILE])
    said = capsys.readouterr()
    assert said.out == "a result\n"
    assert said.err.startswith("refused file-unlisted")


def test_no_control_character_reaches_the_terminal(capsys: Any) -> None:
    for console in (Console(), Console("github"), Console("json")):
        console.refusals([HOSTILE])
        console.result("from a file: \x1b[31m\u202e")
        console.note("from a file: \x9b31m\u2066")
        console.error("from a file: \r\x08")
        said = capsys.readouterr()
        assert all(char == "\n" or char.isprintable() for char in said.out + said.err)


def test_an_annotation_is_one_line_whose_fields_cannot_be_forged(capsys: Any) -> None:
    Console("github").refusals([HOSTILE, Refusal(slug="run-open", file="reports/demo.v1/x")])
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("::error file=a\\x1b]0;x\\x07")
    fields = first.split("::")[1].split(",")
    assert [field.partition("=")[0] for field in fields] == ["error file", "title"]
    assert fields[1] == "title=file-unlisted"
    assert second.startswith("::notice file=reports/demo.v1/x,title=run-open::recorded run-open")


def test_of_one_report_as_many_are_told_as_help_and_no_fault_hides_behind_what_is_recorded(capsys: Any) -> None:
    """A program is told all."""
    run = "reports/demo.v1/run-1"
    opened = [Refusal(slug="run-open", file=f"reports/demo.v1/x{i}") for i in range(MOST_SHOWN + 7)]
    many = [Refusal(slug="rate-mismatch", file=f"{run}/report.json", path=f"/{i}") for i in range(MOST_SHOWN + 3)]
    last = Refusal(slug="evidence-missing", file="reports/demo.v1/run-2/transcripts.jsonl")
    Console().refusals([*opened, *many, last])
    said = capsys.readouterr().err
    assert said.count("refused rate-mismatch") == MOST_SHOWN
    assert f"and 3 more of {run}\n" in said
    assert said.index("refused evidence-missing") < said.index("recorded run-open")
    assert said.count("recorded run-open") == len(opened)
    Console("json").refusals([*opened, *many, last])
    assert len(capsys.readouterr().out.splitlines()) == len(opened) + len(many) + 1


def test_what_is_as_it_should_be_is_a_result_that_may_be_left_out(capsys: Any) -> None:
    for console, out in ((Console(), "fine\n"), (Console(quiet=True), ""), (Console("json"), "")):
        console.finding("fine")
        assert capsys.readouterr() == (out, "")
