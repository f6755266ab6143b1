"""Citations: whole, and harmless in the language that they are pasted into."""

from __future__ import annotations

import dataclasses
import re
from xml.etree import ElementTree

import msgspec

from sitegen.present.cards import card_forms
from sitegen.present.citing import address, badge, citations, latex, one_line, protocol_citations
from sitegen.present.summary import ReportSummary, summarise
from sitegen.read.settings import Settings
from sitegen.verify.verified import VerifiedUnit

HOSTILE = '</code><script>&\\input{x} $ % # _ ^ ~ {"a"} | [x](javascript:1) \n@misc \u202e`'


def hostile(unit: VerifiedUnit) -> ReportSummary:
    report = summarise(unit).reports[0]
    manifest = msgspec.structs.replace(report.manifest, title=HOSTILE)
    return dataclasses.replace(report, manifest=manifest, route=HOSTILE, protocol_title=HOSTILE)


def test_each_form_holds_the_whole_scorecard_and_both_digests(unit: VerifiedUnit) -> None:
    report = summarise(unit).reports[0]
    forms = citations(report, card_forms(report), Settings(base_url="https://example.org/x/", organisation="A & B"))
    assert [form.name for form in forms] == ["Text", "BibTeX", "Markdown", "HTML", "LaTeX"]
    for form in forms:
        for part in (report.sha256, report.protocol_sha256, f"{report.card.success.k}/{report.card.success.n}"):
            assert part in form.text.replace("\\/", "/"), form.name
        assert "not recorded" in form.text or report.covariates.retries.value in form.text


def test_a_badge_and_an_entry_say_which_version_they_are_of(unit: VerifiedUnit) -> None:
    report = summarise(unit).reports[0]
    assert b"protocol demo.v1" in badge(report, card_forms(report))
    forms = {form.name: form.text for form in citations(report, card_forms(report), Settings())}
    assert "Protocol demo.v1, sha256" in forms["BibTeX"]


def test_an_author_with_and_in_its_name_is_one_author(unit: VerifiedUnit) -> None:
    report = summarise(unit).reports[0]
    forms = citations(report, card_forms(report), Settings(organisation="Roe and Daughters"))
    assert "author = {{Roe and Daughters}}" in forms[1].text


def test_a_protocol_is_cited_with_its_runs_and_foreign_text_stays_in_its_place(unit: VerifiedUnit) -> None:
    summary = summarise(unit)
    rows = tuple(dataclasses.replace(hostile(unit), run_id=report.run_id) for report in summary.reports)
    found = protocol_citations(dataclasses.replace(summary, reports=rows), Settings())
    forms = {form.name: form.text for form in found}
    assert len(forms["Text"].split("\n\n")) == 1 + len(rows)
    assert forms["Text"].count("\n") == 2 * len(rows)
    assert len(forms["Markdown"].split("\n")) == 2 + len(rows)
    assert len(forms["LaTeX"].split("\n")) == 1 + len(rows)
    assert len(re.findall(r"^@misc\{sitegen:", forms["BibTeX"], re.MULTILINE)) == 1 + len(rows)
    assert "<script>" not in forms["HTML"]


def test_a_protocol_without_runs_is_cited_by_its_identity(unit: VerifiedUnit) -> None:
    summary = dataclasses.replace(summarise(unit), reports=())
    text, entry = protocol_citations(summary, Settings(base_url="https://example.org/x/"))
    assert summary.protocol is not None
    for form in (text, entry):
        assert summary.protocol.sha256 in form.text
        assert "https://example.org/x/protocols/demo.v1/" in form.text


def test_foreign_text_cannot_leave_its_place(unit: VerifiedUnit) -> None:
    report = hostile(unit)
    forms = {form.name: form.text for form in citations(report, card_forms(report), Settings())}
    assert forms["LaTeX"].count("\n") == 1
    assert "\\input" not in forms["LaTeX"]
    assert "\\input" not in forms["BibTeX"]
    assert forms["BibTeX"].count("@misc") == 3  # its own, and the two that are text inside braces
    assert len(forms["Markdown"].split("\n")) == 3
    assert "<script>" not in forms["HTML"]
    assert "\u202e" not in "".join(forms.values())


def test_a_badge_is_well_formed_and_whole(unit: VerifiedUnit) -> None:
    for report in (summarise(unit).reports[0], hostile(unit)):
        root = ElementTree.fromstring(badge(report, card_forms(report)))
        text = " ".join("".join(root.itertext()).split())
        assert report.sha256 in text.replace(" ", "")
        assert {element.tag.rpartition("}")[2] for element in root.iter()} == {"svg", "title", "rect", "g", "text"}


def test_latex_and_lines() -> None:
    assert latex("50% & $x_1$") == r"50\% \& \$x\_1\$"
    assert one_line("a\nb\tc\u202e") == "a\\nb\\tc\\u202e"
    assert address(Settings(), "index.html") is None
    assert address(Settings(base_url="https://example.org/x"), "a/index.html") == "https://example.org/x/a/"
