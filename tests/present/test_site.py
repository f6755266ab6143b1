"""The whole site: every page there is, refused runs without a number, the same bytes from the same inputs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sitegen.present.brief import brief_of
from sitegen.present.look import NO_RELATIONS, Look
from sitegen.present.overview import Contents
from sitegen.present.page import Page
from sitegen.present.page_check import find_page_faults
from sitegen.present.site import unit_pages, whole_pages
from sitegen.present.summary import summarise
from sitegen.read.settings import Settings
from sitegen.verify.verified import VerifiedUnit


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_every_page_is_valid_html_and_holds_what_a_page_may(built: Path, parse: Any) -> None:
    found = pages(built)
    assert len(found) > 15
    for page in found:
        parse(page)
        faults = find_page_faults(Page(path=page.relative_to(built).as_posix(), data=page.read_bytes()))
        assert not faults, faults[:3]


def test_every_kind_of_page_is_there(built: Path) -> None:
    kinds = (
        *("index.html", "404.html", "refused/index.html", "audit/index.html", "families/demo/index.html", "feed.xml"),
        *("sitemap.xml", "_headers", "data/reports.json", "data/demo.v1.csv", "audit.py", "SHA256SUMS", "site.json"),
        *("protocols/demo.v1/index.html", "evidence/demo.v1/protocol.sealed.yaml", "evidence/demo.v1/SHA256SUMS"),
    )
    assert [kind for kind in kinds if not (built / kind).is_file()] == []
    assert list(built.glob("protocols/long.v1/*/tasks-2.html"))
    assert list(built.glob("protocols/demo.v1/*/badge.svg"))


def test_every_link_inside_the_site_leads_to_a_file_that_is_there(built: Path, parse: Any) -> None:
    broken = []
    for page in pages(built):
        tree = parse(page)
        ids = {element.get("id") for element in tree.iter() if element.get("id")}
        for element in tree.iter():
            target = element.get("href") or element.get("src")
            if not target or re.match(r"[a-z]+:", target) or page.name == "404.html":
                continue
            path, _, fragment = target.partition("#")
            if path and not (page.parent / path).is_file():
                broken.append((page.name, target))
            if not path and fragment not in ids:
                broken.append((page.name, target))
    assert broken == []


def test_ids_are_unique_on_every_page(built: Path, parse: Any) -> None:
    for page in pages(built):
        ids = [element.get("id") for element in parse(page).iter() if element.get("id")]
        assert len(ids) == len(set(ids)), page


def test_a_refused_run_has_no_number_anywhere(built: Path, unit: VerifiedUnit) -> None:
    """17 of 40, 13 of 40 and 19 of 40 wrong are counts of refused runs alone."""
    whole = {path: path.read_text(errors="replace") for path in built.rglob("*") if path.is_file()}
    for run in unit.refused:
        for path, text in whole.items():
            name = path.relative_to(built).as_posix()
            if run.run_id in text:
                assert "reports.json" not in name
                assert f'data-run="{run.run_id}"' not in text
    shown = "".join(text for path, text in whole.items() if path.suffix in (".html", ".json", ".csv", ".xml", ".svg"))
    for k in (23, 27, 21):
        assert f"{k}/40" not in shown


def test_refused_runs_stand_on_the_refused_page_and_by_slug_on_their_protocols(built: Path, unit: VerifiedUnit) -> None:
    refused = (built / "refused/index.html").read_text()
    protocol = (built / "protocols/demo.v1/index.html").read_text()
    assert len(unit.refused) == 3
    for run in unit.refused:
        assert run.run_id in refused
        assert run.run_id in protocol
        for refusal in run.refusals:
            assert f"#{refusal.slug}" in protocol
            assert f'id="{refusal.slug}"' in refused


def test_the_same_inputs_give_the_same_bytes(unit: VerifiedUnit, look: Look) -> None:
    other = Look.open(Settings(), None, None, NO_RELATIONS)
    once = [(page.path, page.data) for page in unit_pages(look, unit)]
    again = [(page.path, page.data) for page in unit_pages(other, unit)]
    assert once == again
    assert overall(unit, look) == overall(unit, other)


def overall(unit: VerifiedUnit, look: Look) -> list[Page]:
    summary = summarise(unit)
    empty = Contents(count=0, files=(), pages=())
    return list(whole_pages(look, [brief_of(summary)], [], empty, lambda protocol_id: summary))


def test_no_two_files_have_one_path(unit: VerifiedUnit, look: Look) -> None:
    paths = [page.path for page in unit_pages(look, unit)]
    paths += [page.path for page in overall(unit, look)]
    assert len(paths) == len(set(paths))


def test_every_published_report_is_in_the_data(built: Path, unit: VerifiedUnit) -> None:
    data = json.loads((built / "data/reports.json").read_text())
    ids = {record["run_id"] for record in data["reports"]}
    assert {report.run_id for report in unit.reports} <= ids


@pytest.mark.parametrize("contestants", [20])
def test_a_protocol_page_with_twenty_contestants_stays_light(tmp_path: Path, contestants: int) -> None:
    from tests.sites import judge, make_protocol, make_run

    make_protocol(tmp_path, "crowd.v1", ordinary=40, negative=12)
    for number in range(contestants):
        wrong = [f"T-{i:03}" for i in range(1, 41) if (i * 7 + number * 3) % 11 < number % 9]
        make_run(tmp_path, "crowd.v1", f"contestant-{number:02}", wrong=wrong, invalid=[f"N-{1 + number % 12:03}"])
    look = Look.open(Settings(), None, None, NO_RELATIONS)
    page = next(unit_pages(look, judge(tmp_path, "crowd.v1")))
    assert page.path == "protocols/crowd.v1/index.html"
    assert len(page.data) < 150_000
