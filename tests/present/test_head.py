from __future__ import annotations

import json

from sitegen.present.cards import card_forms
from sitegen.present.head import plain_head, protocol_head, report_head, script_json
from sitegen.present.summary import summarise
from sitegen.read.settings import Settings
from sitegen.verify.verified import VerifiedUnit


def test_a_report_describes_itself_by_its_whole_scorecard(unit: VerifiedUnit) -> None:
    report = summarise(unit).reports[0]
    head = report_head(Settings(base_url="https://example.org/"), report, card_forms(report))
    assert head.data is not None
    data = json.loads(head.data)
    assert data["@type"] == "Dataset"
    assert data["identifier"] == f"sha256:{report.sha256}"
    assert head.description == data["description"]
    assert f"{report.card.abstention.k}/{report.card.abstention.n}" in head.description
    assert data["distribution"][0]["contentUrl"].startswith("https://example.org/evidence/")
    assert head.canonical == f"https://example.org/{report.folder}/"


def test_without_an_address_links_are_relative(unit: VerifiedUnit) -> None:
    summary = summarise(unit)
    assert summary.protocol is not None
    head = protocol_head(Settings(), summary.protocol, 5)
    assert head.canonical is None
    assert head.data is not None
    assert json.loads(head.data)["distribution"][0]["contentUrl"].startswith("../../evidence/demo.v1/")


def test_data_cannot_end_its_script() -> None:
    made = script_json({"a": "</script><!-- & \u2028"})
    assert "<" not in made
    assert json.loads(made) == {"a": "</script><!-- & \u2028"}


def test_a_title_is_cut() -> None:
    assert len(plain_head(Settings(), "x.html", "t" * 900, "").title) == 200
